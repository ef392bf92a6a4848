//! `/v1/accounts/{account_id}`

use reqwest::Method;
use serde_json::json;

use crate::support::{TestServer, answer, call_with};

#[tokio::test]
async fn an_owner_sets_the_price() {
    let server = TestServer::start().await;
    let path = format!("/v1/accounts/{}", server.owner.account);
    let change =
        |price| answer(server.browser(Method::PATCH, &path).json(&json!({"usd_per_million_tokens": price})));
    assert_eq!(server.get(&path).await.expect(200).json()["usd_per_million_tokens"], 3.0);
    assert_eq!(change(0.25).await.expect(200).json()["usd_per_million_tokens"], 0.25);
    let refused = change(-1.0).await.expect(422).json();
    assert_eq!(refused["errors"][0]["field"], "usd_per_million_tokens");
    assert_eq!(server.get(&path).await.expect(200).json()["usd_per_million_tokens"], 0.25);
}

#[tokio::test]
async fn another_account_looks_like_none() {
    let server = TestServer::start().await;
    let other = server.somebody_else().await;
    let theirs = server.get(&format!("/v1/accounts/{}", other.account)).await.expect(404);
    let none = server.get("/v1/accounts/acc_01890a5d-ac96-774b-bcce-b302099a8057").await.expect(404);
    let malformed = server.get("/v1/accounts/7").await.expect(404);
    assert_eq!(theirs.body, none.body);
    assert_eq!(theirs.body, malformed.body);
    assert_eq!(theirs.headers.keys().collect::<Vec<_>>(), none.headers.keys().collect::<Vec<_>>());
}

#[tokio::test]
async fn usage_counts_what_each_server_sent() {
    let server = TestServer::start().await;
    let (busy, quiet) = (server.track().await, server.track().await);
    let other = server.somebody_else().await;
    server.track_for(&other).await;
    let bad = call_with("arguments", json!({}));
    server
        .send(&busy.secret, &[call_with("tool_name", json!("a")), call_with("tool_name", json!("b")), bad])
        .await;
    let path = format!("/v1/accounts/{}/usage", server.owner.account);
    let usage = server.get(&format!("{path}?last_days=2")).await.expect(200).json();
    let servers = usage["servers"].as_array().unwrap();
    assert_eq!(servers.len(), 2);
    let of = |id: &str| servers.iter().find(|server| server["server_id"] == id).unwrap();
    let (sent, none) = (of(&busy.server), of(&quiet.server));
    assert_eq!((&sent["calls"], &sent["startups"], &sent["rejected"]), (&json!(2), &json!(0), &json!(1)));
    assert_eq!(sent["days"].as_array().unwrap().len(), 1);
    assert_eq!((&sent["days"][0]["calls"], &sent["days"][0]["rejected"]), (&json!(2), &json!(1)));
    assert_eq!((&none["calls"], &none["days"]), (&json!(0), &json!([])));
    let refused = server.get(&format!("{path}?tz=UTC")).await.expect(422).json();
    assert_eq!(refused["errors"][0]["field"], "tz");
    server.get(&format!("/v1/accounts/{}/usage", other.account)).await.expect(404);
}
