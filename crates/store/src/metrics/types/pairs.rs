use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Range;

/// One tool followed by another in the same session and client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Pair {
    /// The tool called first.
    pub from: String,
    /// The tool of the very next call.
    pub to: String,
    /// How often.
    pub count: u64,
    /// Settled calls of `from` outside crowded sessions (denominator of `share`).
    pub from_calls: u64,
    /// `count` ÷ `from_calls`.
    pub share: Option<f64>,
}

/// All pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PairReport {
    /// The range asked for.
    pub range: Range,
    /// Pairs are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// Most first, then by names; at most 1 000.
    pub pairs: Vec<Pair>,
    /// Whether there were more than 1 000.
    pub truncated: bool,
}
