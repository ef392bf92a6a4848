//! `kill -9` under load: what was answered 202 is there, once, however often the server dies.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, mpsc};

use reqwest::blocking::Client;
use serde_json::Value;

use crate::support::{Reader, Serve, call, send, track};

const ROUNDS: usize = 20;
const SENDERS: usize = 4;
const BATCH: usize = 30;

/// One batch with the idempotency key of all its tries. Every payload has a session of its own, to be counted by.
struct Batch {
    idempotency: String,
    sessions: Vec<String>,
}

impl Batch {
    fn new(name: &str) -> Self {
        let sessions = (0..BATCH).map(|payload| format!("{name}-{payload}")).collect();
        Self { idempotency: name.to_owned(), sessions }
    }

    /// Whether it was answered 202.
    fn send(&self, client: &Client, url: &str, key: &str) -> bool {
        let payloads: Vec<Value> = self.sessions.iter().map(|session| call(session)).collect();
        send(client, url, key, &self.idempotency, &payloads) == Some(202)
    }
}

/// What the senders know.
#[derive(Default)]
struct Load {
    acknowledged: Mutex<Vec<Batch>>,
    /// Sent, and not known to be stored.
    open: Mutex<Vec<Batch>>,
}

impl Load {
    /// Sends until the server dies, in the middle of the load; then batches without an answer stay open.
    fn round(&self, round: usize, server: &mut Serve, key: &str) {
        // Open batches of earlier rounds come again first, with their keys.
        let again = std::mem::take(&mut *self.open.lock().unwrap());
        let again = Mutex::new(again);
        let (answered, answers) = mpsc::channel();
        // Where in the load the server dies: another place each round.
        let deadly = 3 + round * 7 % 23;
        let url = server.url.clone();
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (again, answered, url) = (&again, answered.clone(), &url);
                scope.spawn(move || {
                    let client = Client::new();
                    for number in 0.. {
                        let open = again.lock().unwrap().pop();
                        let batch =
                            open.unwrap_or_else(|| Batch::new(&format!("r{round}-s{sender}-b{number}")));
                        if !batch.send(&client, url, key) {
                            self.open.lock().unwrap().push(batch);
                            return;
                        }
                        self.acknowledged.lock().unwrap().push(batch);
                        // Nobody counts any more once the server has to die.
                        let _ = answered.send(());
                    }
                });
            }
            drop(answered);
            assert_eq!(answers.iter().take(deadly).count(), deadly, "the server died by itself");
            server.kill();
        });
        self.open.lock().unwrap().extend(again.into_inner().unwrap());
    }
}

/// How often each session is stored.
fn stored(reader: &Reader, id: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    let mut cursor = String::new();
    loop {
        let page = reader.get(&format!("/v1/servers/{id}/calls?last_days=3&limit=1000{cursor}"));
        for call in page["calls"].as_array().unwrap() {
            *counts.entry(call["session_id"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        match page["next"].as_u64() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return counts,
        }
    }
}

fn check(load: &Load, counts: &HashMap<String, usize>) {
    let acknowledged = load.acknowledged.lock().unwrap();
    for session in acknowledged.iter().flat_map(|batch| &batch.sessions) {
        assert_eq!(counts.get(session), Some(&1), "{session} was answered 202");
    }
    assert!(counts.values().all(|count| *count == 1));
}

#[test]
fn twenty_kills_lose_nothing_and_double_nothing() {
    let data = tempfile::tempdir().unwrap();
    let (id, key) = prepare(data.path());
    let load = Load::default();
    let mut unanswered = 0;
    for round in 0..ROUNDS {
        let mut server = Serve::start(data.path());
        load.round(round, &mut server, &key);
        unanswered += load.open.lock().unwrap().len();
    }
    let server = Serve::start(data.path());
    let reader = server.sign_in();
    check(&load, &stored(&reader, &id));
    // Whatever was open comes again: now all of it is there, once, and nothing else is.
    let client = Client::new();
    for batch in std::mem::take(&mut *load.open.lock().unwrap()) {
        assert!(batch.send(&client, &server.url, &key));
        load.acknowledged.lock().unwrap().push(batch);
    }
    let counts = stored(&reader, &id);
    check(&load, &counts);
    let sent: usize = load.acknowledged.lock().unwrap().iter().map(|batch| batch.sessions.len()).sum();
    assert_eq!(counts.len(), sent);
    assert!(unanswered >= ROUNDS, "the server never died in the middle of the load: {unanswered}");
}

/// A server with a key that no load exceeds.
fn prepare(data: &Path) -> (String, String) {
    let server = Serve::start(data);
    let (id, key, secret) = track(data);
    server.sign_in().patch(&format!("/v1/keys/{key}"), &serde_json::json!({"limit_per_minute": 100_000_000}));
    (id, secret)
}
