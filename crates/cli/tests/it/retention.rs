//! `kill -9` while a retention is applied: the old file or the new one is there, whole, and what is old goes in the end.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use mcpulse_wire::time::format_ms;
use serde_json::{Value, json};

use crate::support::{Reader, Serve, call, track};

const ROUNDS: u64 = 12;
const DAY_MS: i64 = 86_400_000;

fn old(session: &str, days: i64) -> Value {
    let mut call = call(session);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    call["started_at"] = json!(format_ms(i64::try_from(now).unwrap() - days * DAY_MS));
    call
}

fn count(reader: &Reader, id: &str) -> usize {
    let page = reader.get(&format!("/v1/servers/{id}/calls?last_days=2&limit=1000"));
    page["calls"].as_array().unwrap().len()
}

fn holds(dir: &Path, text: &str) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, text);
        }
        std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|bytes| bytes == text.as_bytes())
    })
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "there is no runtime here, and the moment of a kill is what is tried"
)]
fn killed_at_any_moment_the_file_is_whole() {
    let data = tempfile::tempdir().unwrap();
    let mut fresh = 0;
    let (mut id, mut secret) = (String::new(), String::new());
    for round in 0..ROUNDS {
        let mut server = Serve::start(data.path());
        let reader = server.sign_in();
        if round == 0 {
            let tracked = track(data.path());
            (id, secret) = (tracked.0, tracked.2);
        }
        assert_eq!(count(&reader, &id), fresh, "round {round}");
        let path = format!("/v1/servers/{id}");
        reader.patch(&path, &json!({"retention_days": null}));
        let batch: Vec<Value> = (0..200).map(|number| old(&format!("old-canary-{number}"), 60)).collect();
        assert_eq!(server.send(&secret, &batch), 202);
        assert_eq!(server.send(&secret, &[call("fresh")]), 202);
        fresh += 1;
        // Each round is shorter than the one before, so that it is applied at once.
        reader.patch(&path, &json!({"retention_days": 50 - round}));
        // Another moment each round: some time after the beginning, and some time after the work is seen.
        if round % 2 == 0 {
            let work = data.path().join("events").join(format!("{id}.work"));
            let ran = || reader.get(&format!("{path}/retention"))["last_run"]["at_ms"].clone();
            let before = ran();
            while !work.exists() && ran() == before {
                sleep(Duration::from_millis(1));
            }
        }
        sleep(Duration::from_millis(round * 7));
        server.kill();
    }
    let server = Serve::start(data.path());
    let reader = server.sign_in();
    reader.patch(&format!("/v1/servers/{id}"), &json!({"retention_days": 20}));
    while holds(&data.path().join("events"), "old-canary") {
        sleep(Duration::from_millis(50));
    }
    assert_eq!(count(&reader, &id), fresh);
}
