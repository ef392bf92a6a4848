//! What counts are split by: the eight columns of a key, and what has to be joined for them.

use crate::metrics::snapshot::By;

/// The names of the columns, in order.
pub(super) const NAMES: &str = "key_point, key_tool, key_client, key_surface, key_sdk, key_mcp_sdk_version, \
                                key_protocol_version, key_transport";

/// Which parts a key has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) point: bool,
    pub(super) tool: bool,
    pub(super) client: bool,
    pub(super) surface: bool,
    pub(super) producer: bool,
}

impl Parts {
    pub(super) fn of(by: By) -> Self {
        Self {
            point: by == By::Point,
            tool: matches!(by, By::Tool | By::ToolAndClient | By::ToolAndSurface),
            client: matches!(by, By::Client | By::ToolAndClient),
            surface: by == By::ToolAndSurface,
            producer: by == By::Producer,
        }
    }

    /// The columns of a query over rows `m` with numbers in place of names.
    pub(super) fn columns(self) -> String {
        let column = |wanted: bool, column: &str, name: &str| {
            format!("{} AS {name}", if wanted { column } else { "NULL" })
        };
        [
            column(self.point, "m.point", "key_point"),
            column(self.tool, "key_t.name", "key_tool"),
            column(self.client, "key_c.name", "key_client"),
            column(self.surface, "key_s.surface_id", "key_surface"),
            column(self.producer, "key_s.sdk", "key_sdk"),
            column(self.producer, "key_s.mcp_sdk_version", "key_mcp_sdk_version"),
            column(self.producer, "key_s.protocol_version", "key_protocol_version"),
            column(self.producer, "key_s.transport", "key_transport"),
        ]
        .join(", ")
    }

    pub(super) fn joins(self) -> String {
        let mut joins = String::new();
        if self.tool {
            joins += "JOIN tools_now key_t ON key_t.tool = m.tool ";
        }
        if self.client {
            joins += "JOIN clients_now key_c ON key_c.client = m.client ";
        }
        if self.surface || self.producer {
            joins += "LEFT JOIN sources_now key_s ON key_s.source = m.source ";
        }
        joins
    }
}
