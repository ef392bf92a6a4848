//! The end of the program.
//!
//! What is left is sent in the one second there is at the end. On a busy machine that may not be enough, so what
//! must arrive then is tried a few times; a producer that sends nothing at its end fails every time.

use std::time::Duration;

use crate::harness::{Ended, Harness};
use crate::ingest::{Behaviour, Ingest};
use crate::kit::Context;
use crate::mcp::Client;
use crate::tour::CLIENT;
use crate::verdict::{Fault, ensure, fail, same};

const TRIES: usize = 4;

/// A program with a first batch sent, so that its sender is known to work, and a few calls more.
fn begun(context: &Context<'_>, ingest: &Ingest, flags: &[&str]) -> Result<(Harness, Client), Fault> {
    let harness = context.watched(ingest, flags)?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    for _ in 0..30 {
        client.call("fast", Some("{}"))?;
    }
    context.until(ingest, "a first batch", |seen| !seen.calls().is_empty())?;
    for _ in 0..7 {
        client.call("unicode", Some("{}"))?;
    }
    Ok((harness, client))
}

/// Ends programs by `end` until one has sent everything; each must end as expected.
fn delivers(
    context: &Context<'_>,
    flags: &[&str],
    expected: &Ended,
    more: usize,
    end: impl Fn(&Harness, &Client) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut arrived = 0;
    for _ in 0..TRIES {
        let ingest = context.ingest()?;
        let (harness, client) = begun(context, &ingest, flags)?;
        end(&harness, &client)?;
        same("the end of the program", &harness.wait()?, expected)?;
        arrived = ingest.calls().len();
        if arrived == 37 + more {
            return same("startups", ingest.startups().len(), 1);
        }
        ensure(arrived < 37 + more, || format!("{arrived} calls were recorded, {} were made", 37 + more))?;
    }
    fail(format!("{arrived} of {} calls had arrived when the program had ended", 37 + more))
}

fn code(code: i32) -> Ended {
    Ended { code: Some(code), signal: None }
}

pub(super) fn end_of_input(context: &Context<'_>) -> Result<(), Fault> {
    delivers(context, &[], &code(0), 0, |harness, _| harness.close())
}

/// Makes the program end itself, and waits for the answer that comes first.
fn quit(client: &Client, args: &str) -> Result<(), Fault> {
    let answer = client.call("quit", Some(args))?;
    same("the answer of `quit`", answer.text().as_deref(), Some("bye"))
}

pub(super) fn own_exit(context: &Context<'_>) -> Result<(), Fault> {
    delivers(context, &[], &code(7), 1, |_, client| quit(client, r#"{"code":7}"#))
}

pub(super) fn handled_signal(context: &Context<'_>) -> Result<(), Fault> {
    delivers(context, &["--on-sigterm", "5"], &code(5), 0, |harness, _| harness.signal("TERM"))
}

/// How the twin ends by `end`.
fn twin_ends(
    context: &Context<'_>,
    launch_flags: &[&str],
    end: impl Fn(&Harness, &Client) -> Result<(), Fault>,
) -> Result<Ended, Fault> {
    let mut flags = vec!["--unwatched"];
    flags.extend(launch_flags);
    let ingest = context.ingest()?;
    let mut launch = context.kit.launch(context.link.transport, &ingest.url(), &flags);
    without_handler(&mut launch.flags, launch_flags);
    let twin = Harness::start(&launch)?;
    let client = twin.connect(context.link, CLIENT)?;
    client.call("fast", Some("{}"))?;
    end(&twin, &client)?;
    twin.wait()
}

/// The kit ends programs that serve HTTP by a handled SIGTERM, unless a check is about signals.
fn without_handler(flags: &mut Vec<String>, asked: &[&str]) {
    if !asked.contains(&"--on-sigterm")
        && let Some(at) = flags.iter().position(|flag| flag == "--on-sigterm")
    {
        flags.drain(at..at + 2);
    }
}

pub(super) fn signal(context: &Context<'_>) -> Result<(), Fault> {
    let end = |harness: &Harness, _: &Client| harness.signal("TERM");
    let expected = twin_ends(context, &[], end)?;
    for behaviour in [Behaviour::Normal, Behaviour::Hold] {
        let ingest = Ingest::start(behaviour)?;
        let mut launch = context.kit.launch(context.link.transport, &ingest.url(), &[]);
        without_handler(&mut launch.flags, &[]);
        let harness = Harness::start(&launch)?;
        let client = harness.connect(context.link, CLIENT)?;
        for _ in 0..40 {
            client.call("fast", Some("{}"))?;
        }
        context.until(&ingest, "a request", |seen| !seen.0.is_empty())?;
        end(&harness, &client)?;
        same("the end of the program", &harness.wait()?, &expected)?;
    }
    Ok(())
}

pub(super) fn uncaught(context: &Context<'_>) -> Result<(), Fault> {
    let end = |_: &Harness, client: &Client| quit(client, r#"{"code":0,"how":"uncaught"}"#);
    let expected = twin_ends(context, &[], end)?;
    ensure(expected.code != Some(0), || "an uncaught error ends the twin with code 0".to_owned())?;
    delivers(context, &[], &expected, 1, end)
}

pub(super) fn dead(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    for _ in 0..40 {
        client.call("fast", Some("{}"))?;
    }
    context.end(&harness)
}

pub(super) fn black_hole(context: &Context<'_>) -> Result<(), Fault> {
    // The producer has 1 s. A busy machine may need longer, but not as long as the 10 s of a request every time.
    for _ in 0..TRIES {
        let ingest = Ingest::start(Behaviour::Hold)?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        for _ in 0..40 {
            client.call("fast", Some("{}"))?;
        }
        context.until(&ingest, "a request", |seen| !seen.0.is_empty())?;
        harness.close()?;
        if let Some(ended) = harness.ended_within(Duration::from_secs(8)) {
            return same("the end of the program", ended, code(0));
        }
    }
    fail("the program outlived its input by more than 8 s, every time")
}
