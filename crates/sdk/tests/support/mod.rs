//! What the integration tests share. Each test file uses a part of it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "each test file includes this and uses a part of it; tests may stop, and wait for other threads"
)]

pub mod ingest;
#[cfg(feature = "rmcp")]
pub mod server;

use std::time::{Duration, Instant};

/// Long enough for any machine; a test that passes does not wait for it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `done`, for things that happen on other threads.
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A file of `spec/`.
pub fn spec(name: &str) -> serde_json::Value {
    let path = format!("{}/../../spec/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
