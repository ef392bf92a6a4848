//! Servers over a stream of lines, called by a real client of either protocol generation.

#![cfg(all(feature = "rmcp", feature = "test"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use mcpulse::testing::TestTransport;
use mcpulse::wire::payload::{Call, Transport};
use mcpulse::{Mcpulse, Options, Outcome};
use rmcp::model::GetTaskParams;
use rmcp::service::ClientLifecycleMode;
use serde_json::{Value, json};
use support::server::{Client, Kit, LowLevel, call, connect, modern};
use support::{PATIENCE, until};

fn producer() -> (Mcpulse, Arc<TestTransport>) {
    let sent = Arc::new(TestTransport::new());
    (Mcpulse::with_transport(Options::new().key("mp_live_test"), sent.clone()), sent)
}

async fn sent(pulse: &Mcpulse, transport: &TestTransport) -> Vec<Call> {
    let pulse = pulse.clone();
    assert!(tokio::task::spawn_blocking(move || pulse.flush(PATIENCE)).await.unwrap());
    transport.calls()
}

async fn try_all(client: &Client) -> Vec<(&'static str, bool)> {
    let good = json!({"text": "argument-canary"});
    let calls: [(&str, Value); 12] = [
        ("echo", good.clone()),
        ("echo", json!({"text": 7})),
        ("echo_theirs", good.clone()),
        ("echo_theirs", json!({})),
        ("nothing", Value::Null),
        ("list", Value::Null),
        ("fails", Value::Null),
        ("fails_alike", good),
        ("raises", Value::Null),
        ("breaks", Value::Null),
        ("wants_extension", Value::Null),
        ("no_such_tool", Value::Null),
    ];
    let mut ok = Vec::new();
    for (tool, args) in calls {
        let answer = client.call_tool(call(tool, args)).await;
        ok.push((tool, answer.is_ok_and(|result| result.is_error != Some(true))));
    }
    ok
}

const EXPECTED: [Outcome; 12] = [
    Outcome::Ok,
    Outcome::BadArgs,
    Outcome::Ok,
    Outcome::BadArgs,
    Outcome::Ok,
    Outcome::Ok,
    Outcome::ToolError,
    Outcome::ToolError,
    Outcome::ToolError,
    Outcome::Crashed,
    Outcome::Crashed,
    Outcome::BadArgs,
];

#[tokio::test]
async fn outcomes_with_the_authors_layer_watched() {
    for lifecycle in [ClientLifecycleMode::Initialize, modern()] {
        let (pulse, transport) = producer();
        let client = connect(pulse.watch(Kit::new(true)), "cursor", lifecycle.clone()).await;
        let answers = try_all(&client).await;
        let unwatched = connect(Kit::new(false), "cursor", lifecycle).await;
        assert_eq!(answers, try_all(&unwatched).await, "watching changes no answer");
        let calls = sent(&pulse, &transport).await;
        let outcomes: Vec<_> = calls.iter().map(|call| call.outcome).collect();
        assert_eq!(outcomes, EXPECTED);
        assert!(calls.iter().all(|call| call.client_name == "cursor"));
    }
}

/// The limit of watching from outside alone: what a tool words like a binding error is taken for one.
#[tokio::test]
async fn outcomes_without_it() {
    let (pulse, transport) = producer();
    // Our extractor tells all the same, so this server's `fails_alike` is known; `echo_theirs` goes by the text.
    let client = connect(pulse.watch(Kit::new(false)), "cursor", ClientLifecycleMode::Initialize).await;
    try_all(&client).await;
    let outcomes: Vec<_> = sent(&pulse, &transport).await.iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, EXPECTED);
}

