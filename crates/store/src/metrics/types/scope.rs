use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::control::ToolMode;

/// A half-open range of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Range {
    /// First millisecond that belongs to it, since 1970.
    pub from_ms: i64,
    /// First millisecond that no longer does.
    pub to_ms: i64,
}

/// Which calls are counted, as of when, and what the account says about them.
///
/// Steps, runs and links are worked out over all calls of the server; a scope only chooses which are counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Calls that started in here.
    pub range: Range,
    /// Edges of the points of a series, strictly increasing: the first is `range.from_ms`, the last `range.to_ms`.
    pub edges: Vec<i64>,
    /// Exact names of tools; empty means all.
    pub tools: Vec<String>,
    /// Exact names of clients; empty means all.
    pub clients: Vec<String>,
    /// The server's clock.
    pub now_ms: i64,
    /// How the owner says tools are called.
    pub modes: BTreeMap<String, ToolMode>,
    /// US dollars per million input tokens.
    pub usd_per_million_tokens: f64,
}

/// Milliseconds after which a call's surroundings are taken to have arrived: the 30 s that a follow-up may take, and
/// the time its producer may hold it back.
const SETTLES_AFTER_MS: i64 = 40_000;

impl Scope {
    /// Calls that had ended and arrived by then are settled.
    #[must_use]
    pub fn settled_as_of_ms(&self) -> i64 {
        self.now_ms - SETTLES_AFTER_MS
    }
}
