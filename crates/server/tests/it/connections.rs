//! Clients that are slow, silent or gone.

use mcpulse_server::Config;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{TestServer, answer, call};

fn impatient(config: &mut Config) {
    config.header_timeout = 1;
    config.body_timeout = 1;
}

/// Everything the server says until it ends the connection.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_head_that_never_ends_ends_the_connection() {
    let server = TestServer::with(impatient).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await.unwrap();
    until_closed(&mut stream).await;
    answer(server.anonymous(reqwest::Method::GET, "/health")).await.expect(200);
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let server = TestServer::with(impatient).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test]
async fn a_body_that_never_ends_is_answered_and_stores_nothing() {
    let server = TestServer::with(impatient).await;
    let tracked = server.track().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"batch\":[",
        tracked.secret
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let text = until_closed(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    assert_eq!(server.health(&tracked.server).await, (0, vec![("body_time".to_owned(), 1)]));
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_stores_nothing() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{\"batch\":[",
        tracked.secret
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    drop(stream);
    server.send(&tracked.secret, &[call()]).await.expect(202);
    assert_eq!(server.health(&tracked.server).await.0, 1);
}

#[tokio::test]
async fn many_idle_connections_leave_room_for_one_more() {
    let server = TestServer::start().await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        idle.push(TcpStream::connect(server.address).await.unwrap());
    }
    answer(server.anonymous(reqwest::Method::GET, "/health")).await.expect(200);
}

#[tokio::test]
async fn stopping_finishes_what_is_under_way() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let body = json!({"batch": [call()]}).to_string();
    let head = format!(
        "POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nExpect: 100-continue\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        tracked.secret,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server waits for the body: the request is under way.
    let mut hundred = [0_u8; 25];
    stream.read_exact(&mut hundred).await.unwrap();
    assert_eq!(&hundred, b"HTTP/1.1 100 Continue\r\n\r\n");
    let stopping = tokio::spawn(server.stop());
    stream.write_all(body.as_bytes()).await.unwrap();
    let text = until_closed(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 202"), "{text}");
    stopping.await.unwrap();
}
