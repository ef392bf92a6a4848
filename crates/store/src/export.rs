//! What leaves a store: calls of a server, and copies of whole files.

use std::fs::File;

use async_trait::async_trait;

use crate::events::EventError;
use crate::id::ServerId;
use crate::metrics::types::{CallRow, Range};

/// Which calls are exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Calls that started in here.
    pub range: Range,
    /// Exact names of tools; empty means all.
    pub tools: Vec<String>,
    /// Exact names of clients; empty means all.
    pub clients: Vec<String>,
}

/// A store that calls and whole files can be taken out of. Whoever takes slowly holds nobody up: each question is
/// answered at once, and a file that is handed over is a copy with no name, which is gone when it is closed.
#[async_trait]
pub trait Exports: Send + Sync + 'static {
    /// The newest call's place in the order of arrival; 0 without calls.
    async fn newest(&self, server: ServerId) -> Result<u64, EventError>;

    /// The selected calls after `after`, up to and with `upto`, in order of arrival.
    async fn calls_between(
        &self,
        server: ServerId,
        selection: &Selection,
        after: u64,
        upto: u64,
    ) -> Result<Vec<CallRow>, EventError>;

    /// All selected calls up to and with `upto`, in order of arrival, as a Parquet file.
    async fn parquet(&self, server: ServerId, selection: &Selection, upto: u64) -> Result<File, EventError>;

    /// A copy of everything held about a server, which a store can be begun with; `None` when there is nothing. It
    /// holds every append that returned before.
    async fn copy(&self, server: ServerId) -> Result<Option<File>, EventError>;
}
