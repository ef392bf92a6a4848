//! `/v1/sign-in`, `/v1/sign-out`, `/v1/me` and the cookie.

use mcpulse_server::{Config, sign_in_link};
use mcpulse_store::control::{Actor, ControlStore};
use mcpulse_store::secret::{Secret, SecretKind};
use reqwest::{Method, header};
use serde_json::json;

use crate::support::{Answer, TestServer, answer, now_ms, text};

async fn link(server: &TestServer) -> String {
    let link =
        sign_in_link(&*server.control, &server.url, server.owner.user.id, Actor::Operator).await.unwrap();
    let (page, token) = link.split_once('#').unwrap();
    assert_eq!(page, format!("{}/sign-in", server.url));
    token.to_owned()
}

async fn use_up(server: &TestServer, token: &str) -> Answer {
    answer(server.anonymous(Method::POST, "/v1/sign-in").json(&json!({ "token": token }))).await
}

#[tokio::test]
async fn a_link_works_once() {
    let server = TestServer::start().await;
    let token = link(&server).await;
    // Looking at the page, as link previews do, uses nothing up.
    answer(server.anonymous(Method::GET, "/sign-in")).await.expect(200);
    let signed_in = use_up(&server, &token).await.expect(200);
    assert_eq!(signed_in.json()["user"]["email"], "owner@example.org");
    assert_eq!(signed_in.json()["via"], "cookie");
    let refused = use_up(&server, &token).await.expect(401);
    assert_eq!(refused.header("set-cookie"), "");
    use_up(&server, "mp_link_00000000000000000000000000000000").await.expect(401);
    use_up(&server, "").await.expect(401);
}

#[tokio::test]
async fn concurrent_uses_of_a_link_sign_one_in() {
    let server = TestServer::start().await;
    let token = link(&server).await;
    let uses = futures_util::future::join_all((0..8).map(|_| use_up(&server, &token))).await;
    assert_eq!(uses.iter().filter(|one| one.status == 200).count(), 1);
}

#[tokio::test]
async fn an_expired_link_is_refused() {
    let server = TestServer::start().await;
    let secret = Secret::generate(SecretKind::LoginLink).unwrap();
    let (user, hash) = (server.owner.user.id, secret.to_stored().hash);
    server.control.create_login_link(user, &hash, now_ms() - 1, Actor::Operator).await.unwrap();
    use_up(&server, secret.reveal()).await.expect(401);
}

#[tokio::test]
async fn the_cookie_is_for_browsers_of_this_server_alone() {
    let server = TestServer::start().await;
    let signed_in = use_up(&server, &link(&server).await).await.expect(200);
    let cookie = signed_in.header("set-cookie");
    let attributes: Vec<_> = cookie.split("; ").skip(1).collect();
    assert_eq!(attributes, ["Max-Age=2592000", "Path=/", "HttpOnly", "SameSite=Strict"]);
    assert!(cookie.starts_with(&format!("mcpulse_{}=", server.address.port())));
}

#[tokio::test]
async fn behind_https_the_cookie_is_secure_and_bound_to_the_host() {
    let https = |config: &mut Config| config.public_url = Some("https://stats.example.org".to_owned());
    let server = TestServer::with(https).await;
    let signed_in = use_up(&server, &link(&server).await).await.expect(200);
    let cookie = signed_in.header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-mcpulse="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
}

#[tokio::test]
async fn signing_out_ends_the_sign_in() {
    let server = TestServer::start().await;
    server.get("/v1/me").await.expect(200);
    let out = answer(server.browser(Method::POST, "/v1/sign-out")).await.expect(204);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    let refused = server.get("/v1/me").await.expect(401);
    assert_eq!(text(&refused.json()["type"]), "urn:mcpulse:problem:unauthorized");
}

#[tokio::test]
async fn a_wrong_token_counts_even_when_the_browser_is_signed_in() {
    let server = TestServer::start().await;
    for value in ["Bearer mp_pat_wrong", "Basic abc", "nonsense", "Bearer"] {
        let request = server.browser(Method::GET, "/v1/me").header(header::AUTHORIZATION, value);
        answer(request).await.expect(401);
    }
}
