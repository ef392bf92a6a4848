use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Outcomes, Range, TapeCall};
use crate::metrics::MetricsError;

/// One session with a matching call. Counts are of its matching calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionRow {
    /// Its id.
    pub session_id: String,
    /// Its first call of all, whatever the filters: the session's date.
    pub first_call_ms: i64,
    /// Start of its last matching call.
    pub last_call_ms: i64,
    /// Clients with matching calls, by name.
    pub clients: Vec<String>,
    /// Different tools among its matching calls.
    pub tools: u64,
    /// Matching calls.
    pub calls: u64,
    /// Matching calls by outcome.
    pub outcomes: Outcomes,
    /// Matching calls with a retry behind them, good or not.
    pub retried_calls: u64,
    /// Matching good calls with a follow-up behind them.
    pub followed_calls: u64,
    /// Sum of their response sizes, UTF-16 units.
    pub response_units: u64,
    /// Their cost, US dollars.
    pub cost_usd: f64,
    /// Whether one of those clients is crowded here.
    pub crowded: bool,
    /// SDK of its first startup.
    pub sdk: Option<String>,
}

/// Where a page of sessions begins: after this one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionCursor {
    /// Date of the last session seen.
    pub first_call_ms: i64,
    /// Its id.
    pub session_id: String,
}

impl fmt::Display for SessionCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.first_call_ms)?;
        self.session_id.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for SessionCursor {
    type Err = MetricsError;

    fn from_str(text: &str) -> Result<Self, MetricsError> {
        let invalid = || MetricsError::Invalid { field: "cursor", rule: "must be one that an answer gave" };
        let (time, id) = text.split_once('.').ok_or_else(invalid)?;
        if id.len() % 2 != 0 || !id.is_ascii() {
            return Err(invalid());
        }
        let bytes = (0..id.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&id[at..at + 2], 16))
            .collect::<Result<Vec<u8>, _>>()
            .map_err(|_| invalid())?;
        Ok(Self {
            first_call_ms: time.parse().map_err(|_| invalid())?,
            session_id: String::from_utf8(bytes).map_err(|_| invalid())?,
        })
    }
}

/// Which sessions to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPage {
    /// After this one; `None` starts with the newest.
    pub after: Option<SessionCursor>,
    /// 1–1 000.
    pub limit: u32,
}

/// A page of sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionsPage {
    /// The range asked for.
    pub range: Range,
    /// Links behind calls are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// Newest first call first, then by id.
    pub sessions: Vec<SessionRow>,
    /// Sessions on all pages together.
    pub total: u64,
    /// Cursor to continue from. `null` on the last page.
    pub next: Option<String>,
}

/// Where a page of a tape begins: after this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TapeCursor {
    /// Start of the last call seen.
    pub started_ms: i64,
    /// Its `seq`.
    pub seq: u64,
}

impl fmt::Display for TapeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.started_ms, self.seq)
    }
}

impl FromStr for TapeCursor {
    type Err = MetricsError;

    fn from_str(text: &str) -> Result<Self, MetricsError> {
        let parts =
            text.split_once('.').and_then(|(time, seq)| Some((time.parse().ok()?, seq.parse().ok()?)));
        let (started_ms, seq) = parts
            .ok_or(MetricsError::Invalid { field: "cursor", rule: "must be one that an answer gave" })?;
        Ok(Self { started_ms, seq })
    }
}

/// Which calls of a session to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapePage {
    /// After this one; `None` starts with the first.
    pub after: Option<TapeCursor>,
    /// 1–1 000.
    pub limit: u32,
}

/// One startup of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionStartup {
    /// Order of arrival, among calls and startups alike.
    pub seq: u64,
    /// When it arrived.
    pub received_ms: i64,
    /// The client whose request it was sent on.
    pub client: String,
    /// Its surface.
    pub surface_id: u32,
    /// How many tools that surface has.
    pub tools: u64,
    /// Size of that surface, UTF-16 units.
    pub schema_units: u64,
    /// For example `mcpulse-rust/0.1.0`.
    pub sdk: Option<String>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<String>,
    /// MCP protocol version.
    pub protocol_version: Option<String>,
    /// `stdio` or `http`.
    pub transport: Option<String>,
}

/// One session, call by call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionTape {
    /// Its id.
    pub session_id: String,
    /// Its first call. `null` when it only sent startups.
    pub first_call_ms: Option<i64>,
    /// Start of its last call.
    pub last_call_ms: Option<i64>,
    /// Its calls on all pages together.
    pub total_calls: u64,
    /// Links are of calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// By order of arrival.
    pub startups: Vec<SessionStartup>,
    /// By start, then order of arrival.
    pub calls: Vec<TapeCall>,
    /// Cursor to continue from. `null` on the last page.
    pub next: Option<String>,
}
