//! A server's history seen through a scope.

use mcpulse_store::metrics::types::{Range, Scope};

use crate::definitions::Definitions;
use crate::facts::{Fact, Facts, Link, good};
use crate::fit::Fit;
use crate::model::{Call, History, Startup};

/// The history, the facts and the scope together: every answer starts here.
pub struct View<'a> {
    pub history: &'a History,
    pub facts: &'a Facts,
    pub scope: &'a Scope,
    pub definitions: &'a Definitions,
}

/// A stretch of time with the estimate fitted to it.
pub struct Window<'a> {
    pub view: &'a View<'a>,
    pub range: Range,
    pub fit: Fit,
}

impl View<'_> {
    /// The clock is far enough past the call's end and its arrival.
    pub fn is_settled(&self, call: &Call) -> bool {
        self.scope.now_ms - call.end_ms().max(call.received_ms) >= self.definitions.settle_ms
    }

    /// Whether the call at a position is good with nothing behind it.
    pub fn is_strict(&self, at: usize) -> bool {
        self.is_good(at) && self.fact(at).behind == Link::Nothing
    }

    /// By when calls had to have ended and arrived to be settled.
    pub fn settled_as_of_ms(&self) -> i64 {
        self.scope.now_ms - self.definitions.settle_ms
    }

    /// Whether the filters let the call through.
    pub fn passes(&self, call: &Call) -> bool {
        self.passes_tool(&call.tool) && self.passes_client(&call.client)
    }

    /// Whether the filter by tools lets a tool through.
    pub fn passes_tool(&self, tool: &String) -> bool {
        self.scope.tools.is_empty() || self.scope.tools.contains(tool)
    }

    /// Whether the filter by clients lets a client through.
    pub fn passes_client(&self, client: &String) -> bool {
        self.scope.clients.is_empty() || self.scope.clients.contains(client)
    }

    /// Whether the call at a position is good.
    pub fn is_good(&self, at: usize) -> bool {
        good(self.call(at), self.definitions)
    }

    /// Whether the call is settled and not crowded: fit for everything that needs a sequence.
    pub fn is_sequence_call(&self, at: usize) -> bool {
        self.is_settled(self.call(at)) && !self.fact(at).crowded
    }

    /// Positions of all calls that pass the filters and started in the range.
    pub fn matching(&self, range: Range) -> Vec<usize> {
        self.select(|call| self.in_range(range, call) && self.passes(call))
    }

    /// Whether the call started in the range.
    pub fn in_range(&self, range: Range, call: &Call) -> bool {
        within(range, call.started_ms) || (self.definitions.closed_ranges && call.started_ms == range.to_ms)
    }

    /// Positions of the calls that are wanted.
    pub fn select(&self, wanted: impl Fn(&Call) -> bool) -> Vec<usize> {
        (0..self.history.calls.len()).filter(|&at| wanted(&self.history.calls[at])).collect()
    }

    /// The call at a position.
    pub fn call(&self, at: usize) -> &Call {
        &self.history.calls[at]
    }

    /// What is known of the call at a position.
    pub fn fact(&self, at: usize) -> &Fact {
        &self.facts.of_call[at]
    }

    /// The startup the call at a position belongs to.
    pub fn startup(&self, at: usize) -> Option<&Startup> {
        self.history.startup_of(self.call(at))
    }

    /// What reading so many UTF-16 units costs.
    pub fn usd(&self, units: f64) -> f64 {
        units / 4.0 * self.scope.usd_per_million_tokens / 1e6
    }

    /// The range asked for.
    pub fn now_window(&self) -> Window<'_> {
        self.window(self.scope.range)
    }

    /// The equally long range before.
    pub fn before_range(&self) -> Range {
        let Range { from_ms, to_ms } = self.scope.range;
        let length_ms = if self.definitions.day_before { 86_400_000 } else { to_ms - from_ms };
        Range { from_ms: from_ms - length_ms, to_ms: from_ms }
    }

    /// The same with its estimate.
    pub fn before_window(&self) -> Window<'_> {
        self.window(self.before_range())
    }

    /// Any stretch of time.
    pub fn window(&self, range: Range) -> Window<'_> {
        Window { view: self, range, fit: Fit::of(self, range) }
    }
}

/// Whether a moment is in a half-open range.
pub fn within(range: Range, at_ms: i64) -> bool {
    (range.from_ms..range.to_ms).contains(&at_ms)
}
