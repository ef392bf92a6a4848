//! The loss report: what became of everything recorded.

use crate::ingest::{Behaviour, Ingest, Seen};
use crate::kit::Context;
use crate::mcp::Client;
use crate::tour::CLIENT;
use crate::verdict::{Fault, ensure, fail, same};

/// The numbers of `docs/harness.md`.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    recorded: usize,
    sent: usize,
    dropped: usize,
    /// The sum of the reasons.
    explained: usize,
    unrecorded: usize,
    held: usize,
}

/// The number after `word`.
fn number(line: &str, word: &str) -> Option<usize> {
    let (_, rest) = line.split_once(word)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The sum of what stands in the parentheses after `word` and its number: `(REASON N, REASON N)`.
fn reasons(line: &str, word: &str) -> Option<usize> {
    let (_, rest) = line.split_once(word)?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(inner) = rest.strip_prefix(" (").and_then(|rest| Some(rest.split_once(')')?.0)) else {
        return Some(0);
    };
    inner.split(", ").map(|part| part.rsplit(' ').next()?.parse::<usize>().ok()).sum()
}

fn read(line: &str) -> Option<Report> {
    Some(Report {
        recorded: number(line, "recorded ")?,
        sent: number(line, ", sent ")?,
        dropped: number(line, ", dropped ")?,
        explained: reasons(line, ", dropped ")?,
        unrecorded: number(line, ", not recorded ")?,
        held: number(line, ", held ").unwrap_or(0),
    })
}

fn last(stderr: &str) -> Result<Report, Fault> {
    match stderr.lines().rev().find_map(read) {
        Some(report) => Ok(report),
        None => fail(
            "no line on standard error is a loss report: `recorded N, sent N, dropped N, not recorded N`",
        ),
    }
}

fn fast(client: &Client, count: usize) -> Result<(), Fault> {
    (0..count).try_for_each(|_| client.call("fast", Some("{}")).map(drop))
}

/// Nothing is lost without a number. `held` may leave out a startup that waits outside the ring.
fn balanced(report: &Report) -> Result<(), Fault> {
    let known = report.sent + report.dropped + report.held;
    ensure(known <= report.recorded && report.recorded <= known + 1, || {
        format!("it does not add up: {report:?}")
    })?;
    same("dropped, and the sum of its reasons", report.explained, report.dropped)
}

pub(super) fn report(context: &Context<'_>) -> Result<(), Fault> {
    taken_and_refused(context)?;
    pushed_out(context)
}

/// Some payloads taken, some refused, a call cancelled.
fn taken_and_refused(context: &Context<'_>) -> Result<(), Fault> {
    // The end has one second for what is left; a busy machine may need another try.
    const TRIES: usize = 4;
    for at in 1..=TRIES {
        let ingest = context.ingest()?;
        let harness = context.watched(&ingest, &["--debug"])?;
        let client = harness.connect(context.link, CLIENT)?;
        client.list_page(None)?;
        // Not every MCP SDK tells a handler that it was cancelled, and its program ends only after it.
        let begun = client.begin_call("slow", Some(r#"{"ms":20000}"#), &[])?;
        client.call("slow", Some(r#"{"ms":200}"#))?;
        client.cancel_previous(2)?;
        fast(&client, 35)?;
        drop(begun);
        context.until(&ingest, "a batch", |seen| !seen.calls().is_empty())?;
        ingest.behave(Behaviour::Status(500, None));
        let before = Seen(&ingest.arrived()).answered();
        fast(&client, 35)?;
        context.until(&ingest, "a batch to be refused", |seen| seen.answered() > before)?;
        ingest.behave(Behaviour::Normal);
        context.end(&harness)?;
        let report = last(&harness.stderr())?;
        balanced(&report)?;
        same("calls not recorded: the one that was cancelled", report.unrecorded, 1)?;
        // 71 calls and the startup.
        same("recorded", report.recorded, 72)?;
        let stored = ingest.calls().len() + ingest.startups().len();
        let arrived = ingest.arrived();
        let refused = arrived.iter().filter(|one| !one.given.stores()).map(|one| one.payloads.len()).sum();
        if report.held == 0 && stored + refused == 72 {
            same("sent, as the ingest has it", report.sent, stored)?;
            return same("dropped, as the ingest refused", report.dropped, refused);
        }
        if at == TRIES {
            return fail(format!(
                "{stored} stored and {refused} refused of 72 when the program had ended: {report:?}"
            ));
        }
    }
    Ok(())
}

/// More than the ring holds, and nobody to take it.
fn pushed_out(context: &Context<'_>) -> Result<(), Fault> {
    const CALLS: usize = 1_100;
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &["--debug"])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    fast(&client, CALLS)?;
    context.end(&harness)?;
    let report = last(&harness.stderr())?;
    balanced(&report)?;
    same("recorded", report.recorded, CALLS + 1)?;
    same("sent to a dead ingest", report.sent, 0)?;
    ensure(report.dropped >= CALLS - 1_000, || {
        format!("{} dropped of {CALLS} calls that a ring of 1000 was given", report.dropped)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let line = "mcpulse: at exit: recorded 12, sent 5, dropped 3 (ring full 2, answered 500 1), \
                    not recorded 1 (cancelled 1), held 4";
        let report = Report { recorded: 12, sent: 5, dropped: 3, explained: 3, unrecorded: 1, held: 4 };
        assert_eq!(read(line), Some(report));
        let line = "recorded 2, sent 2, dropped 0, not recorded 0";
        assert_eq!(read(line).map(|report| (report.dropped, report.explained, report.held)), Some((0, 0, 0)));
        assert_eq!(read("mcpulse: not sent: 3 payloads dropped"), None);
    }
}
