//! The examples of the OpenAPI document are real answers about a small story. `MCPULSE_GEN=1` writes them again.

use std::path::Path;

use mcpulse_store::events::EventStore;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{CallPage, Scope, SessionPage, TapePage};
use mcpulse_store::testing::{TempEvents, story};
use serde::Serialize;
use serde_json::Value;

use crate::help::DAY;

/// 2026-07-27T00:00:00Z, a Monday.
const MONDAY: i64 = 1_785_110_400_000;

async fn told() -> TempEvents {
    let events = TempEvents::open().unwrap();
    let key = "key_019f0c3e-7a10-7c55-9d1e-4c1f5a0b6d21".parse().unwrap();
    for batch in story(key, MONDAY) {
        events.store.append(events.server, batch).await.unwrap();
    }
    events
}

/// Both days, by day, as asked when the second one is over.
fn both_days() -> Scope {
    Scope { now_ms: MONDAY + 2 * DAY, ..crate::help::days("2026-07-27", "2026-07-28") }
}

fn one_tool(name: &str) -> Scope {
    Scope { tools: vec![name.to_owned()], ..both_days() }
}

fn check(operation: &str, answer: impl Serialize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../spec/examples/{operation}.json"));
    let value = serde_json::to_value(answer).unwrap();
    if std::env::var_os("MCPULSE_GEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{:#}\n", value)).unwrap();
    }
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(same(&committed, &value), "spec/examples/{operation}.json is not {value:#}: run `make gen`");
}

/// Logarithms and exponentials may differ in the last digit from machine to machine.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (a, b) => a == b,
    }
}

#[tokio::test]
async fn generated_examples() {
    let events = told().await;
    let (store, server, scope) = (&events.store, events.server, both_days());
    let hours = Scope { edges: vec![MONDAY, MONDAY + DAY, MONDAY + 2 * DAY], ..scope.clone() };
    check("overview", store.overview(server, &hours).await.unwrap());
    check("tools", store.tools(server, &one_tool("get_customer")).await.unwrap());
    check("tool", store.tool(server, "search_orders", &hours).await.unwrap());
    check("clients", store.clients(server, &one_tool("get_customer")).await.unwrap());
    check("producers", store.producers(server, &scope).await.unwrap());
    check("pairs", store.pairs(server, &scope).await.unwrap());
    check("insights", store.insights(server, &scope).await.unwrap());
    check("changes", store.changes(server, &scope).await.unwrap());
    check("overlaps", store.overlaps(server, &scope).await.unwrap());
    check("agreements", store.agreements(server, &scope).await.unwrap());
    check("ingest_health", store.ingest_health(server, &scope).await.unwrap());
    let sessions = store.sessions(server, &scope, &SessionPage { after: None, limit: 2 }).await.unwrap();
    let page = TapePage { after: None, limit: 3 };
    check("session", store.session(server, &sessions.sessions[0].session_id, &scope, &page).await.unwrap());
    check("sessions", sessions);
    let page = CallPage::Before { seq: None, limit: 2 };
    check("calls", store.calls(server, &scope, &page).await.unwrap());
}
