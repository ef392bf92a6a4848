//! The metrics through REST: that each question arrives whole, and its answer too. Whether the figures are right is
//! the oracle's business, in crates/store.

use serde_json::{Value, json};

use crate::support::{TestServer, Tracked, call_with, text};

const WHOLE: [&str; 10] = [
    "overview",
    "tools",
    "clients",
    "producers",
    "pairs",
    "insights",
    "changes",
    "overlaps",
    "agreements",
    "ingest-health",
];

async fn get(server: &TestServer, tracked: &Tracked, rest: &str) -> Value {
    server.get(&format!("/v1/servers/{}/{rest}", tracked.server)).await.expect(200).json()
}

#[tokio::test]
async fn an_empty_server_answers_everything() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    for question in WHOLE {
        get(&server, &tracked, question).await;
    }
    let overview = get(&server, &tracked, "overview").await;
    assert_eq!(overview["figures"]["calls"], 0);
    assert_eq!(overview["figures"]["error_rate"], json!(null));
    let sessions = get(&server, &tracked, "sessions").await;
    assert_eq!((&sessions["total"], &sessions["next"]), (&json!(0), &json!(null)));
    assert_eq!(get(&server, &tracked, "calls").await, json!({"calls": [], "next": null}));
    server.get(&format!("/v1/servers/{}/tools/none", tracked.server)).await.expect(404);
    server.get(&format!("/v1/servers/{}/sessions/none", tracked.server)).await.expect(404);
}

#[tokio::test]
async fn what_was_sent_is_seen_at_once() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let (a, b) = (call_with("tool_name", json!("a/b c")), call_with("client_name", json!("claude-desktop")));
    server.send(&tracked.secret, &[a, b.clone(), b]).await.expect(202);
    assert_eq!(get(&server, &tracked, "overview").await["figures"]["calls"], 3);
    let one_tool =
        get(&server, &tracked, "overview?last_days=2&tools=a/b%20c&tools=none&granularity=hour").await;
    assert_eq!(one_tool["figures"]["calls"], 1);
    assert_eq!(
        get(&server, &tracked, "overview?last_days=2&clients=claude-desktop").await["figures"]["calls"],
        2
    );
    get(&server, &tracked, "tools/a%2Fb%20c?last_days=2").await;
    let page = get(&server, &tracked, "calls?last_days=2&limit=2").await;
    assert_eq!(page["calls"].as_array().unwrap().len(), 2);
    let next = page["next"].as_u64().unwrap();
    let rest = get(&server, &tracked, &format!("calls?last_days=2&limit=2&cursor={next}")).await;
    assert_eq!((rest["calls"].as_array().unwrap().len(), &rest["next"]), (1, &json!(null)));
    let sessions = get(&server, &tracked, "sessions?last_days=2").await;
    let session = text(&sessions["sessions"][0]["session_id"]);
    assert_eq!(get(&server, &tracked, &format!("sessions/{session}?last_days=2")).await["total_calls"], 3);
}

#[tokio::test]
async fn bad_questions_name_the_parameter_and_the_rule() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    for (query, field) in [
        ("from=yesterday", "from"),
        ("from=2026-07-02&to=2026-07-01", "to"),
        ("tz=Mars/Olympus", "tz"),
        ("last_days=7&from=2026-07-01", "last_days"),
        ("last_days=0", "last_days"),
        ("granularity=month", "granularity"),
        ("limit=5", "limit"),
        ("colour=red", "colour"),
    ] {
        let path = format!("/v1/servers/{}/overview?{query}", tracked.server);
        let refused = server.get(&path).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], field, "{query}");
        assert!(!refused.to_string().contains("Olympus"));
    }
    let path = format!("/v1/servers/{}/sessions?cursor=x", tracked.server);
    assert_eq!(server.get(&path).await.expect(422).json()["errors"][0]["field"], "cursor");
}
