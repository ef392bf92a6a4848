//! Pairs, producers, agreements, overlaps, ingest health, and pages.

use mcpulse_store::events::EventStore;
use mcpulse_store::events::{NewPayload, Rejected};
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{CallPage, Scope, SessionPage, TapeCursor, TapePage};
use mcpulse_store::testing::{agreement, batch, call, startup};
use mcpulse_wire::payload::{DeclaredAgreement, Transport};

use crate::help::{DAY, HOUR, NOON, Tweak, calls, days, described, piece, store_of};

#[tokio::test]
async fn the_next_call_of_another_tool_makes_a_pair() {
    let events = store_of(
        NOON,
        calls(vec![
            call("s", "a", NOON),
            call("s", "a", NOON + 1_000),
            call("s", "b", NOON + 2_000),
            // The same start: the earlier arrival comes first.
            call("s", "c", NOON + 2_000),
            call("t", "a", NOON + 500),
            call("t", "b", NOON + 600).client("vscode"),
        ]),
    )
    .await;
    let report = events.store.pairs(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let pairs: Vec<_> = report
        .pairs
        .iter()
        .map(|pair| (pair.from.as_str(), pair.to.as_str(), pair.count, pair.from_calls))
        .collect();
    assert_eq!(pairs, [("a", "b", 1, 3), ("b", "c", 1, 2)]);
    // A pair is wanted by either of its tools.
    let scope = Scope { tools: vec!["c".to_owned()], ..days("2026-03-01", "2026-03-01") };
    let report = events.store.pairs(events.server, &scope).await.unwrap();
    assert_eq!((report.pairs.len(), report.pairs[0].share, report.truncated), (1, Some(0.5), false));
}

#[tokio::test]
async fn calls_belong_to_the_startup_before_them() {
    let mut rust = startup("s", &["a"]);
    rust.transport = Some(Transport::Stdio);
    let mut newer = startup("s", &["a", "b"]);
    newer.sdk = Some("mcpulse-rust/0.2.0".to_owned());
    let events = store_of(
        NOON,
        vec![
            // Before its session's first startup a call is taken to be of that one.
            NewPayload::Call(call("s", "a", NOON)),
            NewPayload::Startup(rust),
            NewPayload::Call(call("s", "a", NOON + HOUR)),
            NewPayload::Startup(newer),
            NewPayload::Call(call("s", "a", NOON - HOUR).client("unknown")),
            NewPayload::Call(call("t", "a", NOON)),
        ],
    )
    .await;
    let report = events.store.producers(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let rows: Vec<_> = report
        .producers
        .iter()
        .map(|row| {
            (
                row.sdk.as_deref(),
                row.transport.as_deref(),
                row.figures.calls,
                row.confidence.known_client_share,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Some("mcpulse-rust/0.1.0"), Some("stdio"), 2, Some(1.0)),
            (Some("mcpulse-rust/0.2.0"), None, 1, Some(0.0)),
            (None, None, 1, Some(1.0)),
        ]
    );
}

#[tokio::test]
async fn agreements_are_counted_and_declared_ones_are_listed() {
    let mut declaring = startup("s", &["a", "b", "c"]);
    declaring.agreements = Some(vec![DeclaredAgreement {
        field: "total".to_owned(),
        tools: ["c", "a", "b"].map(str::to_owned).to_vec(),
    }]);
    let events = store_of(
        NOON,
        vec![
            NewPayload::Startup(declaring),
            NewPayload::Agreement(agreement("s", "total", ["a", "b"], true, NOON)),
            NewPayload::Agreement(agreement("s", "total", ["a", "b"], false, NOON + 1)),
            NewPayload::Agreement(agreement("s", "total", ["a", "b"], true, NOON + 2)),
            NewPayload::Agreement(agreement("s", "total", ["a", "c"], true, NOON - 10 * DAY)),
        ],
    )
    .await;
    let report = events.store.agreements(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let rows: Vec<_> = report
        .agreements
        .iter()
        .map(|row| {
            (row.tool_a.as_str(), row.tool_b.as_str(), row.checked, row.agreed, row.last_disagreement_ms)
        })
        .collect();
    assert_eq!(rows, [("a", "b", 3, 2, Some(NOON + 1)), ("a", "c", 0, 0, None), ("b", "c", 0, 0, None)]);
    assert_eq!(
        (report.agreements[0].agreed_share, report.agreements[1].agreed_share),
        (Some(2.0 / 3.0), None)
    );
}

#[tokio::test]
async fn tools_described_alike_overlap() {
    let events = store_of(
        NOON,
        vec![
            NewPayload::Startup(described("s", &[("find", 1, 7), ("search", 2, 7), ("get", 3, 8)])),
            NewPayload::Startup(described("t", &[("find", 1, 7), ("lookup", 4, 7), ("get", 3, 9)])),
            NewPayload::Startup(described("u", &[("find", 1, 7)])),
        ],
    )
    .await;
    let report = events.store.overlaps(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!(report.overlaps.len(), 1);
    assert_eq!(
        (report.overlaps[0].tools.join(" "), report.overlaps[0].surfaces),
        ("find lookup search".to_owned(), 2)
    );
}

#[tokio::test]
async fn what_arrived_and_what_was_rejected_by_day() {
    let events = store_of(NOON, calls(vec![call("s", "a", NOON), call("s", "a", NOON)])).await;
    events.append(NOON + DAY, vec![NewPayload::Startup(startup("s", &["a"]))]).await.unwrap();
    let rejected = |rule: &str| Rejected { index: 0, path: "/args_hash".to_owned(), rule: rule.to_owned() };
    let mut bad = batch(events.key, NOON, Vec::new());
    bad.rejected = vec![rejected("pattern"), rejected("pattern"), rejected("required")];
    events.store.append(events.server, bad).await.unwrap();
    let health = events.store.ingest_health(events.server, &days("2026-03-01", "2026-03-02")).await.unwrap();
    assert_eq!((health.accepted, health.rejected, health.rejected_share), (3, 3, Some(0.5)));
    let days_seen: Vec<_> =
        health.accepted_days.iter().map(|row| (row.day.as_str(), row.calls, row.startups)).collect();
    assert_eq!(days_seen, [("2026-03-02", 0, 1), ("2026-03-01", 2, 0)]);
    let rules: Vec<_> = health.rejections.iter().map(|row| (row.rule.as_str(), row.count)).collect();
    assert_eq!(rules, [("pattern", 2), ("required", 1)]);
    assert_eq!(health.newest_payload_ms, Some(NOON + DAY));
    assert_eq!(health.rejections[0].key_id, events.key.to_string());
    // A range of an hour touches its whole day.
    let hour =
        events.store.ingest_health(events.server, &piece(NOON - 5 * HOUR, NOON - 4 * HOUR)).await.unwrap();
    assert_eq!((hour.accepted, hour.rejected), (2, 3));
}

#[tokio::test]
async fn pages_fit_together_without_gap_or_repeat() {
    let all: Vec<_> = (0..25).map(|at| call("s", "a", NOON + (at % 3) * 1_000)).collect();
    let events = store_of(NOON, calls(all)).await;
    let (store, server, scope) = (&events.store, events.server, days("2026-03-01", "2026-03-01"));

    let (mut newest_first, mut from) = (Vec::new(), None);
    loop {
        let page = store.calls(server, &scope, &CallPage::Before { seq: from, limit: 7 }).await.unwrap();
        newest_first.extend(page.calls.iter().map(|call| call.seq));
        from = page.next;
        if from.is_none() {
            break;
        }
    }
    assert_eq!(newest_first, (1..=25).rev().collect::<Vec<u64>>());
    let tail = store.calls(server, &scope, &CallPage::After { seq: 23, limit: 7 }).await.unwrap();
    assert_eq!((tail.calls.iter().map(|call| call.seq).collect::<Vec<_>>(), tail.next), (vec![24, 25], None));

    let (mut tape, mut after) = (Vec::new(), None);
    loop {
        let page = store.session(server, "s", &scope, &TapePage { after, limit: 4 }).await.unwrap();
        assert_eq!(page.total_calls, 25);
        tape.extend(page.calls.iter().map(|call| (call.call.started_ms, call.call.seq)));
        let Some(next) = page.next else { break };
        after = Some(next.parse::<TapeCursor>().unwrap());
    }
    assert_eq!(tape.len(), 25);
    assert!(tape.is_sorted());
}

#[tokio::test]
async fn a_session_is_dated_by_its_first_call_of_all() {
    let events = store_of(
        NOON,
        calls(vec![
            call("old", "a", NOON - DAY),
            call("old", "b", NOON).client("vscode"),
            call("new", "b", NOON - HOUR),
            call("new", "a", NOON + HOUR),
        ]),
    )
    .await;
    let scope = Scope { tools: vec!["b".to_owned()], ..days("2026-03-01", "2026-03-01") };
    let page =
        events.store.sessions(events.server, &scope, &SessionPage { after: None, limit: 10 }).await.unwrap();
    let rows: Vec<_> = page
        .sessions
        .iter()
        .map(|row| (row.session_id.as_str(), row.first_call_ms, row.calls, row.clients.join(",")))
        .collect();
    assert_eq!(
        rows,
        [("new", NOON - HOUR, 1, "cursor".to_owned()), ("old", NOON - DAY, 1, "vscode".to_owned())]
    );
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!(overview.figures.sessions, 2);
    assert_eq!(overview.series.iter().map(|point| point.sessions_started).sum::<u64>(), 1);
}
