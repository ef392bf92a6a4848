//! Who calls.

use mcpulse_wire::text;

use crate::harness::Harness;
use crate::kit::Context;
use crate::mcp::{Client, Protocol};
use crate::tour::fill;
use crate::verdict::{Fault, fail, same};

/// The client of each call, by what its arguments were.
fn recorded(
    context: &Context<'_>,
    calls: impl FnOnce(&mut Vec<(String, String)>, &Harness) -> Result<Client, Fault>,
) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let mut made = Vec::new();
    fill(&calls(&mut made, &harness)?)?;
    context.until(&ingest, "every call to be recorded", |seen| seen.calls().len() >= made.len())?;
    context.end(&harness)?;
    let names: Vec<_> =
        ingest.calls().into_iter().map(|call| (call.args_hash.to_string(), call.client_name)).collect();
    let expected: Vec<_> = made
        .into_iter()
        .map(|(args, name)| (mcpulse_wire::hash::args_hash_raw(Some(args.as_bytes())).to_string(), name))
        .collect();
    same("clients of the calls", names, expected)
}

pub(super) fn each_request(context: &Context<'_>) -> Result<(), Fault> {
    recorded(context, |made, harness| {
        let client = harness.connect(context.link, "first")?;
        for (at, name) in (0..).zip([Some("one"), Some("two"), None, Some("one"), None, Some("three")]) {
            client.rename(name);
            let args = format!(r#"{{"call":{at}}}"#);
            let answer = client.call("echo", Some(&args))?;
            // A request without the client's name may be refused.
            if answer.result().is_some() {
                made.push((args, name.unwrap_or("unknown").to_owned()));
            }
        }
        Ok(client)
    })
}

pub(super) fn each_session(context: &Context<'_>) -> Result<(), Fault> {
    recorded(context, |made, harness| {
        let clients: Vec<_> = ["alpha", "beta", "gamma"]
            .into_iter()
            .map(|name| Ok((name, harness.connect(context.link, name)?)))
            .collect::<Result<_, Fault>>()?;
        for round in 0..3 {
            for (name, client) in &clients {
                let args = format!(r#"{{"call":"{name}{round}"}}"#);
                client.call("echo", Some(&args))?;
                made.push((args, (*name).to_owned()));
            }
        }
        clients.into_iter().next().map_or_else(|| fail("the kit itself: no clients"), |(_, first)| Ok(first))
    })
}

pub(super) fn made_to_fit(context: &Context<'_>) -> Result<(), Fault> {
    recorded(context, |made, harness| {
        let names = ["🚀".repeat(200), String::new()];
        // Standard input has one handshake.
        let once = context.link.transport == crate::mcp::Transport::Stdio
            && context.link.protocol == Protocol::Initialize;
        let mut first = None;
        for name in names.iter().take(if once { 1 } else { 2 }) {
            let client = harness.connect(context.link, name)?;
            let args = format!(r#"{{"call":{}}}"#, name.len());
            let answer = client.call("echo", Some(&args))?;
            if answer.result().is_some() {
                made.push((args, text::client_name(name).into_owned()));
            }
            first.get_or_insert(client);
        }
        first.map_or_else(|| fail("the kit itself: no clients"), Ok)
    })
}
