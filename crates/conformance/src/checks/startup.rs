//! The tools that clients see.

use std::slice;
use std::sync::Arc;

use mcpulse_wire::payload::{Policy, Startup, Tool, Transport as WireTransport};
use mcpulse_wire::tools;
use serde_json::Value;

use crate::ingest::{Behaviour, Seen};
use crate::kit::Context;
use crate::mcp::{Answer, Client, Transport};
use crate::tour::{CLIENT, Tour, fill};
use crate::verdict::{Fault, ensure, fail, same, skip};

/// The tools of the answers to `tools/list`, page by page, as a startup must have them.
fn listed(pages: &[Answer]) -> Result<Vec<Tool>, Fault> {
    let mut entries = Vec::new();
    for page in pages {
        let Some(result) = page.result_value() else { return fail("tools/list was answered with an error") };
        entries.extend(result.get("tools").and_then(Value::as_array).cloned().unwrap_or_default());
    }
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

fn compare(at: usize, startup: &Startup, pages: &[Answer], policies: bool) -> Result<(), Fault> {
    let expected = listed(pages)?;
    let names = |tools: &[Tool]| tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    same(&format!("tools of startup {at}"), names(&startup.tools), names(&expected))?;
    for (seen, expected) in startup.tools.iter().zip(expected) {
        let expected = if policies { expected } else { Tool { policy: seen.policy, ..expected } };
        same(&format!("startup {at}"), seen, &expected)?;
    }
    Ok(())
}

/// The tour, with the startups of a session that has just begun.
fn fresh_tour(context: &Context<'_>) -> Result<Arc<Tour>, Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let listed = tour.watched.lists.first().and_then(Answer::result).unwrap_or_default();
    let is_used = tour.startups.is_empty() || listed.contains(r#""grown""#);
    if context.kit.options.remote.is_some() && is_used {
        return skip("the server has been asked for its tools before; start it anew");
    }
    Ok(tour)
}

pub(super) fn tools(context: &Context<'_>) -> Result<(), Fault> {
    let tour = fresh_tour(context)?;
    let Some((startup, list)) = tour.startups.first().zip(tour.watched.lists.first()) else {
        return fail("no startup was sent");
    };
    compare(1, startup, slice::from_ref(list), false)
}

pub(super) fn policies(context: &Context<'_>) -> Result<(), Fault> {
    let tour = fresh_tour(context)?;
    let Some((startup, list)) = tour.startups.first().zip(tour.watched.lists.first()) else {
        return fail("no startup was sent");
    };
    compare(1, startup, slice::from_ref(list), true)
}

pub(super) fn changes(context: &Context<'_>) -> Result<(), Fault> {
    let tour = fresh_tour(context)?;
    same("startups", tour.startups.len(), 2)?;
    for (at, (startup, list)) in (1..).zip(tour.startups.iter().zip(&tour.watched.lists)) {
        compare(at, startup, slice::from_ref(list), false)?;
    }
    let grown = tour.startups.get(1).is_some_and(|one| one.tools.iter().any(|tool| tool.name == "grown"));
    ensure(grown, || "the second startup does not have `grown`".to_owned())
}

pub(super) fn about(context: &Context<'_>) -> Result<(), Fault> {
    let tour = fresh_tour(context)?;
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
    fill(&client)?;
    let both = |seen: &Seen<'_>| !seen.startups().is_empty() && seen.calls().len() >= 3;
    context.until(&ingest, "the startup and three calls", both)?;
    context.end(&harness)?;
    // What a client would have seen; the twin says.
    let tour = context.kit.tour(context.link, &[])?;
    let Some(list) = tour.twin()?.lists.first() else { return fail("the twin lists no tools") };
    let startups = ingest.startups();
    same("startups", startups.len(), 1)?;
    startups.iter().try_for_each(|startup| compare(1, startup, slice::from_ref(list), false))
}

/// Every page, as a client asks for them.
fn all_pages(client: &Client) -> Result<Vec<Answer>, Fault> {
    let mut pages: Vec<Answer> = Vec::new();
    let mut cursor: Option<String> = None;
    while pages.len() < 100 {
        let page = client.list_page(cursor.as_deref())?;
        let result = page.result_value().unwrap_or_default();
        pages.push(page);
        match result.get("nextCursor").and_then(Value::as_str) {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(pages),
        }
    }
    fail("the pages of tools/list have no end")
}

/// A client that reads one page only, and then one that reads all of them.
fn read_pages(client: &Client) -> Result<Vec<Answer>, Fault> {
    client.list_page(None)?;
    client.call("fast", Some("{}"))?;
    let pages = all_pages(client)?;
    client.call("fast", Some("{}"))?;
    Ok(pages)
}

pub(super) fn pages(context: &Context<'_>) -> Result<(), Fault> {
    const FLAGS: &[&str] = &["--api", "low", "--page", "5"];
    let twin = context.twin(FLAGS)?;
    let expected = read_pages(&twin.connect(context.link, CLIENT)?)?;
    ensure(expected.len() > 1, || "the unwatched twin lists its tools on one page".to_owned())?;
    drop(twin);
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, FLAGS)?;
    let client = harness.connect(context.link, CLIENT)?;
    let seen = read_pages(&client)?;
    same("pages", seen.len(), expected.len())?;
    for (at, (watched, twin)) in (1..).zip(seen.iter().zip(&expected)) {
        super::twin::compare(&format!("page {at}"), watched, twin)?;
    }
    fill(&client)?;
    context.until(&ingest, "the startup and two calls", |seen| {
        !seen.startups().is_empty() && seen.calls().len() >= 2
    })?;
    context.end(&harness)?;
    let startups = ingest.startups();
    startups.iter().try_for_each(|startup| compare(1, startup, &expected, false))?;
    same("startups of one surface", startups.len(), 1)
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
