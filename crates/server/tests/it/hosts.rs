//! Which hosts and origins are ours. Raw requests, because clients would mend the headers.

use mcpulse_server::Config;
use reqwest::{Method, header};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{TestServer, answer, call};

/// The status of a raw request.
async fn status(server: &TestServer, request: &str) -> u16 {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text.split(' ').nth(1).unwrap_or_default().parse().unwrap_or(0)
}

async fn with_host(server: &TestServer, path: &str, hosts: &[&str]) -> u16 {
    let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
    status(server, &format!("GET {path} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")).await
}

#[tokio::test]
async fn every_route_checks_the_host() {
    let server = TestServer::start().await;
    for path in ["/health", "/metrics", "/openapi.json", "/docs/", "/v1/me", "/v1/schema", "/", "/nope"] {
        assert_eq!(with_host(&server, path, &["evil.example"]).await, 421, "{path}");
    }
    let port = server.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), "LOCALHOST".to_owned()] {
        assert_eq!(with_host(&server, "/health", &[&host]).await, 200, "{host}");
    }
    for host in ["127.0.0.2", "10.0.0.1", "localhost.evil.example", "mcpulse.example.org"] {
        assert_eq!(with_host(&server, "/health", &[host]).await, 421, "{host}");
    }
}

#[tokio::test]
async fn exactly_one_host_is_named() {
    let server = TestServer::start().await;
    assert_eq!(with_host(&server, "/health", &[]).await, 400);
    assert_eq!(with_host(&server, "/health", &["localhost", "localhost"]).await, 400);
    assert_eq!(with_host(&server, "/health", &[""]).await, 400);
    let request = "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&server, request).await, 400);
    assert_eq!(status(&server, "GET /health HTTP/1.0\r\n\r\n").await, 400);
}

#[tokio::test]
async fn the_public_url_and_allowed_hosts_are_ours() {
    let server = TestServer::with(|config: &mut Config| {
        config.public_url = Some("https://stats.example.org".to_owned());
        config.allowed_hosts = vec!["mcpulse".to_owned()];
    })
    .await;
    assert_eq!(server.url, "https://stats.example.org");
    for host in ["stats.example.org", "stats.example.org:443", "mcpulse:7077"] {
        assert_eq!(with_host(&server, "/health", &[host]).await, 200, "{host}");
    }
    assert_eq!(with_host(&server, "/health", &["example.org"]).await, 421);
}

#[tokio::test]
async fn ingest_for_another_host_stores_nothing() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let request = server.ingest(&tracked.secret).header(header::HOST, "evil.example");
    answer(request.json(&json!({"batch": [call()]}))).await.expect(421);
    assert_eq!(server.health(&tracked.server).await, (0, vec![]));
}

#[tokio::test]
async fn writes_of_other_origins_are_refused() {
    let server = TestServer::start().await;
    let path = format!("/v1/accounts/{}/servers", server.owner.account);
    let ours = server.local();
    let create = |origin: &str| {
        let request = server.browser(Method::POST, &path).header(header::ORIGIN, origin);
        answer(request.json(&json!({"name": "orders"})))
    };
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", ""] {
        create(origin).await.expect(403);
    }
    assert_eq!(server.get(&path).await.expect(200).json()["items"].as_array().unwrap().len(), 0);
    create(&ours).await.expect(201);
    let read = server.browser(Method::GET, &path).header(header::ORIGIN, "https://evil.example");
    let read = answer(read).await.expect(200);
    assert_eq!(read.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn writes_from_pages_of_other_sites_are_refused() {
    let server = TestServer::start().await;
    let path = format!("/v1/accounts/{}/servers", server.owner.account);
    for (site, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 201), ("none", 201)] {
        let write = server.browser(Method::POST, &path).header("Sec-Fetch-Site", site);
        answer(write.json(&json!({"name": site}))).await.expect(status);
        answer(server.browser(Method::GET, &path).header("Sec-Fetch-Site", site)).await.expect(200);
    }
}
