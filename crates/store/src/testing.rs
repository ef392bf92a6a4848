//! Help for tests: a store in a temporary directory, and payloads with few words. Built with the feature `testing`.

mod story;

pub use story::story;

use std::sync::Arc;

use mcpulse_wire::hash::NO_ARGUMENTS;
use mcpulse_wire::payload::{Agreement, Call, Outcome, Startup, Tool};
use tempfile::TempDir;

use crate::duckdb::{DuckEvents, Options};
use crate::events::{Appended, EventError, EventStore, NewAgreement, NewBatch, NewCall, NewPayload};
use crate::id::{KeyId, ServerId};

/// An embedded event store in a directory that goes away with it.
pub struct TempEvents {
    /// The store.
    pub store: Arc<DuckEvents>,
    /// Its data directory.
    pub dir: TempDir,
    /// One server to append to.
    pub server: ServerId,
    /// One ingest key.
    pub key: KeyId,
}

impl TempEvents {
    /// Opens an empty store with small limits.
    ///
    /// # Errors
    /// When the temporary directory or the store cannot be opened.
    pub fn open() -> Result<Self, EventError> {
        let dir = TempDir::new().map_err(|error| EventError::Engine(error.to_string()))?;
        let options = Options { threads: 2, memory_bytes: 256 << 20, ..Options::default() };
        let store = Arc::new(DuckEvents::open(dir.path(), options)?);
        Ok(Self { store, dir, server: ServerId::new(), key: KeyId::new() })
    }

    /// Appends payloads to the server in one batch that arrives at `received_ms`.
    ///
    /// # Errors
    /// As [`EventStore::append`].
    pub async fn append(&self, received_ms: i64, payloads: Vec<NewPayload>) -> Result<Appended, EventError> {
        self.store.append(self.server, batch(self.key, received_ms, payloads)).await
    }
}

/// A batch without rejections or idempotency key.
#[must_use]
pub fn batch(key: KeyId, received_ms: i64, payloads: Vec<NewPayload>) -> NewBatch {
    NewBatch {
        key,
        producer: "mcpulse-rust/0.1.0".to_owned(),
        idempotency_key: None,
        received_ms,
        payloads,
        rejected: Vec::new(),
    }
}

/// A good call of 10 ms and 100 units; change its fields with `..`.
#[must_use]
pub fn call(session: &str, tool: &str, started_ms: i64) -> NewCall {
    NewCall {
        started_ms,
        call: Call {
            v: 1,
            session_id: session.to_owned(),
            client_name: "cursor".to_owned(),
            tool_name: tool.to_owned(),
            started_at: timestamp(started_ms),
            duration_ms: 10,
            outcome: Outcome::Ok,
            response_bytes: 100,
            is_empty: false,
            args_hash: NO_ARGUMENTS,
        },
    }
}

/// A startup that shows the tools with the given names, 400 units each.
#[must_use]
pub fn startup(session: &str, tools: &[&str]) -> Startup {
    let tool = |name: &&str| Tool {
        name: (*name).to_owned(),
        schema_bytes: 400,
        schema_hash: None,
        description_hash: None,
        description_norm: None,
        policy: None,
    };
    Startup {
        v: 1,
        session_id: session.to_owned(),
        client_name: "cursor".to_owned(),
        tools: tools.iter().map(tool).collect(),
        sdk: Some("mcpulse-rust/0.1.0".to_owned()),
        mcp_sdk_version: None,
        protocol_version: None,
        transport: None,
        agreements: None,
    }
}

/// A verdict about one field of two tools.
#[must_use]
pub fn agreement(
    session: &str,
    field: &str,
    tools: [&str; 2],
    agreed: bool,
    checked_ms: i64,
) -> NewAgreement {
    let [a, b] = tools;
    NewAgreement {
        checked_ms,
        agreement: Agreement {
            v: 1,
            session_id: session.to_owned(),
            field: field.to_owned(),
            tool_a: a.to_owned(),
            tool_b: b.to_owned(),
            agreed,
            checked_at: timestamp(checked_ms),
            window_ms: 300_000,
        },
    }
}

fn timestamp(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|at| at.to_string()).unwrap_or_default()
}
