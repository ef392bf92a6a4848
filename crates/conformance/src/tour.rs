//! One conversation that touches everything, with a watched program and with its unwatched twin. Many checks look
//! at it from their side.

use mcpulse_wire::payload::{Agreement, Call, Outcome, Startup};
use serde_json::{Value, json};

use crate::expect::{Expect, Made};
use crate::harness::{Ended, Harness};
use crate::ingest::{Arrived, FILLING, Ingest};
use crate::kit::Kit;
use crate::mcp::{Answer, Client, Link, now_ms};
use crate::verdict::{Fault, fail, skip};

/// How the client of the tour calls itself.
pub(crate) const CLIENT: &str = "tour-client 🚀";

/// What one program did.
pub(crate) struct Visit {
    pub(crate) calls: Vec<Made>,
    /// Answers to `tools/list`: at the start, and after the list has grown.
    pub(crate) lists: Vec<Answer>,
    pub(crate) stdout: Vec<Vec<u8>>,
    pub(crate) stderr: String,
    pub(crate) ended: Ended,
}

/// The watched program, its twin, and what was sent.
pub(crate) struct Tour {
    pub(crate) watched: Visit,
    /// `None` beside a server that runs already.
    twin: Option<Visit>,
    pub(crate) arrived: Vec<Arrived>,
    pub(crate) recorded: Vec<Call>,
    pub(crate) startups: Vec<Startup>,
    pub(crate) verdicts: Vec<Agreement>,
}

impl Tour {
    pub(crate) fn twin(&self) -> Result<&Visit, Fault> {
        match &self.twin {
            Some(twin) => Ok(twin),
            None => skip("there is no unwatched twin beside a server that runs already"),
        }
    }

    pub(crate) fn make(kit: &Kit, link: Link, flags: &[&str]) -> Result<Self, Fault> {
        let ingest = kit.ingest()?;
        let harness = kit.watched(link, &ingest, flags)?;
        let is_remote = kit.options.remote.is_some();
        let startups = if is_remote { 0 } else { 2 };
        let watched = visit(kit, link, harness, |calls| {
            let least = calls.iter().filter(|made| !matches!(made.expect, Expect::Maybe(_))).count();
            ingest.until(kit.patience(), |seen| {
                seen.calls().len() >= least
                    && seen.startups().len() >= startups
                    && seen.agreements().len() >= 2
            });
        })
        .map_err(|fault| said_of("watched", fault))?;
        let twin = if is_remote { None } else { Some(visit_twin(kit, link, flags, &ingest)?) };
        Ok(Self {
            watched,
            twin,
            recorded: ingest.calls(),
            startups: ingest.all_startups(),
            verdicts: ingest.agreements(),
            arrived: ingest.arrived(),
        })
    }
}

fn visit_twin(kit: &Kit, link: Link, flags: &[&str], ingest: &Ingest) -> Result<Visit, Fault> {
    let mut twin_flags = vec!["--unwatched"];
    twin_flags.extend(flags);
    let harness = Harness::start(&kit.launch(link.transport, &ingest.url(), &twin_flags))?;
    let before = ingest.arrived().len();
    let twin = visit(kit, link, harness, |_| {}).map_err(|fault| said_of("the unwatched twin", fault))?;
    if ingest.arrived().len() > before {
        return fail("the unwatched twin sent something: `--unwatched` must not attach the producer");
    }
    Ok(twin)
}

/// Which of the two programs failed.
fn said_of(who: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Failed(what) => Fault::Failed(format!("{who}: {what}")),
        skipped @ Fault::Skipped(_) => skipped,
    }
}

