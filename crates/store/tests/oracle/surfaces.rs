//! Which startups and surfaces are in use in a range.

use std::collections::BTreeSet;

use mcpulse_store::metrics::types::Range;
use mcpulse_wire::payload::Tool;

use crate::model::{Startup, Surface};
use crate::view::{View, within};

impl View<'_> {
    /// A session's startups by order of arrival.
    pub fn startups_of(&self, session: &str) -> Vec<&Startup> {
        let mut own: Vec<&Startup> =
            self.history.startups.iter().filter(|startup| startup.session == session).collect();
        own.sort_by_key(|startup| startup.seq);
        own
    }

    /// Startups in use in the range asked for.
    pub fn startups_in_use(&self) -> Vec<&Startup> {
        self.startups_in_use_in(self.scope.range)
    }

    /// Startups in use in a range by order of arrival: they arrived in it, or a call in it is of theirs.
    pub fn startups_in_use_in(&self, range: Range) -> Vec<&Startup> {
        let called: BTreeSet<i64> = self
            .select(|call| within(range, call.started_ms) && self.passes_client(&call.client))
            .into_iter()
            .filter_map(|at| self.startup(at))
            .map(|startup| startup.seq)
            .collect();
        let mut in_use: Vec<&Startup> = self
            .history
            .startups
            .iter()
            .filter(|startup| {
                called.contains(&startup.seq)
                    || (within(range, startup.received_ms) && self.passes_client(&startup.client))
            })
            .collect();
        in_use.sort_by_key(|startup| startup.seq);
        in_use
    }

    /// Positions of the surfaces in use, newest last.
    pub fn surfaces_in_use(&self) -> Vec<usize> {
        let mut newest_first: Vec<usize> = Vec::new();
        for startup in self.startups_in_use().into_iter().rev() {
            if !newest_first.contains(&startup.surface) {
                newest_first.push(startup.surface);
            }
        }
        newest_first.reverse();
        newest_first
    }

    /// The surface at a position.
    pub fn surface(&self, at: usize) -> &Surface {
        &self.history.surfaces[at]
    }
}

impl Surface {
    /// Its entry for a tool.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The sum over its tools, UTF-16 units.
    pub fn units(&self) -> u64 {
        self.tools.iter().map(|tool| u64::from(tool.schema_bytes)).sum()
    }
}
