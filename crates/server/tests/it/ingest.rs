//! `POST /v1/ingest`: every case has its answer, and nothing is stored that should not be.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use mcpulse_store::control::{Actor, ControlStore, SqliteControl};
use mcpulse_wire::time::format_ms;
use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::support::{TestServer, answer, call, call_with, now_ms};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn valid_payloads_are_stored_and_counted() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let startup = json!({
        "v": 1, "type": "startup", "session_id": "s_0123456789ab", "client_name": "cursor",
        "tools": [{"name": "search", "schema_bytes": 120}], "sdk": "mcpulse-rust/0.1.0",
    });
    let agreement = json!({
        "v": 1, "type": "agreement", "session_id": "s_0123456789ab", "field": "total", "tool_a": "a", "tool_b": "b",
        "agreed": true, "checked_at": format_ms(now_ms()), "window_ms": 300_000,
    });
    let sent = server.send(&tracked.secret, &[startup, call(), agreement, call()]).await.expect(202);
    assert_eq!(sent.json(), json!({"accepted": 4, "rejected": [], "accepts": [1]}));
    assert_eq!(server.health(&tracked.server).await, (4, vec![]));
}

#[tokio::test]
async fn an_empty_batch_is_accepted() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let sent = server.send(&tracked.secret, &[]).await.expect(202);
    assert_eq!(sent.json(), json!({"accepted": 0, "rejected": [], "accepts": [1]}));
}

#[tokio::test]
async fn a_bad_payload_never_costs_its_neighbours() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let hour = 3_600_000;
    let batch = [
        call(),
        call_with("arguments", json!({"password": "hunter2"})),
        call_with("tool_name", json!("n".repeat(201))),
        call_with("v", json!(2)),
        call_with("args_hash", json!("XYZ")),
        call_with("started_at", json!(format_ms(now_ms() + hour))),
        call_with("tool_name", json!("é".repeat(200))),
    ];
    let sent = server.send(&tracked.secret, &batch).await.expect(202);
    assert!(!sent.body.contains("hunter2") && !sent.body.contains("password"), "{}", sent.body);
    let rejected = |index: u32, path: &str, rule: &str| json!({"index": index, "path": path, "rule": rule});
    assert_eq!(
        sent.json(),
        json!({
            "accepted": 2,
            "rejected": [
                rejected(1, "", "additionalProperties"),
                rejected(2, "/tool_name", "maxLength"),
                rejected(3, "/v", "const"),
                rejected(4, "/args_hash", "pattern"),
                rejected(5, "/started_at", "future"),
            ],
            "accepts": [1],
        })
    );
    let counted = ["additionalProperties", "const", "future", "maxLength", "pattern"];
    let counted: Vec<_> = counted.map(|rule| (rule.to_owned(), 1)).into();
    assert_eq!(server.health(&tracked.server).await, (2, counted));
}

#[tokio::test]
async fn a_batch_of_nothing_but_bad_payloads_is_counted_and_the_answer_shows_20() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let batch = vec![call_with("v", json!(2)); 30];
    let sent = server.send(&tracked.secret, &batch).await.expect(202).json();
    assert_eq!(sent["accepted"], 0);
    assert_eq!(sent["rejected"].as_array().unwrap().len(), 20);
    assert_eq!(server.health(&tracked.server).await, (0, vec![("const".to_owned(), 30)]));
}

#[tokio::test]
async fn an_unknown_key_is_refused() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let unknown = format!("mp_live_{}", "0".repeat(32));
    let pat = format!("mp_pat_{}", "0".repeat(32));
    for secret in
        [unknown.as_str(), "", "mp_live_", &pat, &tracked.secret[..39], &format!("{}x", tracked.secret)]
    {
        server.send(secret, &[call()]).await.expect(401);
    }
    let without = server.anonymous(Method::POST, "/v1/ingest").json(&json!({"batch": [call()]}));
    let refused = answer(without).await.expect(401);
    assert!(refused.header("www-authenticate").starts_with("Bearer"));
    assert_eq!(server.health(&tracked.server).await, (0, vec![]));
}

#[tokio::test]
async fn a_browser_cannot_ingest() {
    let server = TestServer::start().await;
    server.track().await;
    server.post("/v1/ingest", json!({"batch": [call()]})).await.expect(401);
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_once() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &[call()]).await.expect(202);
    answer(server.browser(Method::DELETE, &format!("/v1/keys/{}", tracked.key))).await.expect(200);
    server.send(&tracked.secret, &[call()]).await.expect(401);
    assert_eq!(server.health(&tracked.server).await, (1, vec![]));
}

