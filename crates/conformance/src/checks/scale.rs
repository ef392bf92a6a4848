//! Many at once, and many one after the other.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::filter;
use crate::ingest::Ingest;
use crate::kit::Context;
use crate::mcp::Transport;
use crate::tour::{CLIENT, fill};
use crate::verdict::{Fault, ensure, fail, same, skip};

pub(super) fn at_once(context: &Context<'_>) -> Result<(), Fault> {
    const CALLS: usize = 200;
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let count = if context.link.transport == Transport::Http { 5 } else { 1 };
    let clients = (0..count)
        .map(|at| Ok((format!("client-{at}"), harness.connect(context.link, &format!("client-{at}"))?)))
        .collect::<Result<Vec<_>, Fault>>()?;
    let mut waiting = Vec::new();
    let mut expected = BTreeMap::new();
    for (at, (name, client)) in (0..CALLS).zip(clients.iter().cycle()) {
        let args = format!(r#"{{"n":{at}}}"#);
        waiting.push((args.clone(), client.begin_call("echo", Some(&args), &[])?));
        let hash = mcpulse_wire::hash::args_hash_raw(Some(args.as_bytes())).to_string();
        expected.insert(hash, name.clone());
    }
    for (args, pending) in waiting {
        let answer = pending.wait(context.kit.patience())?;
        same("the answer of a call among many", answer.text(), Some(args))?;
    }
    if let Some((_, client)) = clients.first() {
        fill(client)?;
    }
    context.until(&ingest, "200 calls", |seen| seen.calls().len() >= CALLS)?;
    context.end(&harness)?;
    let calls = ingest.calls();
    same("calls", calls.len(), CALLS)?;
    let recorded: BTreeMap<_, _> =
        calls.into_iter().map(|call| (call.args_hash.to_string(), call.client_name)).collect();
    ensure(recorded == expected, || "calls and their clients were mixed up".to_owned())
}

/// Memory while nobody takes what is recorded. It has to level off: heaps that are collected grow for a while
/// before they do, so there may be many rounds, but one window of them must be flat.
pub(super) fn memory(context: &Context<'_>) -> Result<(), Fault> {
    const ROUND: usize = 1_000;
    /// The ring is full after one; a batch that is on its way leaves it after another.
    const WARM_UP: usize = 2;
    const WINDOW: usize = 2;
    const MOST: usize = 20;
    const AT_ONCE: usize = 25;
    /// Bytes that a call may leave behind: far less than its arguments, its result or a payload.
    const PER_CALL: u64 = 256;
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    let text = "x".repeat(4_000);
    let mut sizes = Vec::new();
    for round in 0..MOST {
        for at in 0..ROUND / AT_ONCE {
            let args = format!(r#"{{"round":{round},"at":{at},"text":"{text}"}}"#);
            let waiting = (0..AT_ONCE).map(|_| client.begin_call("echo", Some(&args), &[]));
            for pending in waiting.collect::<Result<Vec<_>, _>>()? {
                pending.wait(context.kit.patience())?;
            }
        }
        let Some(size) = harness.memory() else {
            return skip("`ps` does not tell the memory of a process group");
        };
        sizes.push(size);
        let before = sizes.len().checked_sub(WINDOW + 1).filter(|at| *at + 1 >= WARM_UP);
        if let Some(before) = before.and_then(|at| sizes.get(at))
            && size.saturating_sub(*before) * 1024 <= PER_CALL * (ROUND * WINDOW) as u64
        {
            return context.end(&harness);
        }
    }
    fail(format!(
        "memory grows without end while the ingest is dead: KiB after each {ROUND} calls: {sizes:?}"
    ))
}

pub(super) fn churn(context: &Context<'_>) -> Result<(), Fault> {
    const SERVERS: u64 = 1_000;
    let ingest = context.ingest()?;
    let launch = context.kit.launch(Transport::Stdio, &ingest.url(), &[]);
    let output = filter(&launch, &["churn", &SERVERS.to_string()], String::new())?;
    let Ok(counts) = serde_json::from_slice::<Value>(&output) else {
        return fail("`churn` did not print one JSON object");
    };
    let count = |name: &str| counts.get(name).and_then(Value::as_u64);
    same("created", count("created"), Some(SERVERS))?;
    // The newest may still be in somebody's hand.
    ensure(count("alive").is_some_and(|alive| alive <= 2), || {
        format!("{:?} of {SERVERS} servers are alive after they were dropped", count("alive"))
    })
}
