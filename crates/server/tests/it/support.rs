//! A server with stores of its own, and clients of every kind.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use mcpulse_server::{Config, Server, Stores, sign_in_link};
use mcpulse_store::control::{Actor, ControlStore, SqliteControl, User};
use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::EventStore;
use mcpulse_wire::time::format_ms;
use reqwest::{Client, Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) control: Arc<SqliteControl>,
    pub(crate) owner: Person,
    pub(crate) dir: TempDir,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

/// Somebody who is signed in, with an account and a server in it.
pub(crate) struct Person {
    pub(crate) user: User,
    pub(crate) account: String,
    pub(crate) cookie: String,
}

/// A server that somebody tracks, and a key for it.
pub(crate) struct Tracked {
    pub(crate) server: String,
    pub(crate) key: String,
    pub(crate) secret: String,
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: header::HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks the status, and that an error is a problem of the same status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        if status >= 400 {
            assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
            assert_eq!(self.json()["status"], status, "{self:?}");
        }
        self
    }
}

/// Reads an answer whole.
pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    // A stream of events has no end.
    let endless = headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
    let body = if endless { String::new() } else { response.text().await.unwrap() };
    Answer { status, headers, body }
}

/// Whether any byte of any file in a directory, or any name of one, holds that text.
pub(crate) fn holds(dir: &Path, text: &str) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let named = path.file_name().unwrap().to_string_lossy().contains(text);
        let inside = if path.is_dir() {
            holds(&path, text)
        } else {
            // A file may go while it is looked at; then it holds nothing.
            std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|bytes| bytes == text.as_bytes())
        };
        named || inside
    })
}

impl TestServer {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config { listen: "127.0.0.1:0".parse().unwrap(), ..Config::default() };
        change(&mut config);
        let dir = TempDir::new().unwrap();
        let control = Arc::new(SqliteControl::open(dir.path()).unwrap());
        let (server, stop, running) = run(&dir, config, &control).await;
        let owner = sign_in(&control, &format!("http://{}", server.0), "owner@example.org").await;
        Self { address: server.0, url: server.1, control, owner, dir, stop: Some(stop), running }
    }

    /// Ends the server and starts it again on the same data; the owner signs in anew, as the port is another.
    pub(crate) async fn restart(self) -> Self {
        self.restart_after(async |_| {}).await
    }

    /// The same, with something done to the stored events while no server works on them.
    pub(crate) async fn restart_after(mut self, work: impl AsyncFnOnce(&DuckEvents)) -> Self {
        self.stop.take().map(|stop| stop.send(()));
        (&mut self.running).await.unwrap();
        let events = DuckEvents::open(self.dir.path(), Options::default()).unwrap();
        work(&events).await;
        events.close().await.unwrap();
        drop(events);
        let config = Config { listen: "127.0.0.1:0".parse().unwrap(), ..Config::default() };
        let (server, stop, running) = run(&self.dir, config, &self.control).await;
        (self.address, self.url, self.stop, self.running) = (server.0, server.1, Some(stop), running);
        self.owner.cookie = cookie(&self.control, &self.local(), &self.owner.user).await;
        self
    }

    /// Another user, with an account of their own.
    pub(crate) async fn somebody_else(&self) -> Person {
        sign_in(&self.control, &self.local(), "else@example.org").await
    }

    /// Where the server is on this machine, whatever its public URL.
    pub(crate) fn local(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A request without credentials.
    pub(crate) fn anonymous(&self, method: Method, path: &str) -> RequestBuilder {
        Client::new().request(method, format!("{}{path}", self.local()))
    }

    /// A request of the owner's browser.
    pub(crate) fn browser(&self, method: Method, path: &str) -> RequestBuilder {
        self.as_person(&self.owner, method, path)
    }

    pub(crate) fn as_person(&self, person: &Person, method: Method, path: &str) -> RequestBuilder {
        self.anonymous(method, path).header(header::COOKIE, &person.cookie)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.browser(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        answer(self.browser(Method::POST, path).json(&body)).await
    }

    /// A server of the owner's with a key.
    pub(crate) async fn track(&self) -> Tracked {
        self.track_for(&self.owner).await
    }

    pub(crate) async fn track_for(&self, person: &Person) -> Tracked {
        let path = format!("/v1/accounts/{}/servers", person.account);
        let request = self.as_person(person, Method::POST, &path).json(&json!({"name": "orders"}));
        let server = text(&answer(request).await.expect(201).json()["id"]);
        let path = format!("/v1/servers/{server}/keys");
        let request = self.as_person(person, Method::POST, &path).json(&json!({"name": "test"}));
        let made = answer(request).await.expect(201).json();
        Tracked { server, key: text(&made["key"]["id"]), secret: text(&made["secret"]) }
    }

    /// An ingest request as a producer sends it, body still to come.
    pub(crate) fn ingest(&self, secret: &str) -> RequestBuilder {
        self.anonymous(Method::POST, "/v1/ingest")
            .bearer_auth(secret)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, "mcpulse-rust/0.1.0")
    }

    pub(crate) async fn send(&self, secret: &str, batch: &[Value]) -> Answer {
        answer(self.ingest(secret).json(&json!({ "batch": batch }))).await
    }

    /// What the server says it accepted, and rejected by rule.
    pub(crate) async fn health(&self, server: &str) -> (u64, Vec<(String, u64)>) {
        let health = self.get(&format!("/v1/servers/{server}/ingest-health")).await.expect(200).json();
        let mut rejections: Vec<(String, u64)> = health["rejections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (text(&row["rule"]), row["count"].as_u64().unwrap()))
            .collect();
        rejections.sort();
        (health["accepted"].as_u64().unwrap(), rejections)
    }

    /// Ends the server and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.running.await.unwrap();
    }
}

/// A server on the data in that directory: where it is, and how to end it.
async fn run(
    dir: &TempDir,
    config: Config,
    control: &Arc<SqliteControl>,
) -> ((SocketAddr, String), oneshot::Sender<()>, JoinHandle<()>) {
    let options = Options { threads: 1, memory_bytes: 256 << 20, ..Options::default() };
    let events = Arc::new(DuckEvents::open(dir.path(), options).unwrap());
    let server = Server::bind(config, Stores::new(events, Arc::clone(control))).await.unwrap();
    let place = (server.address(), server.url().to_owned());
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    (place, stop, running)
}

async fn sign_in(control: &SqliteControl, url: &str, email: &str) -> Person {
    let (user, account) = control.create_user(email, "Test", Actor::Operator).await.unwrap();
    let cookie = cookie(control, url, &user).await;
    Person { user, account: account.id.to_string(), cookie }
}

async fn cookie(control: &SqliteControl, url: &str, user: &User) -> String {
    let link = sign_in_link(control, url, user.id, Actor::Operator).await.unwrap();
    let token = link.split('#').nth(1).unwrap();
    let request = Client::new().post(format!("{url}/v1/sign-in")).json(&json!({ "token": token }));
    let signed_in = answer(request).await.expect(200);
    signed_in.header("set-cookie").split(';').next().unwrap().to_owned()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// A call that just ended well.
pub(crate) fn call() -> Value {
    json!({
        "v": 1, "type": "call", "session_id": "s_0123456789ab", "client_name": "cursor", "tool_name": "search",
        "started_at": format_ms(now_ms() - 1_000), "duration_ms": 12, "outcome": "ok",
        "response_bytes": 100, "is_empty": false, "args_hash": "44136fa355b3",
    })
}

/// The same with one field changed or added.
pub(crate) fn call_with(field: &str, value: Value) -> Value {
    let mut call = call();
    call[field] = value;
    call
}
