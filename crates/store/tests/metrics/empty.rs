//! A server that never sent anything: zeros, nulls and empty lists.

use mcpulse_store::metrics::types::{CallPage, SessionPage, TapePage};
use mcpulse_store::metrics::{Metrics, MetricsError};
use mcpulse_store::testing::TempEvents;
use serde_json::Value;

use crate::help::days;

/// Every number in an answer, besides times.
fn numbers(value: &Value, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Number(number) if !name.ends_with("_ms") => {
                        found.push((name.clone(), number.as_f64().unwrap()));
                    }
                    other => numbers(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        _ => {}
    }
}

fn all_zero(answer: impl serde::Serialize) -> Value {
    let value = serde_json::to_value(answer).unwrap();
    let mut found = Vec::new();
    numbers(&value, &mut found);
    for (name, number) in found {
        assert_eq!(number, 0.0, "{name}");
    }
    value
}

#[tokio::test]
async fn every_question_has_its_answer() {
    let events = TempEvents::open().unwrap();
    let (store, server, scope) = (&events.store, events.server, days("2026-02-28", "2026-03-01"));
    let overview = all_zero(store.overview(server, &scope).await.unwrap());
    for rate in ["error_rate", "empty_rate"] {
        assert!(overview["figures"][rate].is_null(), "{rate}");
        assert!(overview["before"][rate].is_null(), "{rate}");
    }
    for share in ["first_call_success", "interval", "strict", "lenient"] {
        assert!(overview["figures"]["first_call"][share].is_null(), "{share}");
    }
    for percentile in ["p50_ms", "p90_ms", "p95_ms", "p99_ms"] {
        assert!(overview["figures"]["latency"][percentile].is_null(), "{percentile}");
    }
    for cost in ["response_usd", "schema_usd", "total_usd"] {
        assert!(overview["session_cost"][cost].is_null(), "{cost}");
    }
    for share in [
        "known_client_share",
        "crowded_share",
        "rejected_share",
        "newest_payload_ms",
        "newest_payload_age_ms",
    ] {
        assert!(overview["confidence"][share].is_null(), "{share}");
    }
    assert_eq!(overview["series"].as_array().unwrap().len(), 48);
    assert!(overview["series"][0]["p95_ms"].is_null());

    let tools = all_zero(store.tools(server, &scope).await.unwrap());
    assert!(tools["tools"].as_array().unwrap().is_empty() && tools["surface_units"].is_null());
    assert!(store.clients(server, &scope).await.unwrap().clients.is_empty());
    assert!(store.producers(server, &scope).await.unwrap().producers.is_empty());
    assert!(store.pairs(server, &scope).await.unwrap().pairs.is_empty());
    assert!(store.insights(server, &scope).await.unwrap().insights.is_empty());
    let changes = store.changes(server, &scope).await.unwrap();
    assert!(changes.changes.is_empty() && changes.surfaces.is_empty());
    assert!(store.overlaps(server, &scope).await.unwrap().overlaps.is_empty());
    assert!(store.agreements(server, &scope).await.unwrap().agreements.is_empty());
    let health = store.ingest_health(server, &scope).await.unwrap();
    assert_eq!((health.accepted, health.rejected_share, health.newest_payload_ms), (0, None, None));
    let page = CallPage::Before { seq: None, limit: 10 };
    assert!(store.calls(server, &scope, &page).await.unwrap().calls.is_empty());
    let sessions = store.sessions(server, &scope, &SessionPage { after: None, limit: 10 }).await.unwrap();
    assert_eq!((sessions.total, sessions.sessions.len(), sessions.next), (0, 0, None));

    let page = TapePage { after: None, limit: 10 };
    assert!(matches!(store.tool(server, "a", &scope).await, Err(MetricsError::NotFound)));
    assert!(matches!(store.session(server, "s", &scope, &page).await, Err(MetricsError::NotFound)));
}

#[tokio::test]
async fn a_page_has_1_to_1000_rows() {
    let events = TempEvents::open().unwrap();
    let (store, server, scope) = (&events.store, events.server, days("2026-03-01", "2026-03-01"));
    for limit in [0, 1_001] {
        let asked = [
            store.sessions(server, &scope, &SessionPage { after: None, limit }).await.err(),
            store.calls(server, &scope, &CallPage::After { seq: 0, limit }).await.err(),
            store.session(server, "s", &scope, &TapePage { after: None, limit }).await.err(),
        ];
        for error in asked {
            assert!(matches!(error, Some(MetricsError::Invalid { field: "limit", .. })), "{error:?}");
        }
    }
}
