//! What a run came to, for people and for machines.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::checks::Check;
use crate::mcp::Link;
use crate::verdict::Fault;

/// How one check ended over one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// It cannot be checked here.
    Skipped,
    /// It does not hold, and the file of known failures says so.
    KnownFailure,
    /// It holds, though the file of known failures says that it does not. This is a failure too: the file is out
    /// of date.
    UnexpectedPass,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
            Self::KnownFailure => "known",
            Self::UnexpectedPass => "PASSES",
        }
    }

    /// Whether the run fails with it.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::UnexpectedPass)
    }
}

/// One check over one link.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The check's number.
    pub id: &'static str,
    /// What must be so.
    pub title: &'static str,
    /// Rules of `spec/protocol.md`.
    pub rules: &'static [&'static str],
    /// Transport and protocol; left out for checks without traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// How it ended.
    pub verdict: Verdict,
    /// What was seen, or why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why the failure is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took, waiting included.
    pub seconds: f64,
}

impl Outcome {
    pub(crate) fn new(
        check: &Check,
        link: Option<Link>,
        result: Result<(), Fault>,
        known: Option<&str>,
        took: Duration,
    ) -> Self {
        let (verdict, detail) = match (result, known) {
            (Ok(()), None) => (Verdict::Passed, None),
            (Ok(()), Some(_)) => (Verdict::UnexpectedPass, None),
            (Err(Fault::Failed(seen)), None) => (Verdict::Failed, Some(seen)),
            (Err(Fault::Failed(seen)), Some(_)) => (Verdict::KnownFailure, Some(seen)),
            (Err(Fault::Skipped(reason)), _) => (Verdict::Skipped, Some(reason)),
        };
        Self {
            id: check.id,
            title: check.title,
            rules: check.rules,
            link: link.map(|link| link.to_string()),
            verdict,
            detail,
            reason: known.map(str::to_owned),
            // Milliseconds are more than enough.
            seconds: took.as_secs_f64().mul_add(1e3, 0.5).floor() / 1e3,
        }
    }

    fn place(&self) -> &str {
        self.link.as_deref().unwrap_or("text")
    }

    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let link = self.place();
        let mut line = format!("{:<8} {} [{link}] {}", self.verdict.word(), self.id, self.title);
        if self.verdict != Verdict::Passed {
            let _ = write!(line, " ({})", self.rules.join(" "));
        }
        for (word, text) in [("", &self.detail), ("known: ", &self.reason)] {
            if let Some(text) = text {
                let _ = write!(line, "\n         {word}{}", plain(text));
            }
        }
        line
    }
}

/// What was seen comes from outside: no control character may reach a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The program under test.
    pub command: Vec<String>,
    /// Of the random documents.
    pub seed: u64,
    /// In the order of their numbers.
    pub checks: Vec<Outcome>,
    /// How many ended so.
    pub passed: usize,
    /// How many ended so.
    pub failed: usize,
    /// How many ended so.
    pub skipped: usize,
    /// How many ended so.
    pub known_failures: usize,
}

impl Report {
    pub(crate) fn new(command: Vec<String>, seed: u64, checks: Vec<Outcome>) -> Self {
        let count = |verdict: Verdict| checks.iter().filter(|check| check.verdict == verdict).count();
        Self {
            passed: count(Verdict::Passed),
            failed: count(Verdict::Failed) + count(Verdict::UnexpectedPass),
            skipped: count(Verdict::Skipped),
            known_failures: count(Verdict::KnownFailure),
            command,
            seed,
            checks,
        }
    }

    /// Whether nothing failed that was not known, and anything was checked at all.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// The last line for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { passed, failed, skipped, known_failures, seed, .. } = self;
        format!(
            "{passed} passed, {failed} failed, {skipped} skipped, {known_failures} known failures; seed {seed}"
        )
    }

    /// How long each check took, the slowest first.
    #[must_use]
    pub fn timings(&self) -> String {
        let mut checks: Vec<&Outcome> = self.checks.iter().collect();
        checks.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        let total: f64 = checks.iter().map(|check| check.seconds).sum();
        let mut text = format!("{total:8.1} s in all, of which\n");
        for check in checks {
            let _ = writeln!(text, "{:8.1} s {} [{}]", check.seconds, check.id, check.place());
        }
        text
    }

    /// JUnit's XML, which continuous integration reads.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"mcpulse conform\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
            self.checks.len(),
            self.failed,
            self.skipped + self.known_failures
        );
        for check in &self.checks {
            let name = escape(&format!("{} {}", check.id, check.title));
            let class = escape(check.place());
            let time = check.seconds;
            let _ = write!(out, "  <testcase classname=\"{class}\" name=\"{name}\" time=\"{time}\">");
            let detail =
                escape(check.detail.as_deref().unwrap_or("passes, though it is listed as a known failure"));
            match check.verdict {
                Verdict::Passed => {}
                Verdict::Failed | Verdict::UnexpectedPass => {
                    let _ = write!(out, "<failure message=\"{detail}\"/>");
                }
                Verdict::Skipped | Verdict::KnownFailure => {
                    let _ = write!(out, "<skipped message=\"{detail}\"/>");
                }
            }
            out.push_str("</testcase>\n");
        }
        out.push_str("</testsuite>\n");
        out
    }

    /// A badge in Markdown, without a picture from elsewhere.
    #[must_use]
    pub fn badge(&self) -> String {
        let state = if self.is_good() { "passing" } else { "failing" };
        format!("**MCPulse conformance: {state}** ({} of {} checks passed)\n", self.passed, self.checks.len())
    }
}

fn escape(text: &str) -> String {
    let text = plain(text).replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