#[tokio::test]
async fn a_key_revoked_through_another_connection_is_refused_at_once() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &[call()]).await.expect(202);
    // As `mcpulse keys revoke` does it, beside the running server. crates/cli tests the same with two processes.
    let other = SqliteControl::open(server.dir.path()).unwrap();
    other.revoke_key(tracked.key.parse().unwrap(), Actor::Operator).await.unwrap();
    server.send(&tracked.secret, &[call()]).await.expect(401);
    assert_eq!(server.health(&tracked.server).await, (1, vec![]));
}

#[tokio::test]
async fn a_deleted_server_takes_nothing() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &[call()]).await.expect(202);
    answer(server.browser(Method::DELETE, &format!("/v1/servers/{}", tracked.server))).await.expect(204);
    server.send(&tracked.secret, &[call()]).await.expect(401);
    server.get(&format!("/v1/servers/{}/ingest-health", tracked.server)).await.expect(404);
    let left: Vec<_> = std::fs::read_dir(server.dir.path().join("events"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(&tracked.server))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_wrong_content_type_is_refused() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let body = json!({"batch": [call()]}).to_string();
    for kind in ["text/plain", "application/jsonx", "application/x-www-form-urlencoded", ""] {
        let request = server.anonymous(Method::POST, "/v1/ingest").bearer_auth(&tracked.secret);
        answer(request.header(header::CONTENT_TYPE, kind).body(body.clone())).await.expect(415);
    }
    for encoding in ["br", "deflate", "gzip, gzip"] {
        let request = server.ingest(&tracked.secret).header(header::CONTENT_ENCODING, encoding);
        answer(request.body(body.clone())).await.expect(415);
    }
    let counted = vec![("content_encoding".to_owned(), 3), ("content_type".to_owned(), 4)];
    assert_eq!(server.health(&tracked.server).await, (0, counted));
    let request = server.anonymous(Method::POST, "/v1/ingest").bearer_auth(&tracked.secret);
    let request = request.header(header::CONTENT_TYPE, "Application/JSON; charset=utf-8");
    answer(request.body(body)).await.expect(202);
}

#[tokio::test]
async fn a_broken_envelope_is_refused_and_counted() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let broken =
        ["", "nope", "{\"batch\":[", "[]", "{}", "{\"batch\":null}", "{\"batch\":{}}", "{\"batch\":[]} x"];
    for body in broken {
        let refused = answer(server.ingest(&tracked.secret).body(body)).await.expect(400).json();
        assert_eq!(refused["accepts"], json!([1]), "{body}");
    }
    let count = u64::try_from(broken.len()).unwrap();
    assert_eq!(server.health(&tracked.server).await, (0, vec![("envelope".to_owned(), count)]));
}

#[tokio::test]
async fn five_hundred_payloads_are_a_batch_and_one_more_is_not() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &vec![call(); 500]).await.expect(202);
    server.send(&tracked.secret, &vec![call(); 501]).await.expect(413);
    assert_eq!(server.health(&tracked.server).await, (500, vec![("batch_size".to_owned(), 501)]));
}

/// A batch of about that many bytes.
fn large(bytes: usize) -> Vec<u8> {
    let mut body = json!({"batch": [call()]}).to_string().into_bytes();
    let end = body.pop().unwrap();
    body.extend(std::iter::repeat_n(b' ', bytes - body.len() - 1));
    body.push(end);
    body
}

#[tokio::test]
async fn a_body_has_4_mib_and_one_byte_more_is_too_large() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let most = 4 * 1024 * 1024;
    answer(server.ingest(&tracked.secret).body(large(most))).await.expect(202);
    answer(server.ingest(&tracked.secret).body(large(most + 1))).await.expect(413);
    // The same without a length in the head.
    let chunks = large(most + 1)
        .chunks(65_536)
        .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
        .collect::<Vec<_>>();
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    answer(server.ingest(&tracked.secret).body(body)).await.expect(413);
    assert_eq!(server.health(&tracked.server).await, (1, vec![("body_size".to_owned(), 2)]));
}

