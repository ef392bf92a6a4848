//! The payloads of wire version 1. Lengths are Unicode code points.

use serde::{Deserialize, Serialize};

use crate::hash::Hash12;

/// The only wire version there is.
pub const WIRE_VERSION: u32 = 1;

/// The limits of the wire. Lengths are code points, sizes UTF-16 code units, times milliseconds.
pub mod limit {
    /// Payloads in one request.
    pub const BATCH: usize = 500;
    /// `session_id`.
    pub const SESSION_ID: usize = 128;
    /// `client_name`.
    pub const CLIENT_NAME: usize = 128;
    /// Names of tools and fields.
    pub const NAME: usize = 200;
    /// `sdk`, `mcp_sdk_version` and `protocol_version`.
    pub const VERSION: usize = 64;
    /// Tools in one startup.
    pub const TOOLS: usize = 500;
    /// Declared agreements in one startup.
    pub const AGREEMENTS: usize = 100;
    /// Tools of one declared agreement, at least.
    pub const AGREEMENT_TOOLS_MIN: usize = 2;
    /// Tools of one declared agreement, at most.
    pub const AGREEMENT_TOOLS_MAX: usize = 20;
    /// `duration_ms` and `window_ms`: a day.
    pub const DURATION_MS: u32 = 86_400_000;
    /// `response_bytes` and `schema_bytes`.
    pub const UNITS: u32 = 2_147_483_647;
}

/// One payload, tagged by its `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Payload {
    /// One finished `tools/call`.
    Call(Call),
    /// The tools clients see.
    Startup(Startup),
    /// Whether two tools agreed about one declared field.
    Agreement(Agreement),
}

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The author's handler returned a result without `isError`.
    Ok,
    /// The handler never ran: validation or binding failed, or there is no such tool.
    BadArgs,
    /// The handler returned `isError: true`, or raised the MCP SDK's deliberate tool error.
    ToolError,
    /// Anything else escaped the handler, or the MCP SDK rejected its result.
    Crashed,
}

/// One finished `tools/call`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Wire version, always 1.
    pub v: u32,
    /// One run of a producer towards one destination (1–128).
    pub session_id: String,
    /// The program that speaks MCP to the server (1–128); `unknown` when it did not say.
    pub client_name: String,
    /// As the client sent it (1–200).
    pub tool_name: String,
    /// RFC 3339 with offset; producers send UTC, three decimals, `Z`, rounded down.
    pub started_at: String,
    /// Milliseconds, 0–86 400 000, rounded down.
    pub duration_ms: u32,
    /// What the call came to.
    pub outcome: Outcome,
    /// UTF-16 units of the result, 0–2 147 483 647.
    pub response_bytes: u32,
    /// True only with `ok`.
    pub is_empty: bool,
    /// 12 lowercase hex.
    pub args_hash: Hash12,
}

/// The tools clients see, by content: one per surface and session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Startup {
    /// Wire version, always 1.
    pub v: u32,
    /// As in [`Call`].
    pub session_id: String,
    /// As in [`Call`].
    pub client_name: String,
    /// At most 500.
    pub tools: Vec<Tool>,
    /// For example `mcpulse-rust/0.1.0` (at most 64).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<String>,
    /// Version of the MCP SDK (at most 64).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_sdk_version: Option<String>,
    /// MCP protocol version (at most 64).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// How clients reach the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Declared names only, never paths (at most 100).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreements: Option<Vec<DeclaredAgreement>>,
}

/// One entry of `tools/list`, as sizes and hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// 1–200.
    pub name: String,
    /// UTF-16 units of the whole entry as the client receives it, 0–2 147 483 647.
    pub schema_bytes: u32,
    /// Canonical hash of the input and output schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_hash: Option<Hash12>,
    /// Hash of the description's UTF-8 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_hash: Option<Hash12>,
    /// Hash of the normalised description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_norm: Option<Hash12>,
    /// What the tool declares that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
}

/// Whether a tool declares that it needs authorisation or a verified identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Anyone may call it.
    None,
    /// It needs authorisation.
    Authorization,
    /// It needs a verified identity.
    Identity,
}

/// How clients reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// A field that several tools are declared to agree about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredAgreement {
    /// 1–200.
    pub field: String,
    /// 2–20 tool names.
    pub tools: Vec<String>,
}

/// One verdict about a declared field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Wire version, always 1.
    pub v: u32,
    /// As in [`Call`].
    pub session_id: String,
    /// 1–200.
    pub field: String,
    /// First of the two in UTF-16 order (1–200).
    pub tool_a: String,
    /// Second of the two (1–200).
    pub tool_b: String,
    /// Whether the two values were equal within the tolerance.
    pub agreed: bool,
    /// As `started_at` in [`Call`].
    pub checked_at: String,
    /// Milliseconds, 1–86 400 000.
    pub window_ms: u32,
}
