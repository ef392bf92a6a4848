//! The rows of a [`Snapshot`](super::Snapshot): what is counted, and by what.

use crate::metrics::types::{CallRow, LinkKind, Outcomes, Range};

/// Which calls are meant: those of a range, let through by the scope's filters or not.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Calls that started in here.
    pub range: Range,
    /// Whether the scope's filter by tools applies.
    pub by_tools: bool,
    /// Whether the scope's filter by clients applies.
    pub by_clients: bool,
}

impl Slice {
    /// Calls that match the scope's filters in a range.
    #[must_use]
    pub fn matching(range: Range) -> Self {
        Self { range, by_tools: true, by_clients: true }
    }

    /// As [`Slice::matching`], of whatever tool.
    #[must_use]
    pub fn any_tool(range: Range) -> Self {
        Self { range, by_tools: false, by_clients: true }
    }
}

/// What counts are split by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// Nothing: one row, or none without calls.
    All,
    /// Point of the series.
    Point,
    /// Tool.
    Tool,
    /// Client.
    Client,
    /// Tool and client.
    ToolAndClient,
    /// Tool and surface of the call.
    ToolAndSurface,
    /// SDK, MCP SDK version, protocol version and transport of the call's startup.
    Producer,
}

/// What one row of counts is about. Only what was asked for is filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Position of the point in the series.
    pub point: Option<usize>,
    /// Tool.
    pub tool: Option<String>,
    /// Client.
    pub client: Option<String>,
    /// Surface; `None` also for calls of sessions without a startup.
    pub surface: Option<u32>,
    /// Producer.
    pub producer: ProducerKey,
}

/// The four facts about what sends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProducerKey {
    /// For example `mcpulse-rust/0.1.0`.
    pub sdk: Option<String>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<String>,
    /// MCP protocol version.
    pub protocol_version: Option<String>,
    /// `stdio` or `http`.
    pub transport: Option<String>,
}

/// Counts of the calls of one key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// What they are about.
    pub key: Key,
    /// Calls by outcome.
    pub outcomes: Outcomes,
    /// Settled calls by outcome.
    pub settled: Outcomes,
    /// Percentiles 50, 90, 95 and 99 of the durations.
    pub latency_ms: [Option<u32>; 4],
    /// Sum of response sizes.
    pub units: u64,
    /// Largest response.
    pub max_units: Option<u32>,
    /// Different sessions.
    pub sessions: u64,
    /// First start.
    pub first_ms: i64,
    /// Last start.
    pub last_ms: i64,
    /// Last arrival.
    pub newest_ms: i64,
    /// Calls with a client name other than `unknown`.
    pub known_client: u64,
    /// Calls in crowded sessions.
    pub crowded: u64,
}

/// Counts for first-call figures: of the calls of one key and one tool that have the same thing behind them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstCallTally {
    /// What they are about.
    pub key: Key,
    /// Their tool, whether or not it was asked for; empty where it makes no difference.
    pub tool: String,
    /// Set on rows of good sequence calls with a follow-up behind them: the run they are in.
    pub followed_in: Option<RunShape>,
    /// Settled calls.
    pub settled: u64,
    /// Good ones among them.
    pub good: u64,
    /// Sequence calls.
    pub sequence: u64,
    /// Sequence calls that are not ok.
    pub failed: u64,
    /// Sequence calls that are ok and empty.
    pub empty: u64,
    /// Good sequence calls with nothing behind them.
    pub strict: u64,
    /// Good sequence calls with a retry behind them.
    pub retried: u64,
    /// Good sequence calls with a follow-up behind them.
    pub followed: u64,
}

/// What a run looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunShape {
    /// Its number of steps.
    pub steps: u32,
    /// Whether all of them are good.
    pub clean: bool,
}

/// How many of a tool's runs have a length: clean, uncrowded, settled ones that began in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLength {
    /// The tool.
    pub tool: String,
    /// Steps.
    pub steps: u32,
    /// Runs.
    pub runs: u64,
}

/// The tool lists that sessions read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSchemas {
    /// Sessions with a matching call that have a startup.
    pub sessions: u64,
    /// Sum over them of the size of the first startup's surface (of the tools the filter lets through).
    pub units: u64,
}

/// Arrivals of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Payloads accepted on the days a range touches.
    pub accepted: u64,
    /// Payloads rejected on these days.
    pub rejected: u64,
    /// When the newest one ever was accepted.
    pub newest_ms: Option<i64>,
}

/// One tool as surfaces in use have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredTool {
    /// The tool.
    pub tool: String,
    /// Size of its entry in the newest of them.
    pub schema_units: u32,
    /// Its policy there.
    pub policy: Option<String>,
    /// Sessions whose startups in use have it.
    pub sessions: u64,
}

/// One surface in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceInUse {
    /// Its number.
    pub surface: u32,
    /// `seq` of its newest startup in use.
    pub newest_seq: u64,
}

/// One tool of one surface: the first entry of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceTool {
    /// The surface.
    pub surface: u32,
    /// The tool.
    pub tool: String,
    /// Size of its entry.
    pub schema_units: u32,
    /// Hash of its schemas.
    pub schema_hash: Option<String>,
    /// Hash of its description.
    pub description_hash: Option<String>,
    /// Hash of its normalised description.
    pub description_norm: Option<String>,
    /// What it declares that it needs.
    pub policy: Option<String>,
}

