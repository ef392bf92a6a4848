use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Confidence, Figures, FirstCall, Range};

/// One client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClientRow {
    /// As it named itself; `unknown` when it did not.
    pub client: String,
    /// In the range.
    pub figures: Figures,
    /// In the range before.
    pub calls_before: u64,
    /// Its first matching call in the range.
    pub first_call_ms: i64,
    /// Its last matching call in the range (by start).
    pub last_call_ms: i64,
    /// Tool by tool, most calls first, then by name. Empty in the overview.
    pub tools: Vec<ToolOfClient>,
}

/// One tool as one client uses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolOfClient {
    /// The tool.
    pub tool: String,
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

/// All clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClientReport {
    /// The range asked for.
    pub range: Range,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// Most calls first, then by name.
    pub clients: Vec<ClientRow>,
    /// How far to trust it.
    pub confidence: Confidence,
}

/// What sends, and how it does: one combination of four facts from the startups of sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProducerRow {
    /// For example `mcpulse-rust/0.1.0`. `null` when the session did not say, or sent no startup.
    pub sdk: Option<String>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<String>,
    /// MCP protocol version.
    pub protocol_version: Option<String>,
    /// `stdio` or `http`.
    pub transport: Option<String>,
    /// Calls whose session had this combination when they arrived.
    pub figures: Figures,
    /// How far to trust them.
    pub confidence: ProducerConfidence,
}

/// The parts of the confidence that differ between producers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProducerConfidence {
    /// Share of the calls whose client said its name. `null` without calls.
    pub known_client_share: Option<f64>,
    /// Share of the calls in crowded sessions. `null` without calls.
    pub crowded_share: Option<f64>,
    /// When the newest of these calls arrived.
    pub newest_call_ms: Option<i64>,
}

/// All producers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProducerReport {
    /// The range asked for.
    pub range: Range,
    /// Shares are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// Most calls first, then by the four facts, `null` last.
    pub producers: Vec<ProducerRow>,
}