#[tokio::test]
async fn sizes_emptiness_and_hashes_are_those_of_the_wire() {
    for lifecycle in [ClientLifecycleMode::Initialize, modern()] {
        let (pulse, transport) = producer();
        let client = connect(pulse.watch(Kit::new(true)), "c", lifecycle).await;
        let args = json!({"text": "café 🚀", "ignored": 1.0});
        let echo = client.call_tool(call("echo", args.clone())).await.unwrap();
        client.call_tool(call("nothing", Value::Null)).await.unwrap();
        let list = client.call_tool(call("list", Value::Null)).await.unwrap();
        let calls = sent(&pulse, &transport).await;
        let units =
            |result| mcpulse::wire::size::response_units(Some(&serde_json::to_value(result).unwrap()));
        assert_eq!(calls[0].response_bytes, units(&echo));
        assert_eq!(calls[0].args_hash, mcpulse::wire::hash::args_hash(Some(&args)));
        assert_eq!((calls[1].is_empty, calls[1].args_hash.as_str()), (true, "44136fa355b3"));
        assert_eq!((calls[2].is_empty, calls[2].response_bytes), (false, units(&list)));
    }
}

#[tokio::test]
async fn a_panic_is_recorded_and_the_server_goes_on() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(Kit::new(true)), "c", ClientLifecycleMode::Initialize).await;
    let peer = client.peer().clone();
    let lost = tokio::spawn(async move { peer.call_tool(call("panics", Value::Null)).await });
    let watched = pulse.clone();
    tokio::task::spawn_blocking(move || until("the crash", || watched.losses().recorded >= 1)).await.unwrap();
    lost.abort();
    client.call_tool(call("nothing", Value::Null)).await.unwrap();
    let outcomes: Vec<_> = sent(&pulse, &transport).await.iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, [Outcome::Crashed, Outcome::Ok]);
}

#[tokio::test]
async fn a_cancelled_call_is_counted_and_not_recorded() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(Kit::new(true)), "c", ClientLifecycleMode::Initialize).await;
    let waiting =
        tokio::time::timeout(Duration::from_millis(200), client.call_tool(call("waits", Value::Null)));
    assert!(waiting.await.is_err());
    let watched = pulse.clone();
    tokio::task::spawn_blocking(move || until("the cancellation", || watched.losses().cancelled == 1))
        .await
        .unwrap();
    assert!(sent(&pulse, &transport).await.is_empty());
}

#[tokio::test]
async fn the_startup_says_what_a_client_sees() {
    for (lifecycle, version) in [(ClientLifecycleMode::Initialize, "2025-11-25"), (modern(), "2026-07-28")] {
        let (pulse, transport) = producer();
        let client = connect(pulse.watch(Kit::new(true)), "claude-desktop", lifecycle).await;
        let tools = client.list_all_tools().await.unwrap();
        client.list_all_tools().await.unwrap();
        sent(&pulse, &transport).await;
        let startups = transport.startups();
        assert_eq!(startups.len(), 1);
        let startup = &startups[0];
        assert_eq!(startup.client_name, "claude-desktop");
        assert_eq!(startup.transport, Some(Transport::Stdio));
        assert_eq!(startup.protocol_version.as_deref(), Some(version));
        assert!(startup.mcp_sdk_version.as_deref().unwrap().starts_with("3."));
        assert!(startup.sdk.as_deref().unwrap().starts_with("mcpulse-rust/"));
        assert_eq!(startup.tools.len(), tools.len());
        for (told, seen) in startup.tools.iter().zip(&tools) {
            let entry = serde_json::to_value(seen).unwrap();
            assert_eq!(*told, mcpulse::wire::tools::tool_from_entry(&entry));
        }
    }
}

#[tokio::test]
async fn a_client_that_never_lists_is_no_reason_not_to_know_the_tools() {
    let (pulse, transport) = producer();
    let server = LowLevel { failures: 1, ..LowLevel::default() };
    let client = connect(pulse.watch(server), "c", ClientLifecycleMode::Initialize).await;
    let greet = || client.call_tool(call("greet", json!({"whom": "you"})));
    // The first collection fails; a later request begins another, which reads all pages.
    let deadline = std::time::Instant::now() + PATIENCE;
    while transport.startups().is_empty() {
        assert!(std::time::Instant::now() < deadline);
        greet().await.unwrap();
        let pulse = pulse.clone();
        tokio::task::spawn_blocking(move || pulse.flush(PATIENCE)).await.unwrap();
    }
    let names: Vec<_> = transport.startups()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["ask", "greet", "task"]);
}

