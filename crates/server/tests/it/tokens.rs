//! `/v1/accounts/{account_id}/tokens`, and what a token may do.

use mcpulse_store::control::{Actor, ControlStore, NewToken, Scope};
use mcpulse_store::secret::{Secret, SecretKind};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, TestServer, answer, now_ms, text};

/// The id and the secret of a fresh token.
async fn token(server: &TestServer, scopes: Value) -> (String, String) {
    let path = format!("/v1/accounts/{}/tokens", server.owner.account);
    let made = server.post(&path, json!({"name": "report", "scopes": scopes})).await.expect(201).json();
    (text(&made["token"]["id"]), text(&made["secret"]))
}

async fn get(server: &TestServer, secret: &str, path: &str) -> Answer {
    answer(server.anonymous(Method::GET, path).bearer_auth(secret)).await
}

#[tokio::test]
async fn a_token_reads_what_its_user_reads_in_one_account() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let (_, secret) = token(&server, json!(["read"])).await;
    let me = get(&server, &secret, "/v1/me").await.expect(200).json();
    assert_eq!((&me["via"], &me["scopes"]), (&json!("token"), &json!(["read"])));
    get(&server, &secret, &format!("/v1/servers/{}", tracked.server)).await.expect(200);
    let other = server.somebody_else().await;
    get(&server, &secret, &format!("/v1/accounts/{}", other.account)).await.expect(404);
}

#[tokio::test]
async fn writing_needs_the_scope() {
    let server = TestServer::start().await;
    let path = format!("/v1/accounts/{}/servers", server.owner.account);
    let create = |secret: String| {
        answer(server.anonymous(Method::POST, &path).bearer_auth(secret).json(&json!({"name": "orders"})))
    };
    create(token(&server, json!(["read"])).await.1).await.expect(403);
    create(token(&server, json!(["read", "write"])).await.1).await.expect(201);
    let write_only = token(&server, json!(["write"])).await.1;
    get(&server, &write_only, &path).await.expect(403);
}

#[tokio::test]
async fn a_token_makes_no_tokens_and_signs_nobody_out() {
    let server = TestServer::start().await;
    let (_, secret) = token(&server, json!(["read", "write"])).await;
    let path = format!("/v1/accounts/{}/tokens", server.owner.account);
    let make = server.anonymous(Method::POST, &path).bearer_auth(&secret);
    answer(make.json(&json!({"name": "more", "scopes": ["read"]}))).await.expect(403);
    answer(server.anonymous(Method::POST, "/v1/sign-out").bearer_auth(&secret)).await.expect(403);
}

#[tokio::test]
async fn a_revoked_or_expired_token_is_refused_at_once() {
    let server = TestServer::start().await;
    let (id, secret) = token(&server, json!(["read"])).await;
    get(&server, &secret, "/v1/me").await.expect(200);
    let path = format!("/v1/accounts/{}/tokens/{id}", server.owner.account);
    answer(server.browser(Method::DELETE, &path)).await.expect(200);
    get(&server, &secret, "/v1/me").await.expect(401);

    let secret = Secret::generate(SecretKind::AccessToken).unwrap();
    let expired = NewToken {
        user: server.owner.user.id,
        account: server.owner.account.parse().unwrap(),
        name: "old",
        scopes: &[Scope::Read],
        expires_ms: Some(now_ms() - 1),
        secret: &secret.to_stored(),
    };
    server.control.create_token(expired, Actor::Operator).await.unwrap();
    get(&server, secret.reveal(), "/v1/me").await.expect(401);
}

#[tokio::test]
async fn tokens_of_other_accounts_cannot_be_revoked() {
    let server = TestServer::start().await;
    let other = server.somebody_else().await;
    let (id, secret) = token(&server, json!(["read"])).await;
    let path = format!("/v1/accounts/{}/tokens/{id}", other.account);
    answer(server.as_person(&other, Method::DELETE, &path)).await.expect(404);
    get(&server, &secret, "/v1/me").await.expect(200);
}

#[tokio::test]
async fn bad_input_names_the_field_and_the_rule() {
    let server = TestServer::start().await;
    let path = format!("/v1/accounts/{}/tokens", server.owner.account);
    for (body, field) in [
        (json!({"name": "a", "scopes": []}), "scopes"),
        (json!({"name": "a", "scopes": ["root"]}), "scopes[0]"),
        (json!({"name": "", "scopes": ["read"]}), "name"),
        (json!({"name": "a", "scopes": ["read"], "expires_in_days": 0}), "expires_in_days"),
    ] {
        let refused = server.post(&path, body.clone()).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], field, "{body}");
    }
}
