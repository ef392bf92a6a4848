//! Tool by tool, and one tool in full.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use mcpulse_store::metrics::types::{ClientOfTool, Pair, Scope, ToolDetail, ToolReport, ToolRow, ToolStatus};
use mcpulse_wire::payload::Policy;

use crate::clients::by;
use crate::latency::histogram;
use crate::model::wire_name;
use crate::rates::{count, durations};
use crate::view::{View, Window};

/// The name under which an ingest that has seen too many names stores further ones.
const COLLECTED: &str = "(other)";

/// Pairs shown on each side of one tool.
const MOST_PAIRS: usize = 100;

impl View<'_> {
    /// Every tool called or registered in the range.
    pub fn tools(&self) -> ToolReport {
        let (now, before) = (self.now_window(), self.before_window());
        let calls = self.matching(now.range);
        let mut names: BTreeSet<String> = calls.iter().map(|&at| self.call(at).tool.clone()).collect();
        let surfaces = self.surfaces_in_use();
        for &at in &surfaces {
            names.extend(self.surface(at).tools.iter().map(|tool| tool.name.clone()));
        }
        let mut tools: Vec<ToolRow> = names
            .into_iter()
            .filter(|name| self.passes_tool(name))
            .map(|name| self.tool_row(&name, &now, &before))
            .collect();
        tools.sort_by_key(|row| Reverse(row.figures.calls));
        let newest = surfaces.last().map(|&at| self.surface(at));
        ToolReport {
            range: now.range,
            range_before: before.range,
            settled_as_of_ms: self.settled_as_of_ms(),
            tools,
            surface_tools: newest.map(|surface| surface.tools.len() as u64),
            surface_units: newest.map(|surface| surface.units()),
            surface_tokens: newest.map(|surface| surface.units() as f64 / 4.0),
            confidence: self.confidence(&calls),
        }
    }

    fn tool_row(&self, name: &str, now: &Window<'_>, before: &Window<'_>) -> ToolRow {
        let own = |window: &Window<'_>| {
            let mut calls = self.matching(window.range);
            calls.retain(|&at| self.call(at).tool == name);
            calls
        };
        let (calls, calls_before) = (own(now), own(before));
        let in_use: Vec<_> = self
            .startups_in_use()
            .into_iter()
            .filter(|startup| self.surface(startup.surface).tool(name).is_some())
            .collect();
        let entry = in_use.last().and_then(|startup| self.surface(startup.surface).tool(name));
        let sessions_registered =
            in_use.iter().map(|startup| &startup.session).collect::<BTreeSet<_>>().len() as u64;
        let ever_registered = self.history.surfaces.iter().any(|surface| surface.tool(name).is_some());
        let status = match entry {
            _ if !calls.is_empty() => {
                if ever_registered || self.history.surfaces.is_empty() || name == COLLECTED {
                    ToolStatus::Called
                } else {
                    ToolStatus::Phantom
                }
            }
            None => ToolStatus::Absent,
            Some(entry) if matches!(entry.policy, Some(Policy::Authorization | Policy::Identity)) => {
                ToolStatus::Withheld
            }
            Some(_) => ToolStatus::Dead,
        };
        ToolRow {
            tool: name.to_owned(),
            status,
            mode: self.scope.modes.get(name).copied(),
            figures: now.figures(&calls),
            calls_before: count(calls_before.iter()),
            first_call_before: before.first_call(&calls_before),
            clients: self.clients_of_tool(now, &calls),
            registered: entry.is_some(),
            schema_units: entry.map(|entry| entry.schema_bytes),
            schema_tokens: entry.map(|entry| f64::from(entry.schema_bytes) / 4.0),
            policy: entry.and_then(|entry| entry.policy).map(|policy| wire_name(&policy)),
            sessions_registered,
            schema_cost_usd: entry
                .map(|entry| self.usd(f64::from(entry.schema_bytes) * sessions_registered as f64)),
        }
    }

    fn clients_of_tool(&self, window: &Window<'_>, calls: &[usize]) -> Vec<ClientOfTool> {
        let mut rows: Vec<ClientOfTool> = by(calls, |at| self.call(at).client.clone())
            .into_iter()
            .map(|(client, own)| {
                let figures = window.figures(&own);
                ClientOfTool {
                    client,
                    calls: figures.calls,
                    error_rate: figures.error_rate,
                    empty_rate: figures.empty_rate,
                    first_call: figures.first_call,
                    p95_ms: figures.latency.p95_ms,
                }
            })
            .collect();
        rows.sort_by_key(|row| Reverse(row.calls));
        rows
    }

    /// One tool in full, whatever the filter by tools. `None` when nothing ever named it.
    pub fn tool(&self, name: &str) -> Option<ToolDetail> {
        let named = self.history.calls.iter().any(|call| call.tool == name)
            || self.history.surfaces.iter().any(|surface| surface.tool(name).is_some());
        if !named {
            return None;
        }
        let scope = Scope { tools: vec![name.to_owned()], ..self.scope.clone() };
        let view = View { scope: &scope, ..*self };
        let (now, before) = (view.now_window(), view.before_window());
        let calls = view.matching(now.range);
        let side = |is_one: fn(&Pair, &str) -> bool| {
            let mut pairs = view.all_pairs();
            pairs.retain(|pair| is_one(pair, name));
            pairs.truncate(MOST_PAIRS);
            pairs
        };
        Some(ToolDetail {
            range: now.range,
            range_before: before.range,
            settled_as_of_ms: view.settled_as_of_ms(),
            row: view.tool_row(name, &now, &before),
            before: before.figures(&view.matching(before.range)),
            series: view.series(&now, &calls),
            latency_histogram: histogram(&durations(calls.iter().map(|&at| view.call(at)))),
            pairs_in: side(|pair, name| pair.to == name),
            pairs_out: side(|pair, name| pair.from == name),
            changes: view.changes().changes,
            confidence: view.confidence(&calls),
        })
    }
}