#[tokio::test]
async fn servers_without_a_router() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(LowLevel::default()), "c", modern()).await;
    client.list_all_tools().await.unwrap();
    let watched = pulse.clone();
    tokio::task::spawn_blocking(move || until("the surface", || watched.losses().recorded >= 1))
        .await
        .unwrap();
    for (tool, args) in
        [("greet", json!({})), ("greet", Value::Null), ("says_no", json!({})), ("other", json!({}))]
    {
        let _ = client.call_tool(call(tool, args)).await;
    }
    // Two rounds, one call.
    client.call_tool(call("ask", json!({}))).await.unwrap();
    let _ = client.call_tool_once(call("task", json!({}))).await.unwrap();
    client.get_task(GetTaskParams::new("t-1")).await.unwrap();
    client.get_task(GetTaskParams::new("t-1")).await.unwrap();
    let calls = sent(&pulse, &transport).await;
    let outcomes: Vec<_> = calls.iter().map(|call| (call.tool_name.as_str(), call.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("greet", Outcome::Ok),
            ("greet", Outcome::BadArgs),
            ("says_no", Outcome::BadArgs),
            ("other", Outcome::BadArgs),
            ("ask", Outcome::Ok),
            ("task", Outcome::Ok),
        ]
    );
    assert_eq!(
        calls[5].response_bytes,
        u32::try_from(r#"{"content":[{"type":"text","text":"done"}]}"#.len()).unwrap()
    );
}

#[tokio::test]
async fn arguments_that_are_no_object_are_bad() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(Kit::new(true)), "c", ClientLifecycleMode::Initialize).await;
    let params = json!({"name": "echo", "arguments": "argument-canary"});
    let request = rmcp::model::CustomRequest::new("tools/call", Some(params));
    assert!(client.send_request(rmcp::model::ClientRequest::CustomRequest(request)).await.is_err());
    let calls = sent(&pulse, &transport).await;
    assert_eq!((calls[0].tool_name.as_str(), calls[0].outcome), ("echo", Outcome::BadArgs));
    assert_eq!(calls[0].args_hash, mcpulse::wire::hash::args_hash(Some(&json!("argument-canary"))));
}

#[tokio::test]
async fn a_change_of_the_tools_is_told() {
    let (pulse, transport) = producer();
    for wording in ["old", "new", "old"] {
        let server = LowLevel { wording: wording.into(), ..LowLevel::default() };
        let client = connect(pulse.watch(server), "c", ClientLifecycleMode::Initialize).await;
        let known = pulse.losses().recorded;
        client.list_all_tools().await.unwrap();
        if wording == "new" || known == 0 {
            let watched = pulse.clone();
            let more = move || until("the surface", || watched.losses().recorded > known);
            tokio::task::spawn_blocking(more).await.unwrap();
        }
    }
    sent(&pulse, &transport).await;
    assert_eq!(transport.startups().len(), 2);
}

#[tokio::test]
async fn canaries_stay_at_home() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(Kit::new(true)), "c", ClientLifecycleMode::Initialize).await;
    client.list_all_tools().await.unwrap();
    try_all(&client).await;
    sent(&pulse, &transport).await;
    for request in transport.requests() {
        assert!(!String::from_utf8_lossy(request.body()).contains("canary"));
    }
}

#[tokio::test]
async fn a_server_watched_twice_records_each_call_once() {
    let (pulse, transport) = producer();
    let client = connect(pulse.watch(pulse.watch(Kit::new(true))), "twice", modern()).await;
    try_all(&client).await;
    let calls = sent(&pulse, &transport).await;
    assert_eq!(calls.iter().map(|call| call.outcome).collect::<Vec<_>>(), EXPECTED);
}

#[tokio::test]
async fn a_server_watched_for_two_destinations_records_each_call_in_both() {
    let (one, first) = producer();
    let (other, second) = producer();
    let client = connect(other.watch(one.watch(Kit::new(true))), "both", modern()).await;
    try_all(&client).await;
    assert_eq!(sent(&one, &first).await.len(), EXPECTED.len());
    assert_eq!(sent(&other, &second).await.len(), EXPECTED.len());
}
