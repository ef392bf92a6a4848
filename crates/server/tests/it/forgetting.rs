//! What is deleted is in no byte of the data directory: canaries that were found before are not found after.

use mcpulse_store::control::ControlStore;
use mcpulse_store::id::AccountId;
use mcpulse_wire::time::format_ms;
use reqwest::Method;
use serde_json::json;

use crate::support::{TestServer, Tracked, answer, call_with, holds, now_ms, text};

const DAY_MS: i64 = 86_400_000;

/// A server full of canaries: what people typed and what producers sent.
async fn canaries(server: &TestServer) -> Tracked {
    let tracked = server.track().await;
    let path = format!("/v1/servers/{}", tracked.server);
    for name in ["canary-first-name", "canary-name"] {
        answer(server.browser(Method::PATCH, &path).json(&json!({ "name": name }))).await.expect(200);
    }
    server.post(&format!("{path}/keys"), json!({"name": "canary-key"})).await.expect(201);
    let mode = json!({"tool": "canary-mode", "mode": "in_series"});
    answer(server.browser(Method::PATCH, &format!("{path}/tool-modes")).json(&mode)).await.expect(200);
    let startup = json!({
        "v": 1, "type": "startup", "session_id": "canary-session", "client_name": "canary-client",
        "tools": [{"name": "canary-tool", "schema_bytes": 10}],
    });
    let call = call_with("session_id", json!("canary-session"));
    server.send(&tracked.secret, &[startup, call]).await.expect(202);
    tracked
}

#[track_caller]
fn found(server: &TestServer, canaries: &[&str], expected: bool) {
    for canary in canaries {
        assert_eq!(holds(server.dir.path(), canary), expected, "{canary}");
    }
}

const OF_A_SERVER: [&str; 6] =
    ["canary-name", "canary-key", "canary-mode", "canary-session", "canary-client", "canary-tool"];

#[tokio::test]
async fn a_deleted_server_is_in_no_byte() {
    let server = TestServer::start().await;
    let kept = server.track().await;
    let tracked = canaries(&server).await;
    found(&server, &OF_A_SERVER, true);
    found(&server, &["canary-first-name"], true);
    answer(server.browser(Method::DELETE, &format!("/v1/servers/{}", tracked.server))).await.expect(204);
    // Nor is any of its beginning: the word itself is nowhere.
    found(&server, &["canary"], false);
    // Its neighbour is as before, and so is what the log says, by id.
    server.get(&format!("/v1/servers/{}", kept.server)).await.expect(200);
    let account: AccountId = server.owner.account.parse().unwrap();
    let log = server.control.audit_log(account, 100).await.unwrap();
    assert!(log.iter().any(|line| line.action == "server.delete" && line.subject == tracked.server));
    let server = server.restart().await;
    found(&server, &["canary"], false);
}

#[tokio::test]
async fn a_deleted_account_takes_everything_with_it() {
    let server = TestServer::start().await;
    let tracked = canaries(&server).await;
    let other = server.somebody_else().await;
    let theirs = server.track_for(&other).await;
    let tokens = format!("/v1/accounts/{}/tokens", server.owner.account);
    let token =
        server.post(&tokens, json!({"name": "canary-token", "scopes": ["read", "write"]})).await.expect(201);
    found(&server, &OF_A_SERVER, true);
    found(&server, &["canary-token"], true);
    let path = format!("/v1/accounts/{}", server.owner.account);
    // A token cannot, however much it may do.
    let secret = text(&token.json()["secret"]);
    answer(server.anonymous(Method::DELETE, &path).bearer_auth(secret)).await.expect(403);
    answer(server.browser(Method::DELETE, &path)).await.expect(204);
    found(&server, &["canary"], false);
    server.get(&path).await.expect(404);
    server.send(&tracked.secret, &[call_with("session_id", json!("s"))]).await.expect(401);
    // The user is still there, in no account; the neighbours are as before.
    let me = server.get("/v1/me").await.expect(200).json();
    assert_eq!(me["memberships"], json!([]));
    let path = format!("/v1/servers/{}", theirs.server);
    answer(server.as_person(&other, Method::GET, &path)).await.expect(200);
}

#[tokio::test]
async fn a_deleted_user_is_in_no_byte() {
    let server = TestServer::start().await;
    let other = server.somebody_else().await;
    let tracked = canaries(&server).await;
    found(&server, &["owner@example.org", "canary-tool"], true);
    let gone = answer(server.browser(Method::DELETE, "/v1/me")).await.expect(204);
    assert!(gone.header("set-cookie").contains("Max-Age=0"));
    found(&server, &["owner@example.org", "canary"], false);
    server.get("/v1/me").await.expect(401);
    server.send(&tracked.secret, &[call_with("session_id", json!("s"))]).await.expect(401);
    answer(server.as_person(&other, Method::GET, "/v1/me")).await.expect(200);
}

#[tokio::test]
async fn a_retention_deletes_what_is_older_and_says_so() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let old = |days: i64, session: &str| {
        let mut call = call_with("started_at", json!(format_ms(now_ms() - days * DAY_MS)));
        call["session_id"] = json!(session);
        call
    };
    let batch = [old(40, "canary-old"), old(20, "canary-middle"), old(0, "fresh")];
    server.send(&tracked.secret, &batch).await.expect(202);
    let path = format!("/v1/servers/{}", tracked.server);
    let retention = format!("{path}/retention");
    let none = server.get(&retention).await.expect(200).json();
    assert_eq!(none, json!({"retention_days": null, "last_run": null, "next_run_ms": null}));
    // Shortened twice: each time it is applied soon, not in a day.
    for (days, deleted, gone, kept) in
        [(30, 1, vec!["canary-old"], vec!["canary-middle", "fresh"]), (10, 1, vec!["canary"], vec!["fresh"])]
    {
        let change = json!({ "retention_days": days });
        answer(server.browser(Method::PATCH, &path).json(&change)).await.expect(200);
        let state = loop {
            let state = server.get(&retention).await.expect(200).json();
            let before = state["last_run"]["before_ms"].as_i64().unwrap_or_default();
            if before > now_ms() - (days + 1) * DAY_MS {
                break state;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        assert_eq!(state["last_run"]["failed"], false);
        assert_eq!(state["last_run"]["deleted"]["calls"], deleted);
        let ran = state["last_run"]["at_ms"].as_i64().unwrap();
        assert_eq!(state["next_run_ms"], ran + DAY_MS);
        found(&server, &gone, false);
        found(&server, &kept, true);
    }
    let calls = server.get(&format!("{path}/calls?last_days=60")).await.expect(200).json();
    assert_eq!(calls["calls"].as_array().unwrap().len(), 1);
}
