//! What the demo shows can be read from REST alone.

use mcpulse_store::events::EventStore;
use mcpulse_store::testing::story;
use serde_json::Value;

use crate::support::{TestServer, Tracked, now_ms, text};

const DAY_MS: i64 = 86_400_000;

async fn told() -> (TestServer, Tracked) {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    // Days ago, so that everything has settled.
    let batches = story(tracked.key.parse().unwrap(), now_ms() - 3 * DAY_MS);
    let id = tracked.server.parse().unwrap();
    let server = server
        .restart_after(async |events| {
            for batch in batches {
                events.append(id, batch).await.unwrap();
            }
        })
        .await;
    (server, tracked)
}

/// The first row of a list in which all these fields have these values.
fn find<'a>(rows: &'a Value, wanted: &[(&str, &str)]) -> &'a Value {
    let is_wanted = |row: &&Value| wanted.iter().all(|(field, value)| row[field] == *value);
    rows.as_array().unwrap().iter().find(is_wanted).unwrap_or_else(|| panic!("no {wanted:?} in {rows:#}"))
}

#[tokio::test]
async fn the_demo_can_be_read_from_rest() {
    let (server, tracked) = told().await;
    let get = async |rest: &str| {
        server.get(&format!("/v1/servers/{}/{rest}?last_days=5", tracked.server)).await.expect(200).json()
    };
    let (tools, insights, changes) = (get("tools").await, get("insights").await, get("changes").await);
    let (tools, insights) = (&tools["tools"], &insights["insights"]);

    // Which tool the weaker client gets wrong.
    let behind = find(insights, &[("kind", "client_behind")]);
    assert_eq!((text(&behind["tool"]), text(&behind["client"])), ("get_customer".into(), "cursor".into()));
    let clients = &find(tools, &[("tool", "get_customer")])["clients"];
    assert_eq!(find(clients, &[("client", "cursor")])["error_rate"], 0.5);
    assert_eq!(find(clients, &[("client", "claude-desktop")])["error_rate"], 0.0);

    // Which tool is dead.
    let dead = find(tools, &[("status", "dead")]);
    assert_eq!((text(&dead["tool"]), &dead["figures"]["calls"]), ("archive_order".into(), &Value::from(0)));
    find(insights, &[("kind", "dead_tool"), ("tool", "archive_order")]);

    // Which returns too much.
    find(insights, &[("kind", "heavy_answers"), ("tool", "export_report"), ("severity", "high")]);
    let mean = &find(tools, &[("tool", "export_report")])["figures"]["response"]["mean_units"];
    assert!(mean.as_f64().unwrap() > 40_000.0, "{mean}");

    // Whether the reworded description helped.
    let change = find(&changes["changes"], &[("kind", "surface")]);
    assert_eq!(change["wording_changed"], serde_json::json!(["search_orders"]));
    let impact = find(&change["impact"], &[("tool", "search_orders")]);
    assert_eq!(impact["strict"]["verdict"], "better");
    assert_eq!(
        (&impact["strict"]["difference"], &impact["after"]["first_call"]["strict"]),
        (&Value::from(0.5), &Value::from(1.0))
    );
}
