//! Lists of tools: dead, withheld, phantom, and what listing them costs.

use mcpulse_store::events::NewPayload;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{Scope, ToolStatus};
use mcpulse_store::testing::{call, startup};
use mcpulse_wire::payload::{Outcome, Policy};

use crate::help::{DAY, HOUR, NOON, Tweak, days, piece, store_of};

#[tokio::test]
async fn called_dead_withheld_phantom_and_absent() {
    let mut first = startup("s1", &["get", "never", "secret"]);
    first.tools[2].policy = Some(Policy::Identity);
    let mut second = startup("s2", &["get", "never"]);
    second.tools[1].schema_bytes = 800;
    let events = store_of(
        NOON,
        vec![
            NewPayload::Startup(first),
            NewPayload::Startup(second),
            NewPayload::Call(call("s1", "get", NOON)),
            NewPayload::Call(call("s2", "get", NOON).client("vscode").outcome(Outcome::ToolError)),
            NewPayload::Call(call("s2", "ghost", NOON)),
            NewPayload::Call(call("s2", "(other)", NOON)),
            NewPayload::Call(call("s1", "get", NOON - DAY)),
        ],
    )
    .await;
    let scope = days("2026-03-01", "2026-03-01");
    let report = events.store.tools(events.server, &scope).await.unwrap();
    let rows: Vec<_> = report
        .tools
        .iter()
        .map(|row| {
            (row.tool.as_str(), row.status, row.figures.calls, row.calls_before, row.sessions_registered)
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("get", ToolStatus::Called, 2, 1, 2),
            ("(other)", ToolStatus::Called, 1, 0, 0),
            ("ghost", ToolStatus::Phantom, 1, 0, 0),
            ("never", ToolStatus::Dead, 0, 0, 2),
            ("secret", ToolStatus::Withheld, 0, 0, 1),
        ]
    );
    // Priced as the newest surface has it, for both sessions: 200 tokens twice.
    let never = &report.tools[3];
    assert_eq!((never.schema_units, never.schema_tokens), (Some(800), Some(200.0)));
    assert_eq!(never.schema_cost_usd, Some(400.0 * 3.0 / 1e6));
    assert_eq!(
        (report.tools[4].policy.as_deref(), report.tools[2].schema_cost_usd),
        (Some("identity"), None)
    );
    assert_eq!(
        (report.surface_tools, report.surface_units, report.surface_tokens),
        (Some(2), Some(1_200), Some(300.0))
    );
    let clients: Vec<_> =
        report.tools[0].clients.iter().map(|row| (row.client.as_str(), row.error_rate)).collect();
    assert_eq!(clients, [("cursor", Some(0.0)), ("vscode", Some(1.0))]);

    // Long before, nothing is registered or called; the tool is known all the same.
    let long_ago = piece(NOON - 10 * DAY, NOON - 9 * DAY);
    let detail = events.store.tool(events.server, "never", &long_ago).await.unwrap();
    assert_eq!(
        (detail.row.status, detail.row.registered, detail.row.figures.calls),
        (ToolStatus::Absent, false, 0)
    );
    assert!(events.store.tool(events.server, "nobody", &scope).await.is_err());
    assert!(events.store.tools(events.server, &long_ago).await.unwrap().tools.is_empty());
}

#[tokio::test]
async fn a_surface_is_in_use_while_its_session_calls() {
    let events = store_of(NOON - DAY, vec![NewPayload::Startup(startup("s1", &["get", "never"]))]).await;
    events.append(NOON, vec![NewPayload::Call(call("s1", "get", NOON))]).await.unwrap();
    let today = events.store.tools(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!(today.tools.iter().map(|row| row.tool.as_str()).collect::<Vec<_>>(), ["get", "never"]);
    // Seen through another client, the session is not there.
    let scope = Scope { clients: vec!["vscode".to_owned()], ..days("2026-03-01", "2026-03-01") };
    assert!(events.store.tools(events.server, &scope).await.unwrap().tools.is_empty());
}

#[tokio::test]
async fn one_tool_in_full() {
    let events = store_of(
        NOON,
        [("a", 0), ("b", 1), ("a", 2), ("a", 3), ("c", 4)]
            .map(|(tool, hours)| NewPayload::Call(call("s", tool, NOON + hours * HOUR)))
            .into(),
    )
    .await;
    let detail = events.store.tool(events.server, "a", &days("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!(
        (detail.row.figures.calls, detail.row.status, detail.series[12].calls),
        (3, ToolStatus::Called, 1)
    );
    let pairs = |pairs: &[mcpulse_store::metrics::types::Pair]| -> Vec<(String, String, u64, u64)> {
        pairs.iter().map(|pair| (pair.from.clone(), pair.to.clone(), pair.count, pair.from_calls)).collect()
    };
    assert_eq!(pairs(&detail.pairs_in), [("b".to_owned(), "a".to_owned(), 1, 1)]);
    assert_eq!(
        pairs(&detail.pairs_out),
        [("a".to_owned(), "b".to_owned(), 1, 3), ("a".to_owned(), "c".to_owned(), 1, 3)]
    );
    assert_eq!(detail.pairs_out[0].share, Some(1.0 / 3.0));
    assert_eq!(detail.confidence.calls, 3);
}
