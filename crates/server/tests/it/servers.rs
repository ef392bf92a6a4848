//! `/v1/accounts/{account_id}/servers`, `/v1/servers/{server_id}` and its tool modes.

use reqwest::Method;
use serde_json::json;

use crate::support::{TestServer, answer, text};

#[tokio::test]
async fn a_server_is_made_changed_and_forgotten() {
    let server = TestServer::start().await;
    let list = format!("/v1/accounts/{}/servers", server.owner.account);
    let made = server.post(&list, json!({"name": " orders "})).await.expect(201).json();
    assert_eq!((text(&made["name"]), &made["retention_days"]), ("orders".to_owned(), &json!(null)));
    let one = format!("/v1/servers/{}", text(&made["id"]));
    let change = |change| answer(server.browser(Method::PATCH, &one).json(&change));
    change(json!({"retention_days": 30})).await.expect(200);
    let changed = change(json!({"name": "bookings"})).await.expect(200).json();
    assert_eq!((&changed["name"], &changed["retention_days"]), (&json!("bookings"), &json!(30)));
    let kept = change(json!({"retention_days": null})).await.expect(200).json();
    assert_eq!((&kept["name"], &kept["retention_days"]), (&json!("bookings"), &json!(null)));
    assert_eq!(server.get(&list).await.expect(200).json()["items"], json!([kept]));
    answer(server.browser(Method::DELETE, &one)).await.expect(204);
    server.get(&one).await.expect(404);
    assert_eq!(server.get(&list).await.expect(200).json()["items"], json!([]));
}

#[tokio::test]
async fn bad_input_names_the_field_and_the_rule() {
    let server = TestServer::start().await;
    let list = format!("/v1/accounts/{}/servers", server.owner.account);
    for (body, field, rule) in [
        (json!({}), "name", "is required"),
        (json!({"name": ""}), "name", "must have 1 to 100 characters"),
        (json!({"name": "x".repeat(101)}), "name", "must have 1 to 100 characters"),
        (json!({"name": "a\nb"}), "name", "must not contain control characters"),
        (json!({"name": "a", "colour": "red"}), "colour", "is not known here"),
        (json!({"name": 7}), "name", "has the wrong type"),
    ] {
        let refused = server.post(&list, body.clone()).await.expect(422).json();
        assert_eq!(refused["errors"], json!([{"field": field, "rule": rule}]), "{body}");
    }
    answer(server.browser(Method::POST, &list).header("content-type", "application/json").body("{"))
        .await
        .expect(400);
    answer(server.browser(Method::POST, &list).body("name=a")).await.expect(415);
    let large = json!({"name": "x".repeat(70_000)});
    server.post(&list, large).await.expect(413);
    assert_eq!(server.get(&list).await.expect(200).json()["items"], json!([]));
}

#[tokio::test]
async fn another_accounts_server_looks_like_none() {
    let server = TestServer::start().await;
    let other = server.somebody_else().await;
    let theirs = server.track_for(&other).await;
    let none = "/v1/servers/srv_01890a5d-ac96-774b-bcce-b302099a8057";
    let expected = server.get(none).await.expect(404).body;
    for rest in ["", "/keys", "/overview", "/tools/search", "/tool-modes", "/calls", "/sessions/s"] {
        let path = format!("/v1/servers/{}{rest}", theirs.server);
        assert_eq!(server.get(&path).await.expect(404).body, expected, "{rest}");
    }
    let path = format!("/v1/servers/{}", theirs.server);
    answer(server.browser(Method::DELETE, &path)).await.expect(404);
    answer(server.browser(Method::PATCH, &path).json(&json!({"name": "mine"}))).await.expect(404);
    answer(server.as_person(&other, Method::GET, &path)).await.expect(200);
}

#[tokio::test]
async fn owners_say_how_tools_are_called() {
    let server = TestServer::start().await;
    let path = format!("/v1/servers/{}/tool-modes", server.track().await.server);
    let change = |change| answer(server.browser(Method::PATCH, &path).json(&change));
    let set = change(json!({"tool": "list_orders", "mode": "in_series"})).await.expect(200).json();
    assert_eq!(set["items"], json!([{"tool": "list_orders", "mode": "in_series"}]));
    change(json!({"tool": "", "mode": "in_series"})).await.expect(422);
    let refused = change(json!({"tool": "a", "mode": "sometimes"})).await.expect(422);
    assert!(!refused.body.contains("sometimes"));
    let cleared = change(json!({"tool": "list_orders", "mode": null})).await.expect(200).json();
    assert_eq!(cleared["items"], json!([]));
}
