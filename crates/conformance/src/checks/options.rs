//! Key and endpoint from the environment.

use crate::harness::Harness;
use crate::kit::Context;
use crate::mcp::{Answer, Client};
use crate::tour::{CLIENT, fill};
use crate::verdict::{Fault, ensure, same};

use super::twin::compare;

/// A watched program whose environment is changed.
fn start(context: &Context<'_>, endpoint: &str, name: &'static str, value: &str) -> Result<Harness, Fault> {
    let mut launch = context.kit.launch(context.link.transport, endpoint, &["--debug"]);
    launch.environment.retain(|(one, _)| *one != name);
    launch.environment.push((name, value.to_owned()));
    Harness::start(&launch)
}

fn drive(context: &Context<'_>, harness: &Harness) -> Result<(Vec<Answer>, Client), Fault> {
    let client = harness.connect(context.link, CLIENT)?;
    let mut answers = vec![client.list_page(None)?];
    for (tool, args) in
        [("fast", "{}"), ("error", "{}"), ("crash", "{}"), ("strict", "{}"), ("unicode", "{}")]
    {
        answers.push(client.call(tool, Some(args))?);
    }
    Ok((answers, client))
}

fn as_the_twin(context: &Context<'_>, harness: &Harness) -> Result<(), Fault> {
    let (watched, _client) = drive(context, harness)?;
    let twin = context.twin_answers("of the options", |twin| Ok(drive(context, twin)?.0))?;
    for (at, (watched, twin)) in (1..).zip(watched.iter().zip(twin.iter())) {
        compare(&format!("answer {at}"), watched, twin)?;
    }
    context.end(harness)
}

pub(super) fn no_key(context: &Context<'_>) -> Result<(), Fault> {
    for key in ["", " \t "] {
        let ingest = context.ingest()?;
        let harness = start(context, &ingest.url(), "MCPULSE_KEY", key)?;
        as_the_twin(context, &harness)?;
        ensure(ingest.arrived().is_empty(), || "without a key something was sent".to_owned())?;
    }
    Ok(())
}

pub(super) fn slashes(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let endpoint = format!("{}//", ingest.url());
    let harness = start(context, &endpoint, "MCPULSE_KEY", &format!(" {} \t", context.kit.key))?;
    let (_, client) = drive(context, &harness)?;
    fill(&client)?;
    context.until(&ingest, "a batch", |seen| seen.calls().len() >= 5)?;
    context.end(&harness)?;
    for arrived in ingest.arrived() {
        same("the request", arrived.head.start.as_str(), "POST /v1/ingest HTTP/1.1")?;
        let expected = format!("Bearer {}", context.kit.key);
        same("the key is trimmed", arrived.head.header("authorization") == Some(&expected), true)?;
    }
    Ok(())
}

pub(super) fn nonsense(context: &Context<'_>) -> Result<(), Fault> {
    for endpoint in ["not a url", "http://", "ftp://127.0.0.1:9", "http://127.0.0.1:99999"] {
        let harness = start(context, endpoint, "MCPULSE_ENDPOINT", endpoint)?;
        as_the_twin(context, &harness)?;
    }
    Ok(())
}
