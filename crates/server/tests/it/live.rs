//! Live tails, as a browser sees them.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::{TestServer, Tracked, answer, call_with, text};

/// One event.
#[derive(Debug)]
struct Event {
    id: String,
    name: String,
    data: Value,
}

/// A stream of events.
struct Tail {
    response: Response,
    read: String,
}

impl Tail {
    async fn open(server: &TestServer, path: &str, last: Option<&str>) -> Self {
        let mut request = server.browser(Method::GET, path);
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut tail = Self { response, read: String::new() };
        assert_eq!(tail.next().await.unwrap().name, "ready");
        tail
    }

    /// The next event that is one; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                        .map(|value| value.trim_start().to_owned())
                };
                let (id, name, data) = (field("id"), field("event"), field("data"));
                self.read = rest.to_owned();
                // A comment is no event.
                if let (Some(id), Some(name), Some(data)) = (id, name, data) {
                    return Some(Event { id, name, data: serde_json::from_str(&data).unwrap() });
                }
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Reads until the server ends the stream.
    async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}

fn path(tracked: &Tracked, tail: &str) -> String {
    format!("/v1/servers/{}/live{tail}", tracked.server)
}

fn session(name: &str) -> Value {
    call_with("session_id", json!(name))
}

#[tokio::test]
async fn calls_come_as_they_arrive_and_go_on_where_they_were() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    server.send(&tracked.secret, &[session("before")]).await.expect(202);
    let mut tail = Tail::open(&server, &path(&tracked, "/calls"), None).await;
    server.send(&tracked.secret, &[session("a"), session("b")]).await.expect(202);
    let mut last = String::new();
    for expected in ["a", "b"] {
        let event = tail.next().await.unwrap();
        assert_eq!((event.name.as_str(), &event.data["session_id"]), ("call", &json!(expected)));
        assert_eq!(event.id, event.data["seq"].to_string());
        last = event.id;
    }
    drop(tail);
    // What arrives meanwhile comes to whoever comes back, once.
    server.send(&tracked.secret, &[session("c")]).await.expect(202);
    let mut tail = Tail::open(&server, &path(&tracked, "/calls"), Some(&last)).await;
    server.send(&tracked.secret, &[session("d")]).await.expect(202);
    for expected in ["c", "d"] {
        assert_eq!(tail.next().await.unwrap().data["session_id"], expected);
    }
    // A browser cannot set the header the first time.
    let from_the_page = path(&tracked, "/calls?last_event_id=0");
    let mut tail = Tail::open(&server, &from_the_page, None).await;
    assert_eq!(tail.next().await.unwrap().data["session_id"], "before");
}

#[tokio::test]
async fn a_tail_is_filtered_as_everything_is() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut tail = Tail::open(&server, &path(&tracked, "/calls?tools=a%26b&clients=cursor"), None).await;
    let tool = |name: &str| call_with("tool_name", json!(name));
    let mut elsewhere = tool("a&b");
    elsewhere["client_name"] = json!("claude-desktop");
    server.send(&tracked.secret, &[tool("a"), elsewhere, tool("a&b")]).await.expect(202);
    let event = tail.next().await.unwrap();
    assert_eq!((event.data["tool"].as_str(), event.data["seq"].as_u64()), (Some("a&b"), Some(3)));
}

#[tokio::test]
async fn ingest_health_names_each_rejection_and_never_a_value() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut tail = Tail::open(&server, &path(&tracked, "/ingest-health"), None).await;
    let batch =
        [session("good"), call_with("args_hash", json!("secret-value")), call_with("secret", json!(1))];
    server.send(&tracked.secret, &batch).await.expect(202);
    let event = tail.next().await.unwrap();
    assert_eq!(event.name, "ingest");
    let data = &event.data;
    assert_eq!((&data["calls"], &data["rejected"]), (&json!(1), &json!(2)));
    assert_eq!((&data["producer"], &data["key_id"]), (&json!("mcpulse-rust/0.1.0"), &json!(tracked.key)));
    let rejections = json!([
        {"index": 1, "path": "/args_hash", "rule": "pattern"},
        {"index": 2, "path": "", "rule": "additionalProperties"},
    ]);
    assert_eq!(data["rejections"], rejections);
    // The call ended a second before it was sent, less what it took.
    assert!(data["lag_ms"].as_i64().unwrap() >= 988, "{data}");
    assert!(!data.to_string().contains("secret"), "{data}");
    // A batch that is refused whole is seen too, and so is one that came while nobody was there.
    answer(server.ingest(&tracked.secret).body("{")).await.expect(400);
    let refused = tail.next().await.unwrap();
    assert_eq!((&refused.data["calls"], &refused.data["rejected"]), (&json!(0), &json!(1)));
    drop(tail);
    server.send(&tracked.secret, &[session("meanwhile")]).await.expect(202);
    let mut tail = Tail::open(&server, &path(&tracked, "/ingest-health"), Some(&refused.id)).await;
    assert_eq!(tail.next().await.unwrap().data["calls"], 1);
}

