//! The tools that clients see.

use mcpulse_wire::payload::{Policy, Startup, Tool, Transport as WireTransport};
use mcpulse_wire::tools;
use serde_json::Value;

use crate::ingest::{Behaviour, Seen};
use crate::kit::Context;
use crate::mcp::{Answer, Transport};
use crate::tour::CLIENT;
use crate::verdict::{Fault, ensure, fail, same};

/// The tools of an answer to `tools/list`, as a startup must have them.
fn listed(answer: &Answer) -> Result<Vec<Tool>, Fault> {
    let Some(result) = answer.result_value() else { return fail("tools/list was answered with an error") };
    let entries = result.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut all: Vec<Tool> = entries.iter().map(tools::tool_from_entry).collect();
    for tool in &mut all {
        // The option comes before what the tool itself says.
        match tool.name.as_str() {
            "strict" => tool.policy = Some(Policy::Authorization),
            "never_called" => tool.policy = Some(Policy::Identity),
            _ => {}
        }
    }
    Ok(all)
}

fn compare(at: usize, startup: &Startup, answer: &Answer, policies: bool) -> Result<(), Fault> {
    let expected = listed(answer)?;
    let names = |tools: &[Tool]| tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    same(&format!("tools of startup {at}"), names(&startup.tools), names(&expected))?;
    for (seen, expected) in startup.tools.iter().zip(expected) {
        let expected = if policies { expected } else { Tool { policy: seen.policy, ..expected } };
        same(&format!("startup {at}"), seen, &expected)?;
    }
    Ok(())
}

pub(super) fn tools(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let Some((startup, list)) = tour.startups.first().zip(tour.watched.lists.first()) else {
        return fail("no startup was sent");
    };
    compare(1, startup, list, false)
}

pub(super) fn policies(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let Some((startup, list)) = tour.startups.first().zip(tour.watched.lists.first()) else {
        return fail("no startup was sent");
    };
    compare(1, startup, list, true)
}

pub(super) fn changes(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    same("startups", tour.startups.len(), 2)?;
    for (at, (startup, list)) in (1..).zip(tour.startups.iter().zip(&tour.watched.lists)) {
        compare(at, startup, list, false)?;
    }
    let grown = tour.startups.get(1).is_some_and(|one| one.tools.iter().any(|tool| tool.name == "grown"));
    ensure(grown, || "the second startup does not have `grown`".to_owned())
}

pub(super) fn about(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let Some(startup) = tour.startups.first() else { return fail("no startup was sent") };
    let transport = match context.link.transport {
        Transport::Stdio => WireTransport::Stdio,
        Transport::Http => WireTransport::Http,
    };
    same("transport", startup.transport, Some(transport))?;
    same("protocol_version", startup.protocol_version.as_deref(), Some(context.link.protocol.version()))?;
    same("client_name", startup.client_name.as_str(), CLIENT)?;
    let sdk = startup.sdk.clone().unwrap_or_default();
    let agent = tour.arrived.first().and_then(|arrived| arrived.head.header("user-agent").map(str::to_owned));
    same("sdk and `User-Agent`", Some(&sdk), agent.as_ref())?;
    ensure(startup.mcp_sdk_version.is_some(), || "mcp_sdk_version is left out".to_owned())?;
    let declared = startup.agreements.iter().flatten().map(|one| (one.field.as_str(), one.tools.join(" ")));
    same("agreements", declared.collect::<Vec<_>>(), vec![("amount", "price_a price_b".to_owned())])
}

pub(super) fn never_listed(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    for _ in 0..3 {
        client.call("fast", Some("{}"))?;
    }
    let both = |seen: &Seen<'_>| !seen.startups().is_empty() && seen.calls().len() >= 3;
    context.until(&ingest, "the startup and three calls", both)?;
    context.end(&harness)?;
    // What a client would have seen; the twin says.
    let twin = context.twin(&[])?;
    let client = twin.connect(context.link, CLIENT)?;
    client.call("fast", Some("{}"))?;
    let list = client.list_page(None)?;
    let startups = ingest.startups();
    same("startups", startups.len(), 1)?;
    startups.iter().try_for_each(|startup| compare(1, startup, &list, false))
}

pub(super) fn leads(context: &Context<'_>) -> Result<(), Fault> {
    // Refused: the batch is over, and its startup with it, were it not kept.
    let ingest = crate::ingest::Ingest::start(Behaviour::Status(500, None))?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    let mut calls = 0;
    for _ in 0..2 {
        let before = Seen(&ingest.arrived()).answered();
        for _ in 0..30 {
            client.call("fast", Some("{}"))?;
            calls += 1;
        }
        context.until(&ingest, "a batch", |seen| seen.answered() > before)?;
    }
    ingest.behave(Behaviour::Normal);
    client.call("unicode", Some("{}"))?;
    context.until(&ingest, "a batch that is taken", |seen| {
        seen.calls().iter().any(|call| call.tool_name == "unicode") && !seen.startups().is_empty()
    })?;
    context.end(&harness)?;
    ensure(ingest.calls().len() < calls, || "a batch that was refused was sent again".to_owned())?;
    same("startups taken", ingest.startups().len(), 1)?;
    let mut taken = false;
    for (at, arrived) in (1..).zip(ingest.arrived()) {
        let leads = matches!(arrived.payloads.first(), Some(mcpulse_wire::payload::Payload::Startup(_)));
        ensure(leads || taken, || {
            format!("request {at} is not led by the startup, which nobody has taken yet")
        })?;
        taken |= leads && arrived.given.stores();
    }
    Ok(())
}
