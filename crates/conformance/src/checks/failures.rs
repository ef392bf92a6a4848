//! An ingest that is dead, slow, refusing or lying: answers stay the twin's, and no call waits.

use std::time::Duration;

use crate::harness::Harness;
use crate::ingest::{Behaviour, Given, Ingest};
use crate::kit::Context;
use crate::mcp::Answer;
use crate::tour::{CLIENT, stops};
use crate::verdict::{Fault, ensure, fail, same};

use super::twin::compare;

/// Calls enough for several batches, and one of everything.
fn drive(context: &Context<'_>, harness: &Harness) -> Result<Vec<Answer>, Fault> {
    let client = harness.connect(context.link, CLIENT)?;
    let mut answers = vec![client.list_page(None)?];
    for (tool, args, _) in stops(&context.kit.canary) {
        answers.push(client.call(tool, args.as_deref())?);
    }
    for at in 0..40 {
        answers.push(client.call("echo", Some(&format!(r#"{{"call":{at}}}"#)))?);
    }
    Ok(answers)
}

/// Drives the watched program and its twin, and compares.
fn drive_both(context: &Context<'_>, harness: &Harness) -> Result<(), Fault> {
    let watched = drive(context, harness)?;
    let twin = context.twin_answers("of everything", |twin| drive(context, twin))?;
    same("answers", watched.len(), twin.len())?;
    for (at, (watched, twin)) in (1..).zip(watched.iter().zip(twin.iter())) {
        compare(&format!("answer {at}"), watched, twin)?;
    }
    Ok(())
}

pub(super) fn dead(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &[])?;
    drive_both(context, &harness)?;
    context.end(&harness)
}

pub(super) fn black_hole(context: &Context<'_>) -> Result<(), Fault> {
    // A machine may be so busy that the calls take longer than the 10 s after which the producer gives up.
    for _ in 0..3 {
        let ingest = Ingest::start(Behaviour::Hold)?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        client.list_page(None)?;
        for _ in 0..60 {
            client.call("fast", Some("{}"))?;
        }
        context.until(&ingest, "a request", |seen| !seen.0.is_empty())?;
        // From here on a request hangs, whatever the calls do.
        for _ in 0..120 {
            client.call("fast", Some("{}"))?;
        }
        if ingest.arrived().first().is_some_and(|arrived| arrived.given == Given::Held) {
            return drive_both(context, &context.watched(&ingest, &[])?);
        }
    }
    fail("calls came to an end only when the request to the ingest did")
}

pub(super) fn slow(context: &Context<'_>) -> Result<(), Fault> {
    for _ in 0..3 {
        let ingest = Ingest::start(Behaviour::Slow(Duration::from_secs(3)))?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        for _ in 0..30 {
            client.call("fast", Some("{}"))?;
        }
        context.until(&ingest, "a request", |seen| !seen.0.is_empty())?;
        for _ in 0..30 {
            client.call("fast", Some("{}"))?;
        }
        let held = ingest.arrived().first().is_some_and(|arrived| arrived.given == Given::Held);
        context.until(&ingest, "60 calls", |seen| seen.calls().len() >= 60)?;
        context.end(&harness)?;
        same("calls", ingest.calls().len(), 60)?;
        if held {
            return Ok(());
        }
    }
    fail("calls waited for an ingest that answers after 3 s")
}

pub(super) fn refusing(context: &Context<'_>) -> Result<(), Fault> {
    for status in [500, 413, 401] {
        let ingest = Ingest::start(Behaviour::Status(status, None))?;
        let harness = context.watched(&ingest, &[])?;
        drive_both(context, &harness)?;
        context.until(&ingest, "a batch", |seen| !seen.0.is_empty())?;
        context.end(&harness)?;
        let arrived = ingest.arrived();
        for (at, one) in arrived.iter().enumerate() {
            let again =
                arrived.iter().skip(at + 1).any(|other| other.idempotency_key() == one.idempotency_key());
            ensure(!again, || format!("a batch that was answered by {status} was sent again"))?;
        }
    }
    Ok(())
}

pub(super) fn lying(context: &Context<'_>) -> Result<(), Fault> {
    for behaviour in [Behaviour::Garbage, Behaviour::Lying, Behaviour::CutAnswer] {
        let ingest = Ingest::start(behaviour)?;
        let harness = context.watched(&ingest, &[])?;
        drive_both(context, &harness)?;
        context.until(&ingest, "a batch", |seen| !seen.0.is_empty())?;
        context.end(&harness)?;
    }
    Ok(())
}
