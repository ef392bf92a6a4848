//! The SQL files of this engine, put together from their parts.
//!
//! Only fixed texts of this crate are ever put together; whatever a user said is bound or inserted as a value.

use crate::metrics::snapshot::{By, Slice};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../sql/metrics/duckdb/", $name, ".sql"))
    };
}
pub(super) use file;

/// The filters of a scope, as far as they let less than everything through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filters {
    pub(super) tools: bool,
    pub(super) clients: bool,
}

impl Filters {
    /// The filters that apply to a slice.
    pub(super) fn of(self, slice: Slice) -> Self {
        Self { tools: self.tools && slice.by_tools, clients: self.clients && slice.by_clients }
    }

    /// Puts the parts into a file's `{places}`.
    pub(super) fn fill(self, text: &str) -> String {
        let tools = if self.tools { "c.tool_name IN (SELECT name FROM wanted_tools)" } else { "true" };
        let clients =
            if self.clients { "c.client_name IN (SELECT name FROM wanted_clients)" } else { "true" };
        // Parts may contain parts: the outer ones come first.
        text.replace("{startups_in_use}", file!("startups_in_use"))
            .replace("{startup_of_call}", file!("startup_of_call"))
            .replace("{matching}", file!("matching"))
            .replace("{surface_entries}", file!("surface_entries"))
            .replace("{tools}", tools)
            .replace("{clients}", clients)
    }

    /// The condition on two tools of which either may be wanted.
    pub(super) fn either(self, first: &str, second: &str) -> String {
        if self.tools {
            format!(
                "({first} IN (SELECT name FROM wanted_tools) OR {second} IN (SELECT name FROM wanted_tools))"
            )
        } else {
            "true".to_owned()
        }
    }
}

/// The eight columns of a key, and what has to be joined for them.
pub(super) fn split(text: &str, by: By) -> String {
    let (point, tool, client, surface) = match by {
        By::All | By::Producer => (false, false, false, false),
        By::Point => (true, false, false, false),
        By::Tool => (false, true, false, false),
        By::Client => (false, false, true, false),
        By::ToolAndClient => (false, true, true, false),
        By::ToolAndSurface => (false, true, false, true),
    };
    let column = |wanted: bool, column: &str, name: &str| {
        format!("{} AS {name}", if wanted { column } else { "NULL" })
    };
    let producer = by == By::Producer;
    let keys = [
        column(point, "e.position", "key_point"),
        column(tool, "m.tool_name", "key_tool"),
        column(client, "m.client_name", "key_client"),
        column(surface, "u.surface_id", "key_surface"),
        column(producer, "u.sdk", "key_sdk"),
        column(producer, "u.mcp_sdk_version", "key_mcp_sdk_version"),
        column(producer, "u.protocol_version", "key_protocol_version"),
        column(producer, "u.transport", "key_transport"),
    ]
    .join(", ");
    let (with, joins) = if surface || producer {
        (
            ", call_startups AS ({startup_of_call})",
            "JOIN call_startups k ON k.call_seq = m.seq LEFT JOIN startups u ON u.seq = k.startup_seq",
        )
    } else if point {
        ("", "ASOF JOIN series_edges e ON m.started_ms >= e.start_ms")
    } else {
        ("", "")
    };
    text.replace("{keys}", &keys).replace("{with}", with).replace("{joins}", joins)
}
