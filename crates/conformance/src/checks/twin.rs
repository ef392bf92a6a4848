//! The watched program beside its unwatched twin.

use crate::expect::pair;
use crate::kit::Context;
use crate::mcp::Answer;
use crate::tour::{Tour, Visit};
use crate::verdict::{Fault, ensure, fail, same};

/// Fails with the place where two answers differ, never with what they hold.
pub(super) fn compare(what: &str, watched: &Answer, twin: &Answer) -> Result<(), Fault> {
    if watched.message != twin.message {
        let same = watched.message.iter().zip(&twin.message).take_while(|(one, other)| one == other).count();
        let lengths = (watched.message.len(), twin.message.len());
        return fail(format!("{what}: differs from byte {same} on; bytes watched, unwatched: {lengths:?}"));
    }
    same(&format!("{what}: status and type"), &watched.how, &twin.how)
}

fn compare_calls(tour: &Tour) -> Result<(), Fault> {
    same("answers", tour.watched.calls.len(), tour.twin()?.calls.len())?;
    for (at, (watched, twin)) in (1..).zip(tour.watched.calls.iter().zip(&tour.twin()?.calls)) {
        compare(&format!("call {at} (`{}`)", watched.tool), &watched.answer, &twin.answer)?;
    }
    Ok(())
}

fn compare_lists(tour: &Tour) -> Result<(), Fault> {
    for (at, (watched, twin)) in (1..).zip(tour.watched.lists.iter().zip(&tour.twin()?.lists)) {
        compare(&format!("tools/list {at}"), watched, twin)?;
    }
    Ok(())
}

pub(super) fn answers(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    compare_calls(&tour)?;
    same("the end of the program", &tour.watched.ended, &tour.twin()?.ended)
}

pub(super) fn lists(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    ensure(tour.twin()?.lists.iter().all(|list| list.result().is_some()), || {
        "the twin lists no tools".to_owned()
    })?;
    compare_lists(&tour)
}

pub(super) fn low_level(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &["--api", "low"])?;
    compare_calls(&tour)?;
    compare_lists(&tour)
}

pub(super) fn stateless(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &["--http", "stateless"])?;
    compare_calls(&tour)?;
    compare_lists(&tour)?;
    // Nothing may be recorded twice because there are many objects.
    pair(&tour.watched.calls, &tour.recorded).map(drop)
}

pub(super) fn notifications(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let methods = |visit: &Visit| -> Vec<String> {
        visit.stdout.iter().filter_map(|line| crate::mcp::method(line)).collect()
    };
    let twin = methods(tour.twin()?);
    ensure(twin.iter().any(|method| method == "notifications/tools/list_changed"), || {
        "the twin does not say that its list has changed".to_owned()
    })?;
    same("notifications", methods(&tour.watched), twin)
}

pub(super) fn pure_output(context: &Context<'_>) -> Result<(), Fault> {
    for flags in [&[][..], &["--debug"]] {
        let tour = context.kit.tour(context.link, flags)?;
        let count = |visit: &Visit| visit.stdout.len();
        // A program that serves HTTP prints its URL and nothing else.
        let foreign = |line: &&Vec<u8>| serde_json::from_slice::<serde_json::Value>(line).is_err();
        if let Some(line) = tour.watched.stdout.iter().find(foreign) {
            return fail(format!("a line of {} bytes on standard output is not JSON", line.len()));
        }
        same("lines on standard output", count(&tour.watched), count(tour.twin()?))?;
    }
    Ok(())
}
