//! Batches, the ring, and trying again. Times are compared from below only: nothing may come too early.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use mcpulse_wire::payload::Payload;

use crate::harness::pause;
use crate::ingest::{Arrived, Behaviour, Given, Ingest, Seen};
use crate::kit::Context;
use crate::mcp::Client;
use crate::tour::CLIENT;
use crate::verdict::{Fault, ensure, fail, same};

/// Least time between two tries.
const BETWEEN_TRIES: Duration = Duration::from_secs(5);
/// Longest that a request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// How far ahead a date in `Retry-After` is.
const DATE: Duration = Duration::from_secs(12);
/// Clocks of two programs need not tick alike.
const SLACK: Duration = Duration::from_millis(50);
const RING: usize = 1_000;

/// Calls `echo` with a number of its own.
fn echo(client: &Client, numbers: std::ops::Range<usize>) -> Result<(), Fault> {
    numbers.into_iter().try_for_each(|at| client.call("echo", Some(&format!(r#"{{"n":{at}}}"#))).map(drop))
}

/// Which of the numbers were stored, each as often as it was.
fn stored(seen: &Seen<'_>, most: usize) -> Vec<usize> {
    let hash = |at| mcpulse_wire::hash::args_hash_raw(Some(format!(r#"{{"n":{at}}}"#).as_bytes()));
    let numbers: HashMap<_, _> = (0..most).map(|at| (hash(at).to_string(), at)).collect();
    seen.calls().iter().filter_map(|call| numbers.get(&call.args_hash.to_string()).copied()).collect()
}

fn everything_once(ingest: &Ingest, count: usize) -> Result<(), Fault> {
    let mut numbers = stored(&Seen(&ingest.arrived()), count);
    numbers.sort_unstable();
    let doubled = numbers.windows(2).filter(|pair| pair.first() == pair.last()).count();
    same("calls stored twice", doubled, 0)?;
    same("calls stored", numbers.len(), count)?;
    same("startups stored", ingest.startups().len(), 1)
}

pub(super) fn back_again(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    echo(&client, 0..40)?;
    // Long enough for a first try, and for a second.
    pause(Duration::from_secs(7));
    echo(&client, 40..80)?;
    ingest.come_back()?;
    context.until(&ingest, "80 calls and the startup", |seen| {
        stored(seen, 80).len() >= 80 && !seen.startups().is_empty()
    })?;
    context.end(&harness)?;
    everything_once(&ingest, 80)
}

/// Two tries of one batch are the same bytes.
fn same_batch(arrived: &[Arrived]) -> Result<usize, Fault> {
    let mut tries: HashMap<&str, Vec<&Arrived>> = HashMap::new();
    for one in arrived {
        tries.entry(one.idempotency_key()).or_default().push(one);
    }
    for tries in tries.values() {
        let differs = tries.iter().any(|one| Some(&one.text) != tries.first().map(|first| &first.text));
        ensure(!differs, || "one idempotency key came with two different batches".to_owned())?;
    }
    Ok(tries.values().map(|tries| tries.len() - 1).sum())
}

/// No try comes too early after one that was answered by nothing, 429 or 503.
fn not_early(arrived: &[Arrived], wait: Duration) -> Result<(), Fault> {
    for pair in arrived.windows(2) {
        let [first, second] = pair else { continue };
        let Some(answered) = first.answered.filter(|_| !matches!(first.given, Given::Taken)) else {
            continue;
        };
        let waited = second.at.saturating_duration_since(answered.min(first.at));
        ensure(waited + SLACK >= wait, || {
            format!(
                "the next try came {} ms after one that failed, {} ms is the least",
                waited.as_millis(),
                wait.as_millis()
            )
        })?;
    }
    Ok(())
}

pub(super) fn unsaid(context: &Context<'_>) -> Result<(), Fault> {
    context.side_by_side([Behaviour::NoAnswer, Behaviour::CutAnswer], |behaviour| {
        let is_certain = behaviour == Behaviour::NoAnswer;
        let ingest = Ingest::start(behaviour)?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        client.list_page(None)?;
        echo(&client, 0..35)?;
        context.until(&ingest, "a batch", |seen| seen.answered() > 0)?;
        if is_certain {
            let tried = |seen: &Seen<'_>| same_batch(seen.0).is_ok_and(|again| again > 0);
            context.until(&ingest, "the batch to be tried again", tried)?;
        }
        ingest.behave(Behaviour::Normal);
        echo(&client, 35..40)?;
        context.until(&ingest, "40 calls", |seen| stored(seen, 40).len() >= 40)?;
        context.end(&harness)?;
        same_batch(&ingest.arrived())?;
        if is_certain {
            not_early(&ingest.arrived(), BETWEEN_TRIES)?;
        }
        everything_once(&ingest, 40)
    })
}

pub(super) fn given_up(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = Ingest::start(Behaviour::Hold)?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    echo(&client, 0..40)?;
    let is_given_up = |arrived: &Arrived| arrived.given == Given::Abandoned;
    context.until(&ingest, "the request to be given up", |seen| seen.0.iter().any(is_given_up))?;
    ingest.behave(Behaviour::Normal);
    context.until(&ingest, "40 calls", |seen| stored(seen, 40).len() >= 40)?;
    context.end(&harness)?;
    for arrived in ingest.arrived().iter().filter(|arrived| is_given_up(arrived)) {
        let waited =
            arrived.answered.map_or(Duration::ZERO, |then| then.saturating_duration_since(arrived.at));
        // A producer that counts from the first byte it sent has waited a little longer than can be seen here.
        ensure(waited + Duration::from_secs(2) >= REQUEST, || {
            format!(
                "a request was given up after {} ms, it may take {}",
                waited.as_millis(),
                REQUEST.as_millis()
            )
        })?;
    }
    let again = same_batch(&ingest.arrived())?;
    ensure(again > 0, || "a batch that nobody answered was not tried again".to_owned())?;
    everything_once(&ingest, 40)
}

/// A status, its `Retry-After` once it is sent, and the least wait.
type Later = (u16, Option<fn() -> String>, Duration);

pub(super) fn later(context: &Context<'_>) -> Result<(), Fault> {
    let cases: [Later; 4] = [
        (429, Some(|| "8".to_owned()), Duration::from_secs(8)),
        (503, None, BETWEEN_TRIES),
        (429, Some(|| "what?".to_owned()), BETWEEN_TRIES),
        (503, Some(|| httpdate::fmt_http_date(SystemTime::now() + DATE)), BETWEEN_TRIES),
    ];
    context.side_by_side(cases, |(status, retry_after, least)| {
        let begun = Instant::now();
        let retry_after = retry_after.map(|text| text());
        let is_date = retry_after.as_ref().is_some_and(|text| text.ends_with("GMT"));
        let ingest = Ingest::start(Behaviour::Status(status, retry_after))?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        client.list_page(None)?;
        echo(&client, 0..35)?;
        context.until(&ingest, "a batch", |seen| seen.answered() > 0)?;
        ingest.behave(Behaviour::Normal);
        echo(&client, 35..70)?;
        context.until(&ingest, "70 calls", |seen| stored(seen, 70).len() >= 70)?;
        context.end(&harness)?;
        let arrived = ingest.arrived();
        let again = same_batch(&arrived)?;
        ensure(again > 0, || format!("a batch answered by {status} was not tried again"))?;
        not_early(&arrived, least)?;
        if let Some(second) = arrived.get(1).filter(|_| is_date) {
            // Dates have whole seconds, so one of them may be lost.
            let earliest = DATE - Duration::from_secs(1);
            ensure(second.at.saturating_duration_since(begun) + SLACK >= earliest, || {
                "the next try came before the date in `Retry-After`".to_owned()
            })?;
        }
        everything_once(&ingest, 70)
    })
}

pub(super) fn ring(context: &Context<'_>) -> Result<(), Fault> {
    const CALLS: usize = 1_300;
    let ingest = Ingest::dead()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    echo(&client, 0..CALLS)?;
    ingest.come_back()?;
    let newest = |seen: &Seen<'_>| stored(seen, CALLS).contains(&(CALLS - 1)) && !seen.startups().is_empty();
    context.until(&ingest, "the newest call and the startup", newest)?;
    context.end(&harness)?;
    let numbers = stored(&Seen(&ingest.arrived()), CALLS);
    ensure(numbers.len() <= RING, || format!("{} payloads came out of a ring of {RING}", numbers.len()))?;
    // A batch on its way leaves the ring as a whole.
    ensure(numbers.len() >= RING / 2, || {
        format!("only {} payloads came out of a ring of {RING}", numbers.len())
    })?;
    let oldest = numbers.iter().min().copied().unwrap_or_default();
    same("kept: an unbroken run of the newest", CALLS - oldest, numbers.len())?;
    same("startups", ingest.startups().len(), 1)?;
    for arrived in ingest.arrived() {
        ensure(arrived.payloads.len() <= 500, || format!("a batch of {} payloads", arrived.payloads.len()))?;
        if let Some(fault) = arrived.faults.first() {
            return fail(fault.clone());
        }
    }
    Ok(())
}

pub(super) fn thirty(context: &Context<'_>) -> Result<(), Fault> {
    // A busy machine may need more than 5 s for 30 calls.
    let mut at_once = false;
    for _ in 0..3 {
        let ingest = context.ingest()?;
        let harness = context.watched(&ingest, &[])?;
        let client = harness.connect(context.link, CLIENT)?;
        client.list_page(None)?;
        echo(&client, 0..1)?;
        context.until(&ingest, "one call, after a while", |seen| stored(seen, 1).len() == 1)?;
        let begin = Instant::now();
        echo(&client, 1..29)?;
        let before = ingest.arrived().len();
        echo(&client, 29..41)?;
        context.until(&ingest, "40 calls more", |seen| stored(seen, 41).len() >= 31)?;
        // At the thirtieth payload, long before the rest is old enough.
        at_once |= begin.elapsed() < Duration::from_secs(4);
        let batch = ingest.arrived().get(before).map_or(0, |arrived| {
            arrived.payloads.iter().filter(|payload| matches!(payload, Payload::Call(_))).count()
        });
        ensure(batch >= 25, || {
            format!("a batch of {batch} payloads went out before 30 were there or 5 s over")
        })?;
        context.until(&ingest, "the rest, after a while", |seen| stored(seen, 41).len() >= 41)?;
        context.end(&harness)?;
        everything_once(&ingest, 41)?;
        if at_once {
            return Ok(());
        }
    }
    fail("30 payloads waited for the 5 s to pass")
}

pub(super) fn redirect(context: &Context<'_>) -> Result<(), Fault> {
    let elsewhere = context.ingest()?;
    let ingest = Ingest::start(Behaviour::Redirect(elsewhere.url()))?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.list_page(None)?;
    echo(&client, 0..60)?;
    context.until(&ingest, "a batch", |seen| !seen.0.is_empty())?;
    context.end(&harness)?;
    ensure(elsewhere.arrived().is_empty(), || "the key was sent to where a redirect pointed".to_owned())
}
