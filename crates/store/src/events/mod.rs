//! The event store: what producers sent, one append-only store per tracked server.

use std::path::PathBuf;

use async_trait::async_trait;
use mcpulse_wire::payload::{Agreement, Call, Startup};

use crate::id::{KeyId, ServerId};

/// A valid call with its times parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCall {
    /// As it came over the wire.
    pub call: Call,
    /// `started_at` in milliseconds since 1970-01-01T00:00:00Z, rounded down.
    pub started_ms: i64,
}

/// A valid agreement with its time parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAgreement {
    /// As it came over the wire.
    pub agreement: Agreement,
    /// `checked_at` in milliseconds since 1970-01-01T00:00:00Z, rounded down.
    pub checked_ms: i64,
}

/// One valid payload.
#[derive(Clone, Debug, PartialEq)]
pub enum NewPayload {
    /// One finished `tools/call`.
    Call(NewCall),
    /// The tools clients see.
    Startup(Startup),
    /// Whether two tools agreed about one declared field.
    Agreement(NewAgreement),
}

/// One rejected payload: where and why, never what.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct Rejected {
    /// Position in the batch, from 0.
    pub index: u32,
    /// JSON Pointer into the payload; for an unknown field, its parent.
    pub path: String,
    /// The JSON Schema keyword (or protocol rule) that failed, such as `pattern`.
    pub rule: String,
}

/// Everything one ingest request brings.
#[derive(Clone, Debug)]
pub struct NewBatch {
    /// The key it came by.
    pub key: KeyId,
    /// Producer family from `User-Agent`: `mcpulse-rust/0.1.0`, or `other`.
    pub producer: String,
    /// The idempotency key, if one was sent.
    pub idempotency_key: Option<String>,
    /// The server's clock when the request arrived, milliseconds since 1970.
    pub received_ms: i64,
    /// The valid payloads, in order of the batch.
    pub payloads: Vec<NewPayload>,
    /// Every rejected payload (the answer shows the first 20; all are counted).
    pub rejected: Vec<Rejected>,
}

/// What was durably stored, and what a repeated idempotency key answers again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Appended {
    /// Number of valid payloads stored.
    pub accepted: u32,
    /// The first 20 rejected payloads.
    pub rejected: Vec<Rejected>,
    /// Whether this is the answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// What was deleted because it was older than a server's retention.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct Forgotten {
    /// Calls that started before.
    pub calls: u64,
    /// Agreements that were checked before.
    pub agreements: u64,
    /// Startups that arrived before, of sessions of which nothing is kept.
    pub startups: u64,
    /// Payloads that were rejected on days before.
    pub rejections: u64,
}

/// Why the event store could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// The store cannot take more right now (queue full, disk full, shutting down); nothing was stored.
    #[error("the event store cannot take more right now: {0}")]
    Unavailable(String),
    /// The file of this server is damaged or of a newer version; nothing was changed.
    #[error("the event file {path} cannot be opened: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the engine says of it.
        reason: String,
    },
    /// Another process works on the same data directory; nothing was changed.
    #[error("the data directory {path} is in use by another process", path = path.display())]
    InUse {
        /// The data directory.
        path: PathBuf,
    },
    /// The server was deleted; nothing was stored.
    #[error("the server was deleted")]
    Deleted,
    /// The engine failed.
    #[error("the event store failed: {0}")]
    Engine(String),
}

/// An engine that stores what producers sent and answers every metric question.
///
/// Appends are durable when they return. Reads see every append that returned before they began.
#[async_trait]
pub trait EventStore: Send + Sync + 'static {
    /// Stores a batch; returns only after it is durable. A repeated idempotency key of the same ingest key
    /// within 24 hours stores nothing and answers as the first time.
    async fn append(&self, server: ServerId, batch: NewBatch) -> Result<Appended, EventError>;

    /// Deletes what is older than a moment, so that no byte of it is left on disk. Nothing is refused meanwhile.
    async fn forget_before(&self, server: ServerId, before_ms: i64) -> Result<Forgotten, EventError>;

    /// Removes everything held about a server.
    async fn delete_server(&self, server: ServerId) -> Result<(), EventError>;

    /// Makes everything durable, stops the writers and closes the files. Later calls answer `Unavailable`.
    async fn close(&self) -> Result<(), EventError>;
}