/// One surface of the server, ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceSeen {
    /// Its number.
    pub surface: u32,
    /// `seq` of the first startup that has it.
    pub first_seq: u64,
    /// When that arrived.
    pub first_ms: i64,
    /// When one that has it last arrived.
    pub last_ms: i64,
    /// Sum of its tools' sizes, every entry counted.
    pub schema_units: u64,
    /// Its entries.
    pub tools: u64,
    /// Sessions that ever sent it.
    pub sessions: u64,
}

/// SDK and MCP SDK version of a startup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VersionKey {
    /// For example `mcpulse-rust/0.1.0`.
    pub sdk: Option<String>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<String>,
}

/// The first appearance of a producer version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionSeen {
    /// The version; never without both.
    pub version: VersionKey,
    /// `seq` of the first startup that has it.
    pub first_seq: u64,
    /// When that arrived.
    pub first_ms: i64,
    /// The surface it came with.
    pub surface: u32,
}

/// What was seen before a first appearance, and how late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenBefore<T> {
    /// `seq` of the first appearance.
    pub first_seq: u64,
    /// What was seen before it.
    pub what: T,
    /// The largest `seq` below with that.
    pub last_seq: u64,
}

/// One tool followed by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairCount {
    /// The first.
    pub from: String,
    /// The second.
    pub to: String,
    /// How often.
    pub count: u64,
    /// Calls of the first with whatever next or none.
    pub from_calls: u64,
}

/// Counts that judgements rest on, of the settled calls of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The tool.
    pub tool: String,
    /// Settled calls.
    pub settled: u64,
    /// Empty ones.
    pub empty: u64,
    /// Those of more than 2 000 ms.
    pub slow: u64,
    /// Good ones.
    pub good: u64,
    /// Mean size of the good ones.
    pub mean_units: Option<f64>,
    /// Mean of ln(max(units, 1)) of the good ones.
    pub mean_log: Option<f64>,
    /// Sample variance of that.
    pub variance_log: Option<f64>,
}

/// Settled calls and errors among them, of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorCount {
    /// The tool.
    pub tool: String,
    /// Settled calls.
    pub settled: u64,
    /// Errors among them.
    pub errors: u64,
}

/// Verdicts about one field and pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictCount {
    /// The field.
    pub field: String,
    /// First tool.
    pub tool_a: String,
    /// Second tool.
    pub tool_b: String,
    /// Verdicts.
    pub checked: u64,
    /// Those that agreed.
    pub agreed: u64,
    /// The last one that did not.
    pub last_disagreement_ms: Option<i64>,
}

/// What a session looks like in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionCounts {
    /// Its id.
    pub session_id: String,
    /// Its first call of all.
    pub first_call_ms: i64,
    /// Start of its last matching call.
    pub last_call_ms: i64,
    /// Clients with matching calls, by name.
    pub clients: Vec<String>,
    /// Different tools among them.
    pub tools: u64,
    /// Matching calls by outcome.
    pub outcomes: Outcomes,
    /// Sequence calls with a retry behind them.
    pub retried: u64,
    /// Good sequence calls with a follow-up behind them.
    pub followed: u64,
    /// Sum of response sizes.
    pub units: u64,
    /// Whether one of the clients is crowded in it.
    pub crowded: bool,
    /// SDK of its first startup.
    pub sdk: Option<String>,
}

/// A session's span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSpan {
    /// First start.
    pub first_ms: Option<i64>,
    /// Last start.
    pub last_ms: Option<i64>,
    /// Calls.
    pub calls: u64,
}

/// One call of a session with the facts about it.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeRow {
    /// The call.
    pub call: CallRow,
    /// Number of its step in the session, from 1.
    pub step: u32,
    /// Which repeat of it.
    pub repeat: u32,
    /// Number of its run in the session, from 1.
    pub run: u32,
    /// The run.
    pub shape: RunShape,
    /// What its step is to the one before.
    pub link: Option<LinkKind>,
    /// What the step after is to its own.
    pub link_behind: Option<LinkKind>,
    /// Whether it is good.
    pub good: bool,
    /// Whether session and client are crowded.
    pub crowded: bool,
    /// Whether it is settled.
    pub settled: bool,
    /// Its surface.
    pub surface: Option<u32>,
}

/// One day of accepted payloads by one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedCount {
    /// Days since 1970.
    pub day: i64,
    /// The key.
    pub key_id: String,
    /// Calls.
    pub calls: u64,
    /// Startups.
    pub startups: u64,
    /// Agreements.
    pub agreements: u64,
    /// Last arrival.
    pub last_ms: i64,
}

/// One day of rejected payloads by one key, producer and rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedCount {
    /// Days since 1970.
    pub day: i64,
    /// The key.
    pub key_id: String,
    /// From `User-Agent`.
    pub producer: String,
    /// The rule.
    pub rule: String,
    /// How many.
    pub count: u64,
    /// Last arrival.
    pub last_ms: i64,
}
