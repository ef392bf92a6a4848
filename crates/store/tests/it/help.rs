//! Stores, batches and counts with few words.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::{Appended, EventError, EventStore, NewBatch, NewPayload};
use mcpulse_store::id::{KeyId, ServerId};
use mcpulse_store::metrics::types::{CallPage, CallRow, Range, Scope};
use mcpulse_store::metrics::{Metrics, MetricsError};
use mcpulse_store::testing::{batch, call};

/// 2026-03-01T12:00:00Z.
pub(crate) const NOON: i64 = 1_772_366_400_000;
pub(crate) const HOUR: i64 = 3_600_000;

/// Small limits, so that a test meets them.
pub(crate) fn small() -> Options {
    Options { threads: 1, memory_bytes: 256 << 20, ..Options::default() }
}

pub(crate) fn open(dir: &Path) -> Arc<DuckEvents> {
    Arc::new(DuckEvents::open(dir, small()).unwrap())
}

/// A batch of calls, each in a session of its own.
pub(crate) fn calls(key: KeyId, sessions: impl IntoIterator<Item = String>) -> NewBatch {
    let payloads =
        sessions.into_iter().map(|session| NewPayload::Call(call(&session, "search", NOON))).collect();
    batch(key, NOON, payloads)
}

/// The same batch, with an idempotency key.
pub(crate) fn keyed(batch: NewBatch, idempotency_key: &str) -> NewBatch {
    NewBatch { idempotency_key: Some(idempotency_key.to_owned()), ..batch }
}

/// One call.
pub(crate) async fn append_one(
    store: &DuckEvents,
    server: ServerId,
    session: &str,
) -> Result<Appended, EventError> {
    store.append(server, calls(KeyId::new(), [session.to_owned()])).await
}

/// The sessions of all calls of a server, in order of arrival.
pub(crate) async fn stored(store: &dyn Metrics, server: ServerId) -> Result<Vec<String>, MetricsError> {
    Ok(rows(store, server).await?.into_iter().map(|call| call.session_id).collect())
}

/// The places of all calls of a server in the order of arrival.
pub(crate) async fn seqs(store: &dyn Metrics, server: ServerId) -> Vec<u64> {
    rows(store, server).await.unwrap().into_iter().map(|call| call.seq).collect()
}

async fn rows(store: &dyn Metrics, server: ServerId) -> Result<Vec<CallRow>, MetricsError> {
    let range = Range { from_ms: NOON - 24 * HOUR, to_ms: NOON + 24 * HOUR };
    let scope = Scope {
        range,
        edges: vec![range.from_ms, range.to_ms],
        tools: Vec::new(),
        clients: Vec::new(),
        now_ms: NOON + 1_000 * HOUR,
        modes: BTreeMap::new(),
        usd_per_million_tokens: 3.0,
    };
    let mut rows = Vec::new();
    let mut seq = 0;
    loop {
        let answer = store.calls(server, &scope, &CallPage::After { seq, limit: 1_000 }).await?;
        rows.extend(answer.calls);
        match answer.next {
            Some(next) => seq = next,
            None => return Ok(rows),
        }
    }
}

/// Waits for something that happens on a thread of the store; a test that waits in vain ends with nextest's limit.
pub(crate) async fn until(mut happened: impl FnMut() -> bool) {
    while !happened() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// Whether any byte of any file in a directory, or any name of one, holds that text.
pub(crate) fn holds(dir: &Path, text: &str) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let named = path.file_name().unwrap().to_string_lossy().contains(text);
        let inside = if path.is_dir() {
            holds(&path, text)
        } else {
            std::fs::read(&path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes())
        };
        named || inside
    })
}
