//! The first page about a server.

use std::collections::BTreeSet;

use mcpulse_store::metrics::types::{Overview, Point, Range, SessionCost};

use crate::latency::nearest_rank;
use crate::rates::{count, durations};
use crate::view::{View, Window, within};

impl View<'_> {
    /// The headline figures.
    pub fn overview(&self) -> Overview {
        let (now, before) = (self.now_window(), self.before_window());
        let calls = self.matching(now.range);
        let calls_before = self.matching(before.range);
        Overview {
            range: now.range,
            range_before: before.range,
            settled_as_of_ms: self.settled_as_of_ms(),
            figures: now.figures(&calls),
            before: before.figures(&calls_before),
            session_cost: self.session_cost(&calls),
            session_cost_before: self.session_cost(&calls_before),
            series: self.series(&now, &calls),
            clients: self.client_rows(&now, &calls, false),
            confidence: self.confidence(&calls),
        }
    }

    /// The range in points.
    pub fn series(&self, window: &Window<'_>, calls: &[usize]) -> Vec<Point> {
        let dates = self.history.session_dates();
        let sessions: BTreeSet<&str> = calls.iter().map(|&at| &*self.call(at).session).collect();
        self.scope
            .edges
            .windows(2)
            .map(|edges| {
                let range = Range { from_ms: edges[0], to_ms: edges[1] };
                let own: Vec<usize> =
                    calls.iter().copied().filter(|&at| within(range, self.call(at).started_ms)).collect();
                let figures = window.figures(&own);
                let times = durations(own.iter().map(|&at| self.call(at)));
                Point {
                    start_ms: range.from_ms,
                    end_ms: range.to_ms,
                    calls: figures.calls,
                    outcomes: figures.outcomes,
                    settled_calls: count(own.iter().filter(|&&at| self.is_settled(self.call(at)))),
                    error_rate: figures.error_rate,
                    empty_rate: figures.empty_rate,
                    first_call_success: figures.first_call.first_call_success,
                    strict: figures.first_call.strict,
                    lenient: figures.first_call.lenient,
                    p50_ms: nearest_rank(&times, 50, self.definitions),
                    p95_ms: nearest_rank(&times, 95, self.definitions),
                    response_units: figures.response.units,
                    cost_usd: figures.response.cost_usd,
                    sessions_started: count(
                        sessions.iter().filter(|session| within(range, dates[**session])),
                    ),
                }
            })
            .collect()
    }

    /// What an average session costs.
    fn session_cost(&self, calls: &[usize]) -> SessionCost {
        let crowded = count(calls.iter().filter(|&&at| self.fact(at).crowded));
        if crowded * 10 > calls.len() as u64 {
            return SessionCost::default();
        }
        let sessions: BTreeSet<&str> = calls.iter().map(|&at| &*self.call(at).session).collect();
        let units: u64 = calls.iter().map(|&at| self.call(at).units).sum();
        let lists: Vec<u64> =
            sessions.iter().filter_map(|session| self.first_surface_units(session)).collect();
        let mean = |total: f64, of: usize| (of > 0).then(|| total / of as f64);
        let response_usd = mean(self.usd(units as f64), sessions.len());
        let schema_usd = mean(self.usd(lists.iter().sum::<u64>() as f64), lists.len());
        SessionCost {
            response_usd,
            schema_usd,
            total_usd: response_usd.zip(schema_usd).map(|(response, schema)| response + schema),
        }
    }

    /// Size of the tool list that a session read first, of the tools asked for.
    fn first_surface_units(&self, session: &str) -> Option<u64> {
        let first = *self.startups_of(session).first()?;
        let asked =
            self.history.surfaces[first.surface].tools.iter().filter(|tool| self.passes_tool(&tool.name));
        Some(asked.map(|tool| u64::from(tool.schema_bytes)).sum())
    }
}