/// What is called, in this order.
pub(crate) fn stops(canary: &str) -> Vec<(&'static str, Option<String>, Expect)> {
    let ok = Expect::Outcome(Outcome::Ok);
    let bad = Expect::Outcome(Outcome::BadArgs);
    let args = |value: Value| Some(value.to_string());
    let mut stops = vec![
        ("echo", args(json!({ "b": [1, 2.50, "é"], "a": { "secret": canary } })), ok),
        ("fast", args(json!({})), ok),
        ("fast", None, ok),
        ("error", args(json!({})), Expect::Outcome(Outcome::ToolError)),
        ("crash", args(json!({})), Expect::Outcome(Outcome::Crashed)),
        ("fast", args(json!({})), ok),
        ("strict", args(json!({ "id": 1 })), ok),
        ("strict", args(json!({ "id": 7, "note": canary })), ok),
        ("strict", args(json!({})), bad),
        ("strict", None, bad),
        ("strict", args(json!({ "id": canary })), bad),
        ("strict", args(json!({ "id": 0 })), bad),
        ("strict", args(json!({ "id": 1, "more": canary })), bad),
        ("strict", args(json!({ "id": 1, "note": 5 })), bad),
        ("no_such_tool", args(json!({ "x": canary })), bad),
        ("unicode", args(json!({})), ok),
        ("canary", args(json!({ "secret": canary })), ok),
        ("slow", args(json!({ "ms": 30 })), ok),
        ("huge", args(json!({})), ok),
        ("huge", args(json!({ "units": 10 })), ok),
        ("price_a", args(json!({ "id": "o-1", "amount": 12.5 })), ok),
        ("price_b", args(json!({ "id": "o-1", "amount": 12.5 })), ok),
        ("price_b", args(json!({ "id": "o-1", "amount": 77_123.25 })), ok),
        ("late", args(json!({})), ok),
    ];
    for kind in ["no_parts", "blank", "null", "list", "object"] {
        stops.push(("empty", args(json!({ "kind": kind })), ok));
    }
    let failed = json!({ "content": [{ "type": "text", "text": canary }], "isError": true });
    stops.push(("reply", args(json!({ "result": failed })), Expect::Outcome(Outcome::ToolError)));
    stops.push(("grow", args(json!({})), ok));
    stops
}

/// Payloads that make a batch due at once (P-030).
const BATCH: usize = 30;

/// Calls enough to make a batch due, so that what came before need not grow old first. What is recorded of them
/// is left out of [`Seen::calls`](crate::ingest::Seen::calls).
pub(crate) fn fill(client: &Client) -> Result<(), Fault> {
    (0..BATCH).try_for_each(|_| client.call("echo", Some(FILLING)).map(drop))
}

fn visit(kit: &Kit, link: Link, harness: Harness, settle: impl FnOnce(&[Made])) -> Result<Visit, Fault> {
    let authorization = Some(format!("Bearer {}", kit.canary));
    let (mut client, _) = harness.connect_with(0, link.protocol, Some(CLIENT), authorization)?;
    client.meta("example.org/user", json!({ "email": format!("{}@example.org", kit.canary) }));
    let mut lists = vec![client.list_page(None)?];
    let mut calls = Vec::new();
    for (tool, args, expect) in stops(&kit.canary) {
        calls.push(make(&client, tool, args, expect, CLIENT)?);
    }
    lists.push(client.list_page(None)?);
    calls.push(make(&client, "grown", Some("{}".to_owned()), Expect::Outcome(Outcome::Ok), CLIENT)?);
    fill(&client)?;
    settle(&calls);
    let ended = harness.end()?;
    let (stdout, stderr) = (harness.lines(), harness.stderr());
    Ok(Visit { calls, lists, stdout, stderr, ended })
}

/// Makes one call and notes what is to be expected of it.
pub(crate) fn make(
    client: &Client,
    tool: &str,
    args: Option<String>,
    expect: Expect,
    name: &str,
) -> Result<Made, Fault> {
    let begin = now_ms();
    let answer = client.call(tool, args.as_deref()).map_err(|fault| match fault {
        Fault::Failed(what) => Fault::Failed(format!("`{tool}`: {what}")),
        skipped @ Fault::Skipped(_) => skipped,
    })?;
    let between = (begin, now_ms());
    Ok(Made { tool: tool.to_owned(), args, client: name.to_owned(), expect, answer, between })
}
