//! Real requests to a recording ingest, well and badly behaved.

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

mod support;

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use mcpulse::{Mcpulse, Options};
use serde_json::json;
use support::ingest::{Answer, Ingest};
use support::{PATIENCE, until};

fn producer(ingest: &Ingest) -> Mcpulse {
    Mcpulse::new(Options::new().key("mp_live_http").endpoint(format!("{}/", ingest.url)))
}

fn record(pulse: &Mcpulse) {
    pulse.call("t").args(&json!({"a": 1})).record(|| json!({"content": []}));
}

#[test]
fn a_request_is_what_the_protocol_says() {
    let ingest = Ingest::start();
    let pulse = producer(&ingest);
    record(&pulse);
    assert!(pulse.flush(PATIENCE));
    let request = &ingest.requests()[0];
    assert!(request.head.starts_with("POST /v1/ingest HTTP/1.1\r\n"));
    assert_eq!(request.header("authorization"), Some("Bearer mp_live_http"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let agent = format!("mcpulse-rust/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(request.header("user-agent"), Some(agent.as_str()));
    let key = request.header("idempotency-key").unwrap();
    assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(pulse.losses().sent, 1);
}

#[test]
fn a_batch_is_tried_again_with_its_key_and_taken_once() {
    for answer in [
        Answer::Hang,
        Answer::Raw(
            "HTTP/1.1 503 Later\r\ncontent-length: 0\r\nretry-after: 0\r\nconnection: close\r\n\r\n"
                .to_owned(),
        ),
    ] {
        let ingest = Ingest::start();
        ingest.answer(answer);
        let pulse = producer(&ingest);
        record(&pulse);
        assert!(!pulse.flush(PATIENCE));
        until("the second try", || ingest.requests().len() == 2);
        until("its answer", || pulse.losses().sent == 1);
        let requests = ingest.requests();
        assert_eq!(requests[0].header("idempotency-key"), requests[1].header("idempotency-key"));
        assert_eq!(requests[0].body, requests[1].body);
    }
}

#[test]
fn other_answers_end_the_batch_and_the_next_is_sent() {
    for status in [
        "400 Bad Request",
        "401 Unauthorized",
        "413 Too Large",
        "500 Oops",
        "302 Found\r\nlocation: http://127.0.0.1:1/",
    ] {
        let ingest = Ingest::start();
        ingest.answer_status(status);
        let pulse = producer(&ingest);
        record(&pulse);
        pulse.flush(PATIENCE);
        record(&pulse);
        assert!(pulse.flush(PATIENCE));
        let losses = pulse.losses();
        assert_eq!((losses.refused, losses.sent), (1, 1), "{status}");
        assert_eq!(ingest.requests().len(), 2);
    }
}

#[test]
fn garbage_is_no_answer() {
    let ingest = Ingest::start();
    ingest.answer(Answer::Raw("\u{7f}SSH-2.0-nonsense\r\n\r\n".to_owned()));
    let pulse = producer(&ingest);
    record(&pulse);
    assert!(!pulse.flush(PATIENCE));
    assert_eq!(pulse.losses().waiting, 1);
}

#[test]
fn an_answer_that_breaks_off_has_answered() {
    let ingest = Ingest::start();
    ingest.answer(Answer::Raw("HTTP/1.1 202 Accepted\r\ncontent-length: 500\r\n\r\n{\"acc".to_owned()));
    let pulse = producer(&ingest);
    record(&pulse);
    assert!(pulse.flush(PATIENCE));
    assert_eq!(pulse.losses().sent, 1);
}

#[test]
fn a_dead_ingest_costs_the_host_nothing_but_the_oldest_payloads() {
    // Bound and dropped: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let pulse = Mcpulse::new(Options::new().key("k").endpoint(format!("http://127.0.0.1:{port}")));
    for _ in 0..5_000 {
        record(&pulse);
    }
    let losses = pulse.losses();
    assert_eq!(losses.recorded, 5_000);
    assert!(losses.waiting <= 1_500, "the ring and at most one batch that was on its way: {losses}");
    assert_eq!(losses.overflowed + losses.waiting, 5_000);
}

#[test]
fn a_flush_waits_no_longer_than_it_is_told() {
    let ingest = Ingest::start();
    ingest.answer(Answer::Silence);
    let pulse = producer(&ingest);
    record(&pulse);
    assert!(!pulse.flush(Duration::from_millis(50)));
    assert_eq!(pulse.losses().waiting, 1);
}

fn example(ingest: &Ingest, how: &str) -> Output {
    // …/debug/deps/http-1234 → …/debug/examples/exits
    let mut program: PathBuf = std::env::current_exe().unwrap();
    program.pop();
    program.pop();
    program.push("examples/exits");
    Command::new(program)
        .arg(how)
        .env("MCPULSE_KEY", "mp_live_exit")
        .env("MCPULSE_ENDPOINT", &ingest.url)
        .output()
        .unwrap()
}

#[test]
fn the_end_of_the_process_flushes() {
    for (how, code) in [("return", 0), ("exit", 3), ("panic", 101)] {
        let ingest = Ingest::start();
        let output = example(&ingest, how);
        assert_eq!(output.status.code(), Some(code), "{how}");
        let calls = ingest.calls();
        assert_eq!(calls.len(), 1, "{how}");
        assert_eq!(calls[0].tool_name, how);
    }
}

#[test]
fn an_end_without_an_ingest_takes_no_longer_and_changes_no_exit_code() {
    let ingest = Ingest::start();
    ingest.answer(Answer::Silence);
    let output = example(&ingest, "exit");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn stdout_is_pure_and_canaries_stay_at_home() {
    let ingest = Ingest::start();
    let output = example(&ingest, "return");
    assert!(output.stdout.is_empty());
    let debug = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(debug.contains("mcpulse: sending") && debug.contains("args_hash"));
    for text in [ingest.everything(), debug] {
        assert!(!text.contains("canary"), "{text}");
    }
    assert!(!String::from_utf8_lossy(&output.stderr).contains("mp_live_exit"), "the key is a secret");
}

#[cfg(unix)]
#[test]
fn a_forked_child_has_a_session_and_a_sender_of_its_own() {
    let ingest = Ingest::start();
    assert!(example(&ingest, "fork").status.success());
    let calls = ingest.calls();
    let of = |tool: &str| calls.iter().find(|call| call.tool_name == tool).unwrap().session_id.clone();
    assert_eq!(calls.len(), 3, "nothing is sent twice: {calls:?}");
    assert_eq!(of("fork"), of("fork-parent"));
    assert_ne!(of("fork"), of("fork-child"));
}
