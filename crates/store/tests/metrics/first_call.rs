//! Steps, repeats, runs and links, seen on tapes and in first-call figures.

use mcpulse_store::control::ToolMode;
use mcpulse_store::events::NewCall;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{FirstCall, LinkKind, Scope, TapeCall, TapePage};
use mcpulse_store::testing::{TempEvents, call};
use mcpulse_wire::payload::Outcome;

use crate::help::{NOON, Tweak, calls, days, store_of};

const FOLLOW: Option<LinkKind> = Some(LinkKind::FollowUp);
const RETRY: Option<LinkKind> = Some(LinkKind::Retry);

fn at(seconds: i64) -> NewCall {
    call("s", "get", NOON + seconds * 1_000)
}

/// From second to second.
fn during(from: i64, to: i64) -> NewCall {
    at(from).lasting(u32::try_from((to - from) * 1_000).unwrap())
}

async fn tape(events: &TempEvents) -> Vec<TapeCall> {
    let page = TapePage { after: None, limit: 1_000 };
    events.store.session(events.server, "s", &days("2026-03-01", "2026-03-01"), &page).await.unwrap().calls
}

async fn first_call(events: &TempEvents, scope: &Scope) -> FirstCall {
    events.store.overview(events.server, scope).await.unwrap().figures.first_call
}

#[tokio::test]
async fn the_example_of_the_rules() {
    let events = store_of(
        NOON,
        calls(vec![
            during(0, 2).hash(1),
            during(1, 3).hash(2),
            during(4, 5).hash(2),
            during(9, 10).hash(2),
            during(35, 36).hash(3),
            during(80, 81).hash(3),
        ]),
    )
    .await;
    let places: Vec<_> = tape(&events)
        .await
        .iter()
        .map(|call| (call.step, call.repeat, call.run, call.run_steps, call.link_behind))
        .collect();
    assert_eq!(
        places,
        [
            (1, 0, 1, 3, FOLLOW),
            (1, 0, 1, 3, FOLLOW),
            (2, 0, 1, 3, FOLLOW),
            (2, 1, 1, 3, FOLLOW),
            (3, 0, 1, 3, None),
            (4, 0, 2, 1, None),
        ]
    );
}

#[tokio::test]
async fn a_retry_follows_what_was_not_good_and_a_follow_up_what_was() {
    let events = store_of(
        NOON,
        calls(vec![
            during(0, 1).hash(1).outcome(Outcome::ToolError),
            during(2, 3).hash(2).empty(),
            during(4, 5).hash(3),
            during(6, 7).hash(4),
        ]),
    )
    .await;
    let links: Vec<_> = tape(&events)
        .await
        .iter()
        .map(|call| (call.link, call.link_behind, call.reworded_probability))
        .collect();
    assert_eq!(
        links,
        [(None, RETRY, None), (RETRY, RETRY, None), (RETRY, FOLLOW, Some(1.0)), (FOLLOW, None, Some(0.0))]
    );
}

#[tokio::test]
async fn the_last_repeat_says_whether_a_step_is_good() {
    let events = store_of(
        NOON,
        calls(vec![
            during(0, 1).hash(1),
            during(2, 3).hash(1).outcome(Outcome::Crashed),
            during(4, 5).hash(2),
        ]),
    )
    .await;
    let tape = tape(&events).await;
    assert_eq!((tape[0].link_behind, tape[1].link_behind, tape[2].link), (RETRY, RETRY, RETRY));
    // A good call of a step that ended badly is counted as retried.
    let success = first_call(&events, &days("2026-03-01", "2026-03-01")).await;
    assert_eq!((success.retried_calls, success.strict_calls, success.failed_calls), (1, 1, 1));
    assert_eq!(success.first_call_success, Some(1.0 / 3.0));
}