#[tokio::test]
async fn one_connection_serves_both() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut tail = Tail::open(&server, &path(&tracked, ""), None).await;
    server.send(&tracked.secret, &[session("a"), call_with("duration_ms", json!(-1))]).await.expect(202);
    let (first, second) = (tail.next().await.unwrap(), tail.next().await.unwrap());
    assert_eq!((first.name.as_str(), second.name.as_str()), ("ingest", "call"));
    // Its id says where both are.
    drop(tail);
    server.send(&tracked.secret, &[session("b")]).await.expect(202);
    let mut tail = Tail::open(&server, &path(&tracked, ""), Some(&second.id)).await;
    assert_eq!(tail.next().await.unwrap().name, "ingest");
    assert_eq!(tail.next().await.unwrap().data["session_id"], "b");
}

#[tokio::test]
async fn whoever_is_too_far_behind_is_told_what_was_missed() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let limit = json!({"limit_per_minute": 1_000_000});
    answer(server.browser(Method::PATCH, &format!("/v1/keys/{}", tracked.key)).json(&limit))
        .await
        .expect(200);
    let batch: Vec<Value> = (0..500).map(|number| session(&format!("s{number}"))).collect();
    for _ in 0..21 {
        server.send(&tracked.secret, &batch).await.expect(202);
    }
    let mut tail = Tail::open(&server, &path(&tracked, "/calls"), Some("0")).await;
    let missed = tail.next().await.unwrap();
    assert_eq!((missed.name.as_str(), &missed.data["arrivals"]), ("missed", &json!(500)));
    for expected in 501..=10_500 {
        assert_eq!(tail.next().await.unwrap().data["seq"], expected);
    }
    // Numbers of another run of the program say nothing here.
    let mut tail = Tail::open(&server, &path(&tracked, "/ingest-health"), Some("-1-5")).await;
    assert_eq!(tail.next().await.unwrap().data, json!({"arrivals": 0, "requests": null}));
}

#[tokio::test]
async fn a_reader_that_stops_reading_stops_nobody_else() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\n\r\n",
        path(&tracked, ""),
        server.owner.cookie
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let batch: Vec<Value> = (0..200).map(|number| session(&format!("s{number}"))).collect();
    for _ in 0..40 {
        server.send(&tracked.secret, &batch).await.expect(202);
    }
    assert_eq!(server.health(&tracked.server).await.0, 8_000);
    // Nor does it keep the server from ending.
    server.stop().await;
    drop(stream);
}

#[tokio::test]
async fn a_tail_ends_with_its_server_its_credential_and_its_host() {
    let server = TestServer::start().await;
    let (first, second) = (server.track().await, server.track().await);
    let mut of_server = Tail::open(&server, &path(&first, ""), None).await;
    answer(server.browser(Method::DELETE, &format!("/v1/servers/{}", first.server))).await.expect(204);
    of_server.ends().await;

    let tokens = format!("/v1/accounts/{}/tokens", server.owner.account);
    let made = server.post(&tokens, json!({"name": "t", "scopes": ["read"]})).await.expect(201).json();
    let request = server.anonymous(Method::GET, &path(&second, "/calls")).bearer_auth(text(&made["secret"]));
    let mut of_token = Tail { response: request.send().await.unwrap(), read: String::new() };
    assert_eq!(of_token.next().await.unwrap().name, "ready");
    let one = format!("{tokens}/{}", text(&made["token"]["id"]));
    answer(server.browser(Method::DELETE, &one)).await.expect(200);
    of_token.ends().await;

    let mut of_host = Tail::open(&server, &path(&second, ""), None).await;
    server.stop().await;
    of_host.ends().await;
}

#[tokio::test]
async fn bad_questions_name_the_parameter_and_the_rule() {
    let server = TestServer::start().await;
    let tracked = server.track().await;
    for (query, field) in
        [("last_event_id=x", "last_event_id"), ("from=2026-07-01", "from"), ("limit=1", "limit")]
    {
        let refused = server.get(&path(&tracked, &format!("/calls?{query}"))).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], field, "{query}");
    }
}