#[tokio::test]
async fn compressed_bodies_are_bounded_after_expansion() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let send = |encoding: &'static str, body: Vec<u8>| {
        answer(server.ingest(&tracked.secret).header(header::CONTENT_ENCODING, encoding).body(body))
    };
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let plain = json!({"batch": [call(), call()]}).to_string().into_bytes();
    send("gzip", gzip(&plain)).await.expect(202);
    send("zstd", ruzstd::encoding::compress_to_vec(plain.as_slice(), level)).await.expect(202);
    let bomb = large(64 * 1024 * 1024);
    let zipped = gzip(&bomb);
    assert!(zipped.len() < 4 * 1024 * 1024);
    send("gzip", zipped).await.expect(413);
    send("zstd", ruzstd::encoding::compress_to_vec(bomb.as_slice(), level)).await.expect(413);
    let refused = send("gzip", plain).await.expect(400).json();
    assert_eq!(refused["accepts"], json!([1]));
    assert_eq!(server.health(&tracked.server).await.0, 4);
}

#[tokio::test]
async fn a_repeated_idempotency_key_answers_as_the_first_time_and_stores_nothing() {
    let server = TestServer::start().await;
    let (tracked, other) = (server.track().await, server.track().await);
    let send = |secret: &str, batch: Vec<Value>| {
        let request = server.ingest(secret).header("Idempotency-Key", "00112233445566778899aabbccddeeff");
        answer(request.json(&json!({ "batch": batch })))
    };
    let first = send(&tracked.secret, vec![call(), call_with("v", json!(2))]).await.expect(202);
    assert_eq!(first.json()["accepted"], 1);
    // Whatever comes with it the second time.
    let second = send(&tracked.secret, vec![call(), call(), call()]).await.expect(202);
    assert_eq!(first.json(), second.json());
    assert_eq!(server.health(&tracked.server).await, (1, vec![("const".to_owned(), 1)]));
    // The same key of another ingest key is another key.
    let third = send(&other.secret, vec![call(), call(), call()]).await.expect(202);
    assert_eq!(third.json()["accepted"], 3);
    let long = server.ingest(&tracked.secret).header("Idempotency-Key", "x".repeat(65));
    let refused = answer(long.json(&json!({"batch": [call()]}))).await.expect(400).json();
    assert_eq!(refused["accepts"], json!([1]));
}

#[tokio::test]
async fn concurrent_repeats_of_a_batch_store_it_once() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let requests = (0..16).map(|_| {
        let request = server.ingest(&tracked.secret).header("Idempotency-Key", "same");
        answer(request.json(&json!({"batch": [call(), call()]})))
    });
    for sent in futures_util::future::join_all(requests).await {
        assert_eq!(sent.expect(202).json()["accepted"], 2);
    }
    assert_eq!(server.health(&tracked.server).await, (2, vec![]));
}

#[tokio::test]
async fn over_the_limit_the_whole_batch_is_refused() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let limit = server.browser(Method::PATCH, &format!("/v1/keys/{}", tracked.key));
    answer(limit.json(&json!({"limit_per_minute": 5}))).await.expect(200);
    server.send(&tracked.secret, &vec![call(); 3]).await.expect(202);
    let refused = server.send(&tracked.secret, &vec![call(); 3]).await.expect(429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(server.health(&tracked.server).await.0, 3);
}

#[tokio::test]
async fn what_the_retention_would_delete_is_not_stored() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let path = format!("/v1/servers/{}", tracked.server);
    answer(server.browser(Method::PATCH, &path).json(&json!({"retention_days": 10}))).await.expect(200);
    let days = |days: i64| call_with("started_at", json!(format_ms(now_ms() - days * 86_400_000)));
    let sent = server.send(&tracked.secret, &[days(9), days(11)]).await.expect(202).json();
    assert_eq!(sent["rejected"], json!([{"index": 1, "path": "/started_at", "rule": "retention"}]));
    assert_eq!(sent["accepted"], 1);
}

#[tokio::test]
async fn a_closed_store_is_unavailable() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let (local, secret) = (server.local(), tracked.secret.clone());
    server.stop().await;
    // The listener is gone: nothing is answered, and the producer keeps its batch.
    let request = reqwest::Client::new().post(format!("{local}/v1/ingest")).bearer_auth(secret);
    assert!(request.json(&json!({"batch": [call()]})).send().await.is_err());
}

#[tokio::test]
async fn what_was_over_the_limit_is_counted_by_the_end() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let limit = server.browser(Method::PATCH, &format!("/v1/keys/{}", tracked.key));
    answer(limit.json(&json!({"limit_per_minute": 5}))).await.expect(200);
    server.send(&tracked.secret, &vec![call(); 7]).await.expect(429);
    let server = server.restart().await;
    assert_eq!(server.health(&tracked.server).await, (0, vec![("rate_limit".to_owned(), 7)]));
}
