use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Change, Confidence, Figures, FirstCall, Pair, Point, Range};
use crate::control::ToolMode;

/// Whether a tool is registered and called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// Called in the range.
    Called,
    /// Registered in the range and never called in it: paid for by every session.
    Dead,
    /// As dead, but it declares that it needs authorisation or an identity.
    Withheld,
    /// Called in the range, and no session ever registered it.
    Phantom,
    /// Neither called nor registered in the range. Only a tool asked for by name can be this.
    Absent,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolRow {
    /// As clients send it.
    pub tool: String,
    /// Whether it is registered and called.
    pub status: ToolStatus,
    /// How the owner says it is called.
    pub mode: Option<ToolMode>,
    /// In the range.
    pub figures: Figures,
    /// Calls in the range before.
    pub calls_before: u64,
    /// First-call success in the range before.
    pub first_call_before: FirstCall,
    /// Client by client, most calls first, then by name.
    pub clients: Vec<ClientOfTool>,
    /// Whether a surface in use in the range has it.
    pub registered: bool,
    /// Size of its entry in the tool list, UTF-16 units, in the newest surface in use in the range. `null` when not
    /// registered.
    pub schema_units: Option<u32>,
    /// `schema_units` ÷ 4.
    pub schema_tokens: Option<f64>,
    /// `none`, `authorization` or `identity`, from the same surface.
    pub policy: Option<String>,
    /// Sessions in the range whose surface has it.
    pub sessions_registered: u64,
    /// `schema_tokens` × `sessions_registered` at the account's price, US dollars: the price of listing it. `null`
    /// when not registered.
    pub schema_cost_usd: Option<f64>,
}

/// One client of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClientOfTool {
    /// The client.
    pub client: String,
    /// Calls of this tool by this client.
    pub calls: u64,
    /// As in the figures.
    pub error_rate: Option<f64>,
    /// As in the figures.
    pub empty_rate: Option<f64>,
    /// First-call success of this tool with this client.
    pub first_call: FirstCall,
    /// Nearest rank, milliseconds.
    pub p95_ms: Option<u32>,
}

/// All tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolReport {
    /// The range asked for.
    pub range: Range,
    /// The equally long one before.
    pub range_before: Range,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// Most calls first, then by name.
    pub tools: Vec<ToolRow>,
    /// Tools of the newest surface in use in the range. `null` when none is known.
    pub surface_tools: Option<u64>,
    /// Size of that surface: the sum over its tools, UTF-16 units.
    pub surface_units: Option<u64>,
    /// `surface_units` ÷ 4.
    pub surface_tokens: Option<f64>,
    /// How far to trust it.
    pub confidence: Confidence,
}

/// One bin of a histogram of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistogramBin {
    /// Durations from here, milliseconds.
    pub from_ms: u32,
    /// To before here. `null` in the last bin.
    pub to_ms: Option<u32>,
    /// Calls.
    pub calls: u64,
}

/// One tool in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolDetail {
    /// The range asked for.
    pub range: Range,
    /// The equally long one before.
    pub range_before: Range,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// As in the list of tools.
    pub row: ToolRow,
    /// In the range before.
    pub before: Figures,
    /// The range in points, oldest first, empty ones included.
    pub series: Vec<Point>,
    /// Durations; 100 ms, 500 ms and 2 s are always among the edges.
    pub latency_histogram: Vec<HistogramBin>,
    /// What came before it: `to` is this tool. Most first, at most 100.
    pub pairs_in: Vec<Pair>,
    /// What came after it: `from` is this tool. Most first, at most 100.
    pub pairs_out: Vec<Pair>,
    /// Changes in the range that touch it, newest first.
    pub changes: Vec<Change>,
    /// How far to trust it.
    pub confidence: Confidence,
}