#[tokio::test]
async fn thirty_seconds_are_a_run_and_a_millisecond_more_is_none() {
    let events =
        store_of(NOON, calls(vec![during(0, 1).hash(1), during(31, 32).hash(2), during(62, 63).hash(3)]))
            .await;
    assert_eq!(tape(&events).await.iter().map(|call| call.run).collect::<Vec<_>>(), [1, 1, 1]);
    let mut late = during(31, 32).hash(2);
    late.started_ms += 1;
    let events = store_of(NOON, calls(vec![during(0, 1).hash(1), late])).await;
    assert_eq!(tape(&events).await.iter().map(|call| call.run).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn calls_without_a_hash_link_nothing() {
    let events = store_of(
        NOON,
        calls(vec![
            during(0, 1).hash(1),
            during(2, 3).hash(0),
            during(4, 5).hash(0),
            during(6, 7).hash(2),
            during(8, 9).hash(3),
        ]),
    )
    .await;
    let tape = tape(&events).await;
    assert_eq!(tape.iter().map(|call| call.step).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(
        tape.iter().map(|call| call.link_behind).collect::<Vec<_>>(),
        [None, None, None, FOLLOW, None]
    );
    assert!(tape.iter().all(|call| call.run == 1 && call.run_steps == 5));
}

#[tokio::test]
async fn calls_of_no_duration_belong_to_what_was_running() {
    let events = store_of(
        NOON,
        calls(vec![during(0, 4).hash(1), during(2, 2).hash(2), during(4, 4).hash(3), during(4, 4).hash(4)]),
    )
    .await;
    assert_eq!(tape(&events).await.iter().map(|call| call.step).collect::<Vec<_>>(), [1, 1, 2, 2]);
}

#[tokio::test]
async fn an_owner_may_say_how_a_tool_is_called() {
    let list = (0..5).map(|at| during(at * 2, at * 2 + 1).hash(at.unsigned_abs() + 1)).collect();
    let events = store_of(NOON, calls(list)).await;
    let scope = days("2026-03-01", "2026-03-01");
    let with = |mode| Scope { modes: [("get".to_owned(), mode)].into(), ..scope.clone() };
    let open = first_call(&events, &scope).await;
    assert_eq!((open.strict, open.lenient), (Some(0.2), Some(1.0)));
    assert!(open.first_call_success > Some(0.2) && open.first_call_success < Some(1.0));
    let series = first_call(&events, &with(ToolMode::InSeries)).await;
    assert_eq!((series.first_call_success, series.interval.unwrap().low), (series.lenient, 1.0));
    let one = first_call(&events, &with(ToolMode::OneAnswer)).await;
    assert_eq!((one.first_call_success, one.interval.unwrap().high), (one.strict, 0.2));
}

#[tokio::test]
async fn sixty_calls_in_a_minute_are_a_conversation_and_sixty_one_are_several() {
    let minute = |count: i64| -> Vec<NewCall> {
        (0..count)
            .map(|n| call("s", "get", NOON + n * 60_000 / count).lasting(0).hash(n.unsigned_abs() + 1))
            .collect()
    };
    let scope = days("2026-03-01", "2026-03-01");
    let events = store_of(NOON, calls(minute(60))).await;
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!((overview.confidence.crowded_calls, overview.figures.first_call.sequence_calls), (0, 60));
    let events = store_of(NOON, calls(minute(61))).await;
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!(
        (overview.confidence.crowded_share, overview.figures.first_call.sequence_calls),
        (Some(1.0), 0)
    );
    let success = overview.figures.first_call;
    assert_eq!((success.strict, success.first_call_success, success.lenient), (None, None, Some(1.0)));
    assert_eq!(overview.session_cost.response_usd, None);
    assert!(tape(&events).await.iter().all(|call| call.crowded && call.link_behind.is_none()));
    // Another client of the same session is not crowded by it.
    let mut both = minute(61);
    both.push(call("s", "get", NOON).client("calm"));
    let events = store_of(NOON, calls(both)).await;
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!((overview.confidence.crowded_calls, overview.figures.first_call.sequence_calls), (61, 1));
}

#[tokio::test]
async fn six_hundred_calls_in_an_hour_are_still_one_conversation() {
    let hour =
        |count: i64| -> Vec<NewCall> { (0..count).map(|n| call("s", "get", NOON + n * 6_000 - n)).collect() };
    let scope = days("2026-03-01", "2026-03-01");
    for (count, crowded) in [(600, 0), (601, 601)] {
        let events = store_of(NOON, calls(hour(count))).await;
        let overview = events.store.overview(events.server, &scope).await.unwrap();
        assert_eq!(overview.confidence.crowded_calls, crowded, "{count}");
    }
}
