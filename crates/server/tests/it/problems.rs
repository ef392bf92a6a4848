//! What every answer has in common.

use reqwest::Method;
use serde_json::json;

use crate::support::{TestServer, answer};

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let server = TestServer::start().await;
    for path in ["/health", "/v1/me", "/v1/nope", "/", "/docs/", "/assets/nope.js", "/openapi.json"] {
        let answer = server.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
    }
    for path in ["/v1/me", "/v1/nope", "/health"] {
        assert_eq!(server.get(path).await.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn routes_that_are_none_are_problems() {
    let server = TestServer::start().await;
    let missing = server.get("/v1/nope").await.expect(404).json();
    assert_eq!(missing["type"], "urn:mcpulse:problem:not-found");
    for (method, path, allowed) in [
        (Method::PUT, "/v1/me", "GET,HEAD,DELETE"),
        (Method::PUT, "/v1/ingest", "POST"),
        (Method::DELETE, "/health", "GET,HEAD"),
        (Method::POST, "/nope", "GET,HEAD"),
    ] {
        let refused = answer(server.browser(method, path)).await.expect(405);
        assert_eq!(refused.header("allow"), allowed, "{path}");
    }
}

#[tokio::test]
async fn addresses_that_are_no_text_are_problems() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let tools = format!("/v1/servers/{}/tools", tracked.server);
    for path in ["/v1/servers/%FF".to_owned(), format!("{tools}/%FF"), format!("{tools}?tools=%FF")] {
        let problem = server.get(&path).await.expect(400);
        assert_eq!(problem.header("content-type"), "application/problem+json", "{path}");
        assert_eq!(problem.json()["type"], "urn:mcpulse:problem:malformed", "{path}");
    }
}

#[tokio::test]
async fn health_and_metrics_answer_anybody() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &[json!(7)]).await.expect(202);
    server.send("mp_live_wrong", &[json!(7)]).await.expect(401);
    let health = answer(server.anonymous(Method::GET, "/health")).await.expect(200).json();
    assert_eq!(health["status"], "ok");
    let metrics = answer(server.anonymous(Method::GET, "/metrics")).await.expect(200);
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    for line in [
        "mcpulse_ingest_payloads_accepted_total 0",
        "mcpulse_ingest_payloads_rejected_total{rule=\"type\"} 1",
        "mcpulse_ingest_batches_refused_total{status=\"401\"} 1",
        "mcpulse_http_requests_total{method=\"POST\",route=\"/v1/ingest\",status=\"202\"} 1",
        "mcpulse_http_request_duration_seconds_bucket",
    ] {
        assert!(metrics.body.contains(line), "{line}\n{}", metrics.body);
    }
    // What is asked of a server of somebody's is not told to anybody.
    assert!(!metrics.body.contains(&tracked.server) && !metrics.body.contains(&server.owner.account));
}

#[tokio::test]
async fn the_documentation_loads_nothing_from_elsewhere() {
    let server = TestServer::start().await;
    let page = answer(server.anonymous(Method::GET, "/docs/")).await.expect(200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(!page.body.contains("http://") && !page.body.contains("https://"), "{}", page.body);
    for file in [
        "swagger-ui-bundle.js",
        "swagger-ui-standalone-preset.js",
        "swagger-initializer.js",
        "swagger-ui.css",
    ] {
        let file = answer(server.anonymous(Method::GET, &format!("/docs/{file}"))).await;
        assert_eq!(file.status, 200);
    }
    let setup = answer(server.anonymous(Method::GET, "/docs/swagger-initializer.js")).await;
    assert!(setup.body.contains("/openapi.json"));
    let document = answer(server.anonymous(Method::GET, "/openapi.json")).await.expect(200).json();
    assert_eq!(document["openapi"], "3.1.0");
    let schema = answer(server.anonymous(Method::GET, "/v1/schema")).await.expect(200).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}
