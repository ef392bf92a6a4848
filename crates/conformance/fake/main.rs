//! A harness with a small producer of its own (`docs/harness.md`), and `--fault NAME` to plant one mistake in it.
//! Nobody ships this: it proves that the kit's checks can fail.

mod faults;
mod http;
mod producer;
mod server;
mod tasks;
mod text;
mod tools;

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::net::TcpListener;
use std::process::{Command, ExitCode};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use faults::has;
use producer::Producer;
use server::{Heard, Origin, Server};

struct Flags {
    all: Vec<String>,
}

impl Flags {
    fn has(&self, name: &str) -> bool {
        self.all.iter().any(|one| one == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let at = self.all.iter().position(|one| one == name)?;
        self.all.get(at + 1).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.parse().ok()
    }
}

fn main() -> io::Result<ExitCode> {
    let flags = Flags { all: std::env::args().skip(1).collect() };
    faults::plant(flags.value("--fault").unwrap_or_default());
    if flags.has("fixtures") {
        text::answer()?;
        return Ok(ExitCode::SUCCESS);
    }
    let producer = attach(&flags);
    if flags.has("churn") {
        return churn(&flags);
    }
    let server = Arc::new(Server {
        producer: producer.clone(),
        low_level: flags.value("--api") == Some("low"),
        twice: flags.has("--twice"),
        page: flags.number("--page").and_then(|page| usize::try_from(page).ok()),
        ..Server::default()
    });
    if flags.value("--transport") == Some("http") {
        return over_http(&flags, &server);
    }
    if let Some(producer) = &producer {
        producer.start(false);
    }
    on_sigterm(&flags, producer.clone());
    over_stdio(&server)?;
    Ok(leave(producer.as_deref(), 0))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program that dies of its configuration is one of the faults"
)]
fn attach(flags: &Flags) -> Option<Arc<Producer>> {
    if flags.has("--unwatched") {
        return None;
    }
    let age = Duration::from_millis(flags.number("--age").unwrap_or(5_000));
    let by_conversation = flags.value("--sessions") == Some("conversation");
    let producer = Producer::new(flags.has("--debug"), by_conversation, age);
    if producer.is_none() && has("dies-of-nonsense") {
        std::process::exit(1);
    }
    producer
}

/// The end of the program: the flush, and the code.
fn leave(producer: Option<&Producer>, code: u8) -> ExitCode {
    if let Some(producer) = producer {
        producer.flush();
        if has("prints") {
            // Not a word may be printed here.
            let _ = writeln!(io::stdout(), "mcpulse: bye");
        }
        if has("changes-the-code") {
            return ExitCode::from(code + 1);
        }
    }
    ExitCode::from(code)
}

#[expect(clippy::disallowed_methods, reason = "the host's own exit is one of the ways to end")]
fn exit(producer: Option<&Producer>, code: u8) -> ! {
    // ExitCode cannot be read back.
    let changed = producer.is_some() && has("changes-the-code");
    let _ = leave(producer, code);
    std::process::exit(i32::from(code) + i32::from(changed))
}

/// Waits, without holding anything.
fn after(time: Duration) {
    let (_keep, never) = channel::<()>();
    let _ = never.recv_timeout(time);
}

fn on_sigterm(flags: &Flags, producer: Option<Arc<Producer>>) {
    let asked = flags.number("--on-sigterm").and_then(|code| u8::try_from(code).ok());
    let own = producer.is_some() && has("handles-signals");
    let Some(code) = asked.or(own.then_some(0)) else { return };
    let Some(mut terminations) = terminations() else { return };
    thread::spawn(move || {
        terminations();
        exit(producer.as_deref(), code);
    });
}

/// Waits for SIGTERM, which from now on ends nothing.
fn terminations() -> Option<impl FnMut() + Send + 'static> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
    let mut signals = runtime.block_on(async { signal(SignalKind::terminate()) }).ok()?;
    Some(move || {
        runtime.block_on(signals.recv());
    })
}

