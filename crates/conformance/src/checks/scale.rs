//! Many at once, and many one after the other.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::filter;
use crate::kit::Context;
use crate::mcp::Transport;
use crate::verdict::{Fault, ensure, fail, same};

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
    context.until(&ingest, "200 calls", |seen| seen.calls().len() >= CALLS)?;
    context.end(&harness)?;
    let calls = ingest.calls();
    same("calls", calls.len(), CALLS)?;
    let recorded: BTreeMap<_, _> =
        calls.into_iter().map(|call| (call.args_hash.to_string(), call.client_name)).collect();
    ensure(recorded == expected, || "calls and their clients were mixed up".to_owned())
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
