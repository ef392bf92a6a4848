//! Servers over streamable HTTP, built anew for each session or request, sending to a real ingest.

#![cfg(all(feature = "rmcp", feature = "http"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use mcpulse::wire::payload::Transport;
use mcpulse::{Mcpulse, Options, Outcome, Sessions};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use support::PATIENCE;
use support::ingest::Ingest;
use support::server::{Client, Kit, call, client, modern};

/// Serves a watched server and says where.
async fn serve(options: Options, stateful: bool) -> String {
    let service = StreamableHttpService::new(
        // As the worst host would: everything anew each time.
        move || Ok(mcpulse::watch_with(Kit::new(true), options.clone())),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default().with_legacy_session_mode(stateful),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(
        async move { axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await },
    );
    url
}

async fn connect(url: &str, name: &str, lifecycle: ClientLifecycleMode) -> Client {
    let transport = StreamableHttpClientTransport::from_uri(url);
    client(name).serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

async fn echo(client: &Client) {
    client.call_tool(call("echo", json!({"text": "argument-canary"}))).await.unwrap();
}

async fn flush(options: &Options) {
    let pulse = Mcpulse::new(options.clone());
    assert!(tokio::task::spawn_blocking(move || pulse.flush(PATIENCE)).await.unwrap());
}

fn options(ingest: &Ingest) -> Options {
    Options::new().key("mp_live_rmcp").endpoint(&*ingest.url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_share_the_session_of_the_process_and_keep_their_names() {
    let ingest = Ingest::start();
    let url = serve(options(&ingest), true).await;
    let mut names = BTreeSet::new();
    let clients =
        [("a-modern", modern()), ("b-modern", modern()), ("c-older", ClientLifecycleMode::Initialize)];
    for (name, lifecycle) in clients {
        names.insert(name.to_owned());
        let client = connect(&url, name, lifecycle).await;
        client.list_all_tools().await.unwrap();
        for _ in 0..3 {
            echo(&client).await;
        }
    }
    flush(&options(&ingest)).await;
    let calls = ingest.calls();
    assert_eq!(calls.len(), 9);
    assert_eq!(calls.iter().map(|call| call.client_name.clone()).collect::<BTreeSet<_>>(), names);
    assert_eq!(calls.iter().map(|call| &call.session_id).collect::<BTreeSet<_>>().len(), 1);
    assert!(calls.iter().all(|call| call.outcome == Outcome::Ok));
    let startups = ingest.startups();
    assert_eq!(startups.len(), 1, "one surface, one startup");
    assert_eq!(startups[0].transport, Some(Transport::Http));
    assert!(!ingest.everything().contains("canary"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_that_the_protocol_names_are_told_apart_when_asked_for() {
    let ingest = Ingest::start();
    let options = options(&ingest).sessions(Sessions::Conversation);
    let url = serve(options.clone(), true).await;
    for _ in 0..2 {
        let older = connect(&url, "older", ClientLifecycleMode::Initialize).await;
        echo(&older).await;
        echo(&older).await;
    }
    let modern = connect(&url, "modern", modern()).await;
    echo(&modern).await;
    flush(&options).await;
    let calls = ingest.calls();
    let process = Mcpulse::new(options).session_id().unwrap();
    let ids: Vec<_> = calls.iter().map(|call| call.session_id.clone()).collect();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[2], ids[3]);
    assert_ne!(ids[0], ids[2]);
    assert!(!ids[..4].contains(&process));
    assert_eq!(ids[4], process);
    assert!(ingest.startups().iter().all(|startup| startup.session_id == process));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_protocol_session_an_older_client_is_unknown() {
    let ingest = Ingest::start();
    let url = serve(options(&ingest), false).await;
    let older = connect(&url, "older", ClientLifecycleMode::Initialize).await;
    echo(&older).await;
    flush(&options(&ingest)).await;
    assert_eq!(ingest.calls()[0].client_name, "unknown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_watched_servers_leave_nothing_behind() {
    let ingest = Ingest::start();
    let pulse = Mcpulse::new(options(&ingest));
    pulse.call("warm").record(|| ());
    let handler = Arc::new(Kit::new(true));
    for _ in 0..1_000 {
        let watched = mcpulse::watch_with(Arc::clone(&handler), options(&ingest));
        assert_eq!(watched.pulse().session_id(), pulse.session_id());
    }
    assert_eq!(Arc::strong_count(&handler), 1, "no watched server is kept");
    // Each test of this file has one destination, and a destination has one thread.
    let is_ours = |task: &std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "mcpulse")
    };
    let ours =
        std::fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.flatten().filter(is_ours).count());
    assert!(ours <= 4, "threads do not pile up: {ours}");
}
