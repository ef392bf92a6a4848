//! Exports: what the file holds, and that nobody is held up.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{TestServer, Tracked, answer, call_with};

fn path(tracked: &Tracked, query: &str) -> String {
    format!("/v1/servers/{}/export?last_days=2{query}", tracked.server)
}

#[tokio::test]
async fn each_form_holds_the_selected_calls() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let tools = ["search", "=cmd()", "a,\"b\"", "search"];
    let batch: Vec<Value> = tools.iter().map(|tool| call_with("tool_name", json!(tool))).collect();
    server.send(&tracked.secret, &batch).await.expect(202);

    let csv = server.get(&path(&tracked, "")).await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    let name = format!("attachment; filename=\"calls-{}.csv\"", tracked.server);
    assert_eq!(csv.header("content-disposition"), name);
    let lines: Vec<&str> = csv.body.split("\r\n").collect();
    assert!(lines[0].starts_with("seq,received_ms,session_id,client,tool,"), "{lines:?}");
    assert_eq!(lines.len(), 6);
    assert!(
        lines[1].contains(",cursor,search,") && lines[1].ends_with(",12,ok,false,100,44136fa355b3"),
        "{lines:?}"
    );
    assert!(lines[2].contains(",\"'=cmd()\","), "{lines:?}");
    assert!(lines[3].contains(",\"a,\"\"b\"\"\","), "{lines:?}");

    let ndjson = server.get(&path(&tracked, "&format=ndjson&tools=search&clients=cursor")).await.expect(200);
    let rows: Vec<Value> = ndjson.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 4]);
    let page =
        server.get(&format!("/v1/servers/{}/calls?last_days=2", tracked.server)).await.expect(200).json();
    assert_eq!(page["calls"][0], rows[1]);

    let request = server.browser(Method::GET, &path(&tracked, "&format=parquet"));
    let parquet = request.send().await.unwrap().bytes().await.unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));

    for (query, field) in [("&format=xls", "format"), ("&limit=5", "limit"), ("&tools=", "tools")] {
        let refused = server.get(&path(&tracked, query)).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], field);
    }
}

#[tokio::test]
async fn a_server_without_calls_is_a_header() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    assert_eq!(server.get(&path(&tracked, "")).await.expect(200).body.lines().count(), 1);
    assert_eq!(server.get(&path(&tracked, "&format=ndjson")).await.expect(200).body, "");
}

/// A server with more calls than one export reads at once.
async fn many(server: &TestServer) -> Tracked {
    let tracked = server.track().await;
    let limit = json!({"limit_per_minute": 1_000_000});
    answer(server.browser(Method::PATCH, &format!("/v1/keys/{}", tracked.key)).json(&limit))
        .await
        .expect(200);
    let long = "x".repeat(128);
    let batch: Vec<Value> = (0..500).map(|_| call_with("session_id", json!(long))).collect();
    for _ in 0..50 {
        server.send(&tracked.secret, &batch).await.expect(202);
    }
    tracked
}

#[tokio::test]
async fn a_long_export_is_whole() {
    let server = TestServer::start().await;
    let tracked = many(&server).await;
    let all = server.get(&path(&tracked, "&format=ndjson")).await.expect(200).body;
    let seqs = all.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap());
    assert!(seqs.eq(1..=25_000));
}

#[tokio::test]
async fn a_reader_that_stops_holds_nobody_and_sees_a_deletion() {
    let server = TestServer::start().await;
    let tracked = many(&server).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\nConnection: close\r\n\r\n",
        path(&tracked, ""),
        server.owner.cookie
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 4_096];
    stream.read_exact(&mut first).await.unwrap();
    // Writing and deleting wait for nothing.
    server.send(&tracked.secret, &[call_with("session_id", json!("s"))]).await.expect(202);
    answer(server.browser(Method::DELETE, &format!("/v1/servers/{}", tracked.server))).await.expect(204);
    // And what the reader gets is not taken for a whole file: the last chunk of HTTP is missing.
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "{} bytes", rest.len());
}
