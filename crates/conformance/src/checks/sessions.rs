//! Sessions: of the process, of conversations, of children.

use std::collections::BTreeSet;

use mcpulse_wire::hash::Hash12;

use crate::harness::Harness;
use crate::ingest::Ingest;
use crate::kit::Context;
use crate::mcp::{Client, Transport};
use crate::tour::fill;
use crate::verdict::{Fault, ensure, fail, same};

fn is_session(id: &str) -> bool {
    id.strip_prefix("s_").is_some_and(|digits| {
        digits.len() == 12
            && digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
    })
}

/// Every session id that was sent.
fn ids(ingest: &Ingest) -> BTreeSet<String> {
    let calls = ingest.calls().into_iter().map(|call| call.session_id);
    let startups = ingest.startups().into_iter().map(|startup| startup.session_id);
    calls.chain(startups).chain(ingest.agreements().into_iter().map(|verdict| verdict.session_id)).collect()
}

fn one_session(ingest: &Ingest) -> Result<(), Fault> {
    let ids = ids(ingest);
    same("sessions", ids.len(), 1)?;
    ensure(ids.iter().all(|id| is_session(id)), || "a session id is not `s_` and 12 hex digits".to_owned())
}

/// Clients of a program, `each` calling a few times; then everything is recorded and the program ended.
fn use_it(
    context: &Context<'_>,
    ingest: &Ingest,
    harness: &Harness,
    clients: &[Client],
) -> Result<usize, Fault> {
    let mut count = 0;
    for _ in 0..3 {
        for client in clients {
            client.list_page(None)?;
            client.call("fast", Some("{}"))?;
            client.call("strict", Some("{}"))?;
            count += 2;
        }
    }
    if let Some(first) = clients.first() {
        fill(first)?;
    }
    context.until(ingest, "every call and a startup", |seen| {
        seen.calls().len() >= count && !seen.startups().is_empty()
    })?;
    context.end(harness)?;
    same("calls", ingest.calls().len(), count)?;
    Ok(count)
}

fn clients(context: &Context<'_>, harness: &Harness, count: usize) -> Result<Vec<Client>, Fault> {
    (0..count).map(|at| harness.connect(context.link, &format!("client-{at}"))).collect()
}

pub(super) fn one(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let count = if context.link.transport == Transport::Http { 3 } else { 1 };
    let clients = clients(context, &harness, count)?;
    use_it(context, &ingest, &harness, &clients)?;
    one_session(&ingest)?;
    same("startups", ingest.startups().len(), 1)
}

pub(super) fn stateless(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &["--http", "stateless"])?;
    let clients = clients(context, &harness, 3)?;
    use_it(context, &ingest, &harness, &clients)?;
    one_session(&ingest)?;
    same("startups", ingest.startups().len(), 1)
}

pub(super) fn conversations(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &["--sessions", "conversation"])?;
    let mut clients = Vec::new();
    let mut named = Vec::new();
    for name in ["alpha", "beta"] {
        let (client, http) = harness.connect_with(0, context.link.protocol, Some(name), None)?;
        named.push(http.and_then(|http| http.session()));
        clients.push(client);
    }
    let named: Vec<String> = named.into_iter().flatten().collect();
    same("protocol sessions that the server opened", named.len(), 2)?;
    use_it(context, &ingest, &harness, &clients)?;
    let of = |name: &str| -> BTreeSet<String> {
        let calls = ingest.calls().into_iter().filter(|call| call.client_name == name);
        calls.map(|call| call.session_id).collect()
    };
    let (alpha, beta) = (of("alpha"), of("beta"));
    same("ids of each conversation", [alpha.len(), beta.len()], [1, 1])?;
    ensure(alpha != beta, || "two conversations have one id".to_owned())?;
    let process: BTreeSet<String> = ingest.startups().into_iter().map(|startup| startup.session_id).collect();
    same("sessions of startups", process.len(), 1)?;
    ensure(process.is_disjoint(&alpha) && process.is_disjoint(&beta), || {
        "calls of a conversation carry the process's id".to_owned()
    })?;
    for id in alpha.iter().chain(&beta) {
        ensure(is_session(id), || "the id of a conversation is not `s_` and 12 hex digits".to_owned())?;
        let derived = named.iter().any(|name| {
            let plain: String =
                name.chars().filter(|c| c.is_ascii_hexdigit()).collect::<String>().to_lowercase();
            let digits = id.trim_start_matches("s_");
            plain.contains(digits) || digits == Hash12::of_bytes(name.as_bytes()).as_str()
        });
        ensure(!derived, || "the id of a conversation is derived from its name".to_owned())?;
    }
    Ok(())
}

pub(super) fn no_conversation(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &["--sessions", "conversation"])?;
    let clients = clients(context, &harness, 2)?;
    use_it(context, &ingest, &harness, &clients)?;
    one_session(&ingest)
}

pub(super) fn two_servers(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &["--servers", "2"])?;
    same("servers", harness.servers(), 2)?;
    let clients: Vec<Client> = (0..2)
        .map(|at| harness.connect_to(at, context.link.protocol, Some("both")))
        .collect::<Result<_, _>>()?;
    use_it(context, &ingest, &harness, &clients)?;
    one_session(&ingest)?;
    same("startups of one surface", ingest.startups().len(), 1)
}

pub(super) fn two_processes(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let programs = [context.watched(&ingest, &[])?, context.watched(&ingest, &[])?];
    for harness in &programs {
        let client = harness.connect(context.link, "one of two")?;
        client.call("fast", Some("{}"))?;
        fill(&client)?;
    }
    context.until(&ingest, "two startups and two calls", |seen| {
        seen.startups().len() >= 2 && seen.calls().len() >= 2
    })?;
    for harness in &programs {
        context.end(harness)?;
    }
    same("sessions", ids(&ingest).len(), 2)
}

pub(super) fn forked(context: &Context<'_>) -> Result<(), Fault> {
    const CALLS: usize = 24;
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &["--fork", "2", "--http", "stateless"])?;
    // The system deals connections out to the children as it likes.
    for _ in 0..10 {
        for at in 0..CALLS {
            let client = harness.connect(context.link, "forked")?;
            client.call("echo", Some(&format!(r#"{{"n":{at}}}"#)))?;
        }
        context.until(&ingest, "every call", |seen| {
            seen.calls().len() % CALLS == 0 && !seen.calls().is_empty()
        })?;
        if ids(&ingest).len() > 1 {
            break;
        }
    }
    context.end(&harness)?;
    let calls = ingest.calls();
    let sessions: BTreeSet<_> = calls.iter().map(|call| &call.session_id).collect();
    if sessions.len() < 2 {
        return fail("the children share one session, or one child served everything");
    }
    same("calls recorded more or less than once", calls.len() % CALLS, 0)?;
    for id in &sessions {
        let startups = ingest.startups().iter().filter(|startup| startup.session_id == **id).count();
        same("startups of a child", startups, 1)?;
    }
    Ok(())
}
