//! What appeared, compared with what was most like it, and whether it helped.

use mcpulse_store::events::NewPayload;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{ChangeKind, Renamed, Scope, Verdict};
use mcpulse_store::testing::{TempEvents, call};
use mcpulse_wire::payload::Outcome;

use crate::help::{DAY, NOON, Tweak, days, described, store_of};

async fn send(events: &TempEvents, at: i64, payloads: Vec<NewPayload>) {
    events.append(at, payloads).await.unwrap();
}

/// Calls of a session, a minute apart, of which so many go wrong.
fn series(session: &str, tool: &str, calls: i64, wrong: i64) -> Vec<NewPayload> {
    (0..calls)
        .map(|at| {
            let made = call(session, tool, NOON + at * 60_000).hash(at.unsigned_abs() + 1);
            NewPayload::Call(if at < wrong { made.outcome(Outcome::ToolError) } else { made })
        })
        .collect()
}

#[tokio::test]
async fn a_new_surface_is_compared_with_the_most_similar_one() {
    let events =
        store_of(NOON - DAY, vec![NewPayload::Startup(described("s1", &[("get", 1, 1), ("list", 2, 2)]))])
            .await;
    // Another user's list, quite different, and seen later.
    send(
        &events,
        NOON - DAY,
        vec![NewPayload::Startup(described("s2", &[("admin", 9, 9), ("audit", 8, 8)]))],
    )
    .await;
    let changed = described("s3", &[("fetch", 1, 1), ("list", 3, 2), ("new", 5, 5)]);
    send(&events, NOON, vec![NewPayload::Startup(changed)]).await;
    let report = events.store.changes(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!(report.changes.len(), 1);
    let change = &report.changes[0];
    assert_eq!(
        (change.kind, change.previous_surface_id, change.surface_id),
        (ChangeKind::Surface, Some(1), 3)
    );
    assert_eq!(change.renamed, [Renamed { from: "get".to_owned(), to: "fetch".to_owned() }]);
    assert_eq!((change.added.join(" "), change.removed.len()), ("new".to_owned(), 0));
    assert_eq!((change.schema_changed.join(" "), change.wording_changed.len()), ("list".to_owned(), 0));
    assert_eq!(change.schema_units_difference, 400);
    assert_eq!(
        change.impact.iter().map(|impact| impact.tool.as_deref()).collect::<Vec<_>>(),
        [Some("fetch"), Some("list")]
    );

    let both_days = events.store.changes(events.server, &days("2026-02-28", "2026-03-01")).await.unwrap();
    let kinds: Vec<_> = both_days.changes.iter().map(|change| (change.kind, change.added.len())).collect();
    assert_eq!(kinds, [(ChangeKind::Surface, 1), (ChangeKind::Surface, 2), (ChangeKind::FirstSurface, 2)]);
    let admin = Scope { tools: vec!["admin".to_owned()], ..days("2026-02-28", "2026-03-01") };
    assert_eq!(events.store.changes(events.server, &admin).await.unwrap().changes.len(), 1);
    assert_eq!(both_days.surfaces.iter().map(|surface| surface.surface_id).collect::<Vec<_>>(), [3, 2, 1]);
}

#[tokio::test]
async fn rewording_helped_whatever_the_order_of_deployment() {
    let old = |session: &str| NewPayload::Startup(described(session, &[("get", 1, 1), ("list", 2, 2)]));
    let new = |session: &str| NewPayload::Startup(described(session, &[("get", 1, 7), ("list", 2, 2)]));
    let events = store_of(NOON, vec![old("before")]).await;
    send(&events, NOON, vec![new("after")]).await;
    // The old deployment goes on for a while, beside the new one.
    send(&events, NOON, vec![old("still before")]).await;
    send(&events, NOON, series("before", "get", 40, 20)).await;
    send(&events, NOON, series("after", "get", 100, 10)).await;
    send(&events, NOON, series("still before", "get", 60, 30)).await;
    send(&events, NOON, series("after", "list", 50, 50)).await;
    let report = events.store.changes(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let change = &report.changes[0];
    assert_eq!((change.wording_changed.join(" "), change.impact.len()), ("get".to_owned(), 1));
    let impact = &change.impact[0];
    assert_eq!((impact.before.settled_calls, impact.after.settled_calls), (100, 100));
    assert_eq!((impact.before.error_rate, impact.after.error_rate), (Some(0.5), Some(0.1)));
    assert_eq!((impact.before.first_call.strict, impact.after.first_call.strict), (Some(0.5), Some(0.9)));
    assert_eq!((impact.strict.verdict, impact.without_error.verdict), (Verdict::Better, Verdict::Better));
    // 90 of 100 less 50 of 100 with z = 2.5758: Wilson 0.7962 to 0.9540 and 0.3753 to 0.6247.
    let interval = impact.strict.interval.unwrap();
    assert!((impact.strict.difference.unwrap() - 0.4).abs() < 1e-12);
    assert!((interval.low - 0.2378).abs() < 1e-4 && (interval.high - 0.5359).abs() < 1e-4, "{interval:?}");
}

#[tokio::test]
async fn few_calls_say_nothing() {
    let events = store_of(NOON, vec![NewPayload::Startup(described("s1", &[("get", 1, 1)]))]).await;
    send(&events, NOON, vec![NewPayload::Startup(described("s2", &[("get", 1, 2)]))]).await;
    send(&events, NOON, series("s1", "get", 50, 50)).await;
    send(&events, NOON, series("s2", "get", 19, 0)).await;
    let report = events.store.changes(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!(report.changes[0].impact[0].strict.verdict, Verdict::TooFewCalls);
    assert_eq!(report.changes[0].impact[0].strict.difference, Some(1.0));
}

#[tokio::test]
async fn a_producer_version_is_compared_with_its_own_family() {
    let with = |session: &str, sdk: &str| {
        let mut startup = described(session, &[("get", 1, 1)]);
        startup.sdk = Some(sdk.to_owned());
        NewPayload::Startup(startup)
    };
    let events = store_of(NOON, vec![with("s1", "mcpulse-rust/0.1.0")]).await;
    send(&events, NOON, vec![with("s2", "mcpulse-python/0.1.0")]).await;
    send(&events, NOON, vec![with("s3", "mcpulse-rust/0.2.0")]).await;
    send(&events, NOON, series("s1", "get", 30, 0)).await;
    send(&events, NOON, series("s3", "get", 30, 30)).await;
    let report = events.store.changes(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let versions: Vec<_> = report
        .changes
        .iter()
        .filter_map(|change| Some((change.producer.clone()?.sdk?, change.previous_producer.clone()?.sdk?)))
        .collect();
    assert_eq!(
        versions,
        [
            ("mcpulse-rust/0.2.0".to_owned(), "mcpulse-rust/0.1.0".to_owned()),
            ("mcpulse-python/0.1.0".to_owned(), "mcpulse-rust/0.1.0".to_owned()),
        ]
    );
    assert_eq!(report.changes[0].impact[0].strict.verdict, Verdict::Worse);
    assert_eq!(report.changes[0].impact[0].tool, None);
}
