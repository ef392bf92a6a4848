//! The first page of a server with six calls.

use mcpulse_store::events::{NewCall, NewPayload};
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{Interval, Outcomes};
use mcpulse_store::testing::{TempEvents, call, startup};
use mcpulse_wire::payload::Outcome;

use crate::help::{DAY, HOUR, NOON, Tweak, calls, days, store_of};

fn six_calls() -> Vec<NewCall> {
    vec![
        call("s1", "get", NOON).hash(1).lasting(1_000).units(400),
        call("s1", "get", NOON + 2_000).hash(2).lasting(500).units(40).outcome(Outcome::BadArgs),
        call("s1", "get", NOON + 5_000).hash(3).lasting(700).units(800),
        call("s1", "list", NOON + 60_000).lasting(3_000).units(4_000),
        call("s2", "get", NOON + HOUR).lasting(10).units(2).empty().client("vscode"),
        call("s3", "get", NOON - DAY).outcome(Outcome::Crashed).client("unknown"),
    ]
}

async fn store() -> TempEvents {
    let mut payloads = calls(six_calls());
    payloads.push(NewPayload::Startup(startup("s1", &["get", "list"])));
    store_of(NOON, payloads).await
}

#[tokio::test]
async fn headline() {
    let events = store().await;
    let overview = events.store.overview(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    let figures = overview.figures;
    let outcomes = Outcomes { ok: 3, empty: 1, bad_args: 1, tool_error: 0, crashed: 0 };
    assert_eq!((figures.calls, figures.outcomes, figures.settled_outcomes), (5, outcomes, outcomes));
    assert_eq!((figures.error_rate, figures.empty_rate), (Some(0.2), Some(0.2)));

    // The first call has a follow-up behind it in a run that holds a failed step: it was reworded.
    let success = figures.first_call;
    assert_eq!(
        (success.strict, success.first_call_success, success.lenient),
        (Some(0.4), Some(0.4), Some(0.6))
    );
    assert_eq!((success.strict_calls, success.followed_calls, success.retried_calls), (2, 1, 0));
    assert_eq!((success.failed_calls, success.empty_calls, success.sequence_calls), (1, 1, 5));
    assert_eq!((success.estimated_calls, success.expected_reworded), (5, 1.0));
    assert_eq!(success.interval, Some(Interval { low: 0.4, high: 0.6 }));

    // 10, 500, 700, 1 000 and 3 000 ms.
    let latency = figures.latency;
    assert_eq!((latency.p50_ms, latency.p90_ms, latency.p99_ms), (Some(700), Some(3_000), Some(3_000)));
    let response = figures.response;
    assert_eq!(
        (response.units, response.mean_units, response.max_units),
        (5_242, Some(1_048.4), Some(4_000))
    );
    assert_eq!((response.tokens, response.cost_usd), (1_310.5, 1_310.5 * 3.0 / 1e6));
    assert_eq!(figures.sessions, 2);

    assert_eq!((overview.before.calls, overview.before.error_rate), (1, Some(1.0)));
    assert_eq!(overview.before.first_call.first_call_success, Some(0.0));
}

#[tokio::test]
async fn what_a_session_costs() {
    let events = store().await;
    let scope = days("2026-03-01", "2026-03-01");
    let cost = events.store.overview(events.server, &scope).await.unwrap().session_cost;
    assert_eq!(cost.response_usd, Some(1_310.5 * 3.0 / 1e6 / 2.0));
    // Only s1 said which tools it has: two of 400 units.
    assert_eq!(cost.schema_usd, Some(200.0 * 3.0 / 1e6));
    assert_eq!(cost.total_usd, Some(cost.response_usd.unwrap() + cost.schema_usd.unwrap()));
    // Asked about one tool, a session pays for that one's entry.
    let cost = |tools: &[&str], clients: &[&str]| {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let scope = mcpulse_store::metrics::types::Scope {
            tools: names(tools),
            clients: names(clients),
            ..scope.clone()
        };
        let (store, server) = (events.store.clone(), events.server);
        async move { store.overview(server, &scope).await.unwrap().session_cost }
    };
    assert_eq!(cost(&["list"], &[]).await.schema_usd, Some(100.0 * 3.0 / 1e6));
    let alone = cost(&[], &["vscode"]).await;
    assert_eq!((alone.response_usd, alone.schema_usd, alone.total_usd), (Some(0.5 * 3.0 / 1e6), None, None));
}

#[tokio::test]
async fn points_clients_and_confidence() {
    let events = store().await;
    let scope = days("2026-03-01", "2026-03-01");
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!(overview.series.len(), 24);
    let (noon, one) = (overview.series[12], overview.series[13]);
    assert_eq!((noon.start_ms, noon.calls, noon.sessions_started, noon.strict), (NOON, 4, 1, Some(0.5)));
    assert_eq!((one.calls, one.sessions_started, one.outcomes.empty, one.p95_ms), (1, 1, 1, Some(10)));
    assert_eq!(overview.series[11].error_rate, None);

    let clients: Vec<_> =
        overview.clients.iter().map(|row| (row.client.as_str(), row.figures.calls)).collect();
    assert_eq!(clients, [("cursor", 4), ("vscode", 1)]);
    assert_eq!((overview.clients[0].first_call_ms, overview.clients[0].last_call_ms), (NOON, NOON + 60_000));

    let confidence = overview.confidence;
    assert_eq!(
        (confidence.calls, confidence.known_client_share, confidence.crowded_share),
        (5, Some(1.0), Some(0.0))
    );
    assert_eq!((confidence.accepted_payloads, confidence.rejected_payloads), (7, 0));
    assert_eq!((confidence.sessions, confidence.sessions_without_startup), (2, 1));
    assert_eq!(confidence.newest_payload_age_ms, Some(400 * DAY));
    let two_days = events.store.overview(events.server, &days("2026-02-28", "2026-03-01")).await.unwrap();
    assert_eq!(two_days.confidence.known_client_calls, 5);
    assert_eq!(two_days.clients.len(), 3);
}

#[tokio::test]
async fn only_what_is_settled_makes_rates() {
    let events = store().await;
    // 40 s after the third call ended; the fourth and later ones are not settled yet.
    let scope = mcpulse_store::metrics::types::Scope {
        now_ms: NOON + 5_700 + 40_000,
        ..days("2026-03-01", "2026-03-01")
    };
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!(overview.settled_as_of_ms, NOON + 5_700);
    assert_eq!((overview.figures.calls, overview.figures.settled_outcomes.total()), (5, 3));
    assert_eq!(
        (overview.figures.error_rate, overview.figures.first_call.strict),
        (Some(1.0 / 3.0), Some(1.0 / 3.0))
    );
    assert_eq!(overview.figures.response.units, 5_242);
    let earlier = mcpulse_store::metrics::types::Scope { now_ms: scope.now_ms - 1, ..scope };
    let overview = events.store.overview(events.server, &earlier).await.unwrap();
    assert_eq!(overview.figures.settled_outcomes.total(), 2);
}

#[tokio::test]
async fn a_call_that_arrives_late_is_settled_late_and_revises() {
    let events =
        store_of(NOON, calls(vec![call("s", "get", NOON).hash(1), call("s", "get", NOON + 60_000).hash(2)]))
            .await;
    let scope = days("2026-03-01", "2026-03-01");
    let strict = |overview: mcpulse_store::metrics::types::Overview| overview.figures.first_call.strict;
    assert_eq!(strict(events.store.overview(events.server, &scope).await.unwrap()), Some(1.0));
    // A day later a third one turns up that lies between them.
    let late = vec![NewPayload::Call(call("s", "get", NOON + 31_000 - 1_000).hash(3))];
    events.append(NOON + DAY, late).await.unwrap();
    assert_eq!(strict(events.store.overview(events.server, &scope).await.unwrap()), Some(1.0 / 3.0));
    let before = mcpulse_store::metrics::types::Scope { now_ms: NOON + DAY + 39_999, ..scope };
    let overview = events.store.overview(events.server, &before).await.unwrap();
    assert_eq!((overview.figures.calls, overview.figures.settled_outcomes.total()), (3, 2));
}
