use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FirstCall, Interval, Range};

/// What appeared for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The first surface of the server.
    FirstSurface,
    /// A new surface.
    Surface,
    /// A new combination of SDK and MCP SDK version.
    Producer,
}

/// A tool under another name: same schema and description hashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Renamed {
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
}

/// Versions of what sends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ProducerVersion {
    /// For example `mcpulse-rust/0.1.0`.
    pub sdk: Option<String>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<String>,
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImpactSide {
    /// Settled calls.
    pub settled_calls: u64,
    /// Errors among them ÷ them.
    pub error_rate: Option<f64>,
    /// First-call success.
    pub first_call: FirstCall,
}

/// Whether a difference is more than chance at α = 0.01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The share of right first calls rose.
    Better,
    /// It fell.
    Worse,
    /// The interval holds zero.
    NoDifference,
    /// Fewer than 20 calls on one side.
    TooFewCalls,
}

/// A difference of two shares, after less before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Comparison {
    /// After less before. `null` when one side has no calls.
    pub difference: Option<f64>,
    /// Its 99 % interval. `null` when one side has no calls.
    pub interval: Option<Interval>,
    /// Whether it is more than chance.
    pub verdict: Verdict,
}

/// What a change did to a tool (or, for producers, to all of them together).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolImpact {
    /// The tool, by its new name. `null` for a producer version: all tools.
    pub tool: Option<String>,
    /// Calls from sessions that had it as it was before.
    pub before: ImpactSide,
    /// Calls from sessions that had it as it is since.
    pub after: ImpactSide,
    /// Of `strict`: the share of lists cancels out.
    pub strict: Comparison,
    /// Of `1 − error_rate`.
    pub without_error: Comparison,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Change {
    /// What appeared.
    pub kind: ChangeKind,
    /// When it first arrived.
    pub at_ms: i64,
    /// `seq` of the startup that brought it.
    pub seq: u64,
    /// The new surface; for a producer version, the surface it came with.
    pub surface_id: u32,
    /// The earlier surface it is compared with: the most similar. `null` for the first surface and for producers.
    pub previous_surface_id: Option<u32>,
    /// By name.
    pub added: Vec<String>,
    /// By name.
    pub removed: Vec<String>,
    /// By new name.
    pub renamed: Vec<Renamed>,
    /// Tools with another schema hash, by name.
    pub schema_changed: Vec<String>,
    /// Tools with another description hash, by name.
    pub wording_changed: Vec<String>,
    /// Tools with another policy, by name.
    pub policy_changed: Vec<String>,
    /// Size of the new surface less the earlier one, UTF-16 units.
    pub schema_units_difference: i64,
    /// The new version, for producers.
    pub producer: Option<ProducerVersion>,
    /// The version seen last before it.
    pub previous_producer: Option<ProducerVersion>,
    /// Did it help? One entry per renamed or changed tool, by name; one for a producer version.
    pub impact: Vec<ToolImpact>,
}

/// One surface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SurfaceSummary {
    /// Its number in this server, from 1.
    pub surface_id: u32,
    /// When it first arrived.
    pub first_seen_ms: i64,
    /// When it last arrived.
    pub last_seen_ms: i64,
    /// Its tools.
    pub tools: u64,
    /// Its size, UTF-16 units.
    pub schema_units: u64,
    /// Sessions that ever sent it.
    pub sessions: u64,
}

/// All changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangeReport {
    /// The range asked for.
    pub range: Range,
    /// Comparisons use calls from here (the start of the equally long range before) to the end of the range.
    pub compared_from_ms: i64,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// First appearances in the range, newest first; at most 200.
    pub changes: Vec<Change>,
    /// Whether there were more than 200.
    pub truncated: bool,
    /// Surfaces in use in the range, last seen first.
    pub surfaces: Vec<SurfaceSummary>,
}
