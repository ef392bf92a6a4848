//! `/v1/servers/{server_id}/keys` and `/v1/keys/{key_id}`

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestServer, answer, text};

#[tokio::test]
async fn a_secret_is_shown_once() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    assert!(tracked.secret.starts_with("mp_live_") && tracked.secret.len() == 40);
    let list = server.get(&format!("/v1/servers/{}/keys", tracked.server)).await.expect(200);
    let one = server.get(&format!("/v1/keys/{}", tracked.key)).await.expect(200);
    for answer in [&list, &one] {
        assert!(!answer.body.contains(&tracked.secret[12..]), "{answer:?}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    assert_eq!(list.json()["items"], json!([one.json()]));
    assert_eq!(text(&one.json()["prefix"]), tracked.secret[..12]);
    assert_eq!(one.json()["limit_per_minute"], 10_000);
}

#[tokio::test]
async fn revoking_again_changes_nothing() {
    let server = TestServer::start().await;
    let path = format!("/v1/keys/{}", server.track().await.key);
    let revoke = || answer(server.browser(Method::DELETE, &path));
    let first = revoke().await.expect(200).json();
    assert!(first["revoked_ms"].is_i64());
    assert_eq!(revoke().await.expect(200).json(), first);
    assert_eq!(server.get(&path).await.expect(200).json(), first);
}

#[tokio::test]
async fn limits_have_bounds() {
    let server = TestServer::start().await;
    let path = format!("/v1/keys/{}", server.track().await.key);
    let set =
        |limit: Value| answer(server.browser(Method::PATCH, &path).json(&json!({"limit_per_minute": limit})));
    assert_eq!(set(json!(500)).await.expect(200).json()["limit_per_minute"], 500);
    for bad in [json!(0), json!(-1), json!(1.5), json!("many"), json!(100_000_001), json!(null)] {
        let refused = set(bad.clone()).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], "limit_per_minute", "{bad}");
    }
}

#[tokio::test]
async fn another_accounts_key_looks_like_none() {
    let server = TestServer::start().await;
    let other = server.somebody_else().await;
    let path = format!("/v1/keys/{}", server.track_for(&other).await.key);
    let none = server.get("/v1/keys/key_01890a5d-ac96-774b-bcce-b302099a8057").await.expect(404);
    assert_eq!(server.get(&path).await.expect(404).body, none.body);
    answer(server.browser(Method::DELETE, &path)).await.expect(404);
    answer(server.browser(Method::PATCH, &path).json(&json!({"limit_per_minute": 1}))).await.expect(404);
    let theirs = answer(server.as_person(&other, Method::GET, &path)).await.expect(200).json();
    assert_eq!((&theirs["revoked_ms"], &theirs["limit_per_minute"]), (&json!(null), &json!(10_000)));
}
