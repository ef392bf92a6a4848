//! Starts the binary, and talks to the server it runs.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use mcpulse_wire::time::format_ms;
use reqwest::blocking::{Client, RequestBuilder};
use serde_json::{Value, json};

/// The binary, without the environment of whoever runs the tests.
pub(crate) fn mcpulse() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcpulse"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MCPULSE_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// Runs to the end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    mcpulse().args(arguments).output().unwrap()
}

/// Runs to the end with that on its standard input.
pub(crate) fn pipe(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = mcpulse();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The filter may stop reading before it has read everything.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs with `--json` on a data directory and reads the one line it prints.
pub(crate) fn json(data: &Path, arguments: &[&str]) -> Value {
    let output = mcpulse().arg("--json").arg("--data").arg(data).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `mcpulse serve`, killed when dropped.
pub(crate) struct Serve {
    child: Child,
    pub(crate) url: String,
    pub(crate) link: String,
}

impl Serve {
    pub(crate) fn start(data: &Path) -> Self {
        Self::with(data, &[])
    }

    pub(crate) fn with(data: &Path, arguments: &[&str]) -> Self {
        let mut command = mcpulse();
        command.arg("--json").arg("--data").arg(data).args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "warn",
        ]);
        Self::spawn(command.args(arguments))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("the server said {line:?}"));
        let text = |name: &str| said[name].as_str().unwrap().to_owned();
        Self { child, url: text("url"), link: text("sign_in") }
    }

    /// SIGKILL: nothing is flushed, nothing is said goodbye to.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, as a supervisor sends it. Whether it ended well.
    pub(crate) fn terminate(&mut self) -> bool {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().success()
    }

    /// What the server says on stderr, if its command pipes it.
    pub(crate) fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    /// A client that is signed in: it and its cookie.
    pub(crate) fn sign_in(&self) -> Reader {
        let client = Client::new();
        let token = self.link.split('#').nth(1).unwrap();
        let body = json!({ "token": token });
        let answer = client.post(format!("{}/v1/sign-in", self.url)).json(&body).send().unwrap();
        assert_eq!(answer.status(), 200);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        Reader { client, url: self.url.clone(), cookie }
    }

    /// Sends a batch; the status.
    pub(crate) fn send(&self, key: &str, batch: &[Value]) -> u16 {
        send(&Client::new(), &self.url, key, "", batch).unwrap()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a batch with an idempotency key, if one is given; the status, or `None` when nothing answers.
pub(crate) fn send(client: &Client, url: &str, key: &str, idempotency: &str, batch: &[Value]) -> Option<u16> {
    let mut request =
        client.post(format!("{url}/v1/ingest")).bearer_auth(key).json(&json!({ "batch": batch }));
    if !idempotency.is_empty() {
        request = request.header("Idempotency-Key", idempotency);
    }
    // The whole answer: a head alone may come from a server that dies while it writes the rest.
    let answer = request.send().ok()?;
    let status = answer.status().as_u16();
    answer.bytes().ok()?;
    Some(status)
}

/// Reads over REST.
pub(crate) struct Reader {
    client: Client,
    url: String,
    cookie: String,
}

impl Reader {
    pub(crate) fn get(&self, path: &str) -> Value {
        self.ask(path, self.client.get(format!("{}{path}", self.url)))
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Value {
        self.ask(path, self.client.patch(format!("{}{path}", self.url)).json(body))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        self.ask(path, self.client.post(format!("{}{path}", self.url)).json(body))
    }

    fn ask(&self, path: &str, request: RequestBuilder) -> Value {
        let answer = request.header("cookie", &self.cookie).send().unwrap();
        assert!(answer.status().is_success(), "{path}");
        answer.json().unwrap()
    }
}

/// A server and an ingest key in a data directory: their ids and the secret.
pub(crate) fn track(data: &Path) -> (String, String, String) {
    let server = json(data, &["servers", "create", "orders"])["id"].as_str().unwrap().to_owned();
    let key = json(data, &["keys", "create", &server]);
    (server, key["key"]["id"].as_str().unwrap().to_owned(), key["secret"].as_str().unwrap().to_owned())
}

/// A call that just ended well, in that session.
pub(crate) fn call(session: &str) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    json!({
        "v": 1, "type": "call", "session_id": session, "client_name": "cursor", "tool_name": "search",
        "started_at": format_ms(i64::try_from(now).unwrap()), "duration_ms": 12, "outcome": "ok",
        "response_bytes": 100, "is_empty": false, "args_hash": "44136fa355b3",
    })
}
