use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ClientRow, Confidence, Figures, Outcomes, Range};

/// What an average session costs to read, US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionCost {
    /// Response cost ÷ sessions. `null` without sessions, or when over a tenth of the calls are in crowded sessions.
    pub response_usd: Option<f64>,
    /// Mean cost of the tool list a session reads before it asks anything, over the sessions that sent theirs.
    /// `null` when none did, or when over a tenth of the calls are in crowded sessions.
    pub schema_usd: Option<f64>,
    /// Both together. `null` when either is.
    pub total_usd: Option<f64>,
}

/// One stretch of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Point {
    /// Where it begins.
    pub start_ms: i64,
    /// Where the next begins.
    pub end_ms: i64,
    /// Calls that started in it.
    pub calls: u64,
    /// Those calls by outcome.
    pub outcomes: Outcomes,
    /// How many of them are settled: the denominator of the shares of this point.
    pub settled_calls: u64,
    /// As in the figures.
    pub error_rate: Option<f64>,
    /// As in the figures.
    pub empty_rate: Option<f64>,
    /// As in the figures.
    pub first_call_success: Option<f64>,
    /// As in the figures.
    pub strict: Option<f64>,
    /// As in the figures.
    pub lenient: Option<f64>,
    /// Nearest rank, milliseconds. `null` without calls.
    pub p50_ms: Option<u32>,
    /// Nearest rank, milliseconds. `null` without calls.
    pub p95_ms: Option<u32>,
    /// Sum of response sizes.
    pub response_units: u64,
    /// Their cost, US dollars.
    pub cost_usd: f64,
    /// Sessions with a matching call in the range whose first call of all falls in this point. Points do not add
    /// up to the sessions of the range: one that began before it is in no point.
    pub sessions_started: u64,
}

/// The first page about a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// The range asked for.
    pub range: Range,
    /// The equally long one before.
    pub range_before: Range,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// In the range.
    pub figures: Figures,
    /// In the range before.
    pub before: Figures,
    /// In the range.
    pub session_cost: SessionCost,
    /// In the range before.
    pub session_cost_before: SessionCost,
    /// The range in points, oldest first, empty ones included.
    pub series: Vec<Point>,
    /// By client, most calls first, then by name.
    pub clients: Vec<ClientRow>,
    /// How far to trust it.
    pub confidence: Confidence,
}