/// Ends the program when the answer of `quit` is out.
fn quit_if_asked(server: &Server, message: &str) {
    if !message.contains(r#""name":"quit""#) {
        return;
    }
    let parsed: serde_json::Value = serde_json::from_str(message).unwrap_or_default();
    let code = parsed.pointer("/params/arguments/code").and_then(serde_json::Value::as_u64);
    let uncaught = parsed.pointer("/params/arguments/how").is_some_and(|how| how == "uncaught");
    after(Duration::from_millis(50));
    let producer = server.producer.as_deref();
    let swallowed = producer.is_some() && has("swallows-errors");
    exit(producer, if uncaught && !swallowed { 101 } else { u8::try_from(code.unwrap_or(0)).unwrap_or(1) })
}

fn over_stdio(server: &Arc<Server>) -> io::Result<()> {
    let out = Arc::new(Mutex::new(io::stdout()));
    let given_up = Arc::new(Mutex::new(HashSet::<String>::new()));
    let client = Arc::new(Mutex::new(None::<String>));
    for line in io::stdin().lock().lines() {
        let line = line?;
        let is_call = line.contains(r#""method":"tools/call""#);
        let (server, out) = (Arc::clone(server), Arc::clone(&out));
        let (given_up, client) = (Arc::clone(&given_up), Arc::clone(&client));
        let serve = move || {
            let say = |text: &str| {
                let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
                // A client that has gone hears nothing.
                let _ = writeln!(out, "{text}").and_then(|()| out.flush());
            };
            let wait = |id: &str, ms: u64| {
                let deadline = Instant::now() + Duration::from_millis(ms);
                while Instant::now() < deadline {
                    after(Duration::from_millis(10));
                    if given_up.lock().unwrap_or_else(PoisonError::into_inner).contains(id) {
                        return true;
                    }
                }
                false
            };
            let notify = |method: &str| say(&format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#));
            let known = client.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let origin = Origin {
                transport: "stdio",
                conversation: None,
                client: known,
                wait: &wait,
                notify: &notify,
            };
            match server.hear(&line, &origin) {
                Heard::Answer(answer) => say(&answer),
                Heard::Initialize { answer, client: name } => {
                    *client.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
                    say(&answer);
                }
                Heard::Cancelled(id) => {
                    given_up.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
                }
                Heard::Nothing => {}
            }
            quit_if_asked(&server, &line);
        };
        // Calls run side by side; everything else in its order.
        if is_call { drop(thread::spawn(serve)) } else { serve() }
    }
    Ok(())
}

fn over_http(flags: &Flags, server: &Arc<Server>) -> io::Result<ExitCode> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let more: Vec<String> =
        (2..=flags.number("--servers").unwrap_or(1)).map(|at| format!("{url}{at}")).collect();
    writeln!(io::stdout(), "{}", serde_json::json!({ "url": url, "more": more }))?;
    let mut children = Vec::new();
    for _ in 0..flags.number("--fork").unwrap_or(0) {
        match fork::fork()? {
            fork::Fork::Child => {
                children.clear();
                break;
            }
            fork::Fork::Parent(child) => children.push(child),
        }
    }
    if !children.is_empty() {
        return parent(&children);
    }
    if let Some(producer) = &server.producer {
        producer.start(flags.has("--fork"));
    }
    on_sigterm(flags, server.producer.clone());
    http::serve(&listener, server, flags.value("--http") == Some("stateless"));
    Ok(ExitCode::SUCCESS)
}

/// Passes the end on to the children, and ends after them.
fn parent(children: &[i32]) -> io::Result<ExitCode> {
    if let Some(mut wait) = terminations() {
        wait();
    }
    for child in children {
        Command::new("kill").args(["-TERM", &child.to_string()]).status()?;
        fork::waitpid(*child)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn churn(flags: &Flags) -> io::Result<ExitCode> {
    let count = flags.number("churn").unwrap_or(1_000);
    let mut kept = Vec::new();
    let mut all = Vec::new();
    for _ in 0..count {
        let server = Arc::new(Server::default());
        all.push(Arc::downgrade(&server));
        if has("keeps-servers") {
            kept.push(server);
        }
    }
    let alive = all.iter().filter(|one| one.strong_count() > 0).count();
    writeln!(io::stdout(), "{}", serde_json::json!({ "created": count, "alive": alive }))?;
    drop(kept);
    Ok(ExitCode::SUCCESS)
}
