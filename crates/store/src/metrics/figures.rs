//! From counts to figures.

use std::collections::HashMap;
use std::hash::Hash;

use super::first_call::{Reading, Sums};
use super::snapshot::{FirstCallTally, Key, Tally};
use super::types::{Figures, FirstCall, Latency, Outcomes, Response};
use super::{ratio, real};

/// Response size to money.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Price {
    /// US dollars per million tokens.
    pub(crate) usd_per_million_tokens: f64,
}

/// UTF-16 units in a token.
pub(crate) const UNITS_PER_TOKEN: f64 = 4.0;

/// Units as tokens.
pub(crate) fn tokens(units: u64) -> f64 {
    real(units) / UNITS_PER_TOKEN
}

impl Price {
    /// US dollars for reading so many tokens.
    pub(crate) fn of(self, tokens: f64) -> f64 {
        tokens * self.usd_per_million_tokens / 1_000_000.0
    }
}

impl Outcomes {
    /// Calls of all outcomes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.ok + self.empty + self.bad_args + self.tool_error + self.crashed
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            ok: self.ok + other.ok,
            empty: self.empty + other.empty,
            bad_args: self.bad_args + other.bad_args,
            tool_error: self.tool_error + other.tool_error,
            crashed: self.crashed + other.crashed,
        }
    }

    /// Calls that failed.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.bad_args + self.tool_error + self.crashed
    }

    /// Failed ÷ all.
    #[must_use]
    pub fn error_rate(&self) -> Option<f64> {
        ratio(self.errors(), self.total())
    }

    /// Empty ÷ all.
    #[must_use]
    pub fn empty_rate(&self) -> Option<f64> {
        ratio(self.empty, self.total())
    }
}

/// The figures of one row of counts.
pub(crate) fn figures(tally: Option<&Tally>, first_call: FirstCall, price: Price) -> Figures {
    let Some(tally) = tally else { return Figures { first_call, ..Figures::default() } };
    let calls = tally.outcomes.total();
    let [p50_ms, p90_ms, p95_ms, p99_ms] = tally.latency_ms;
    let tokens = tokens(tally.units);
    Figures {
        calls,
        outcomes: tally.outcomes,
        settled_outcomes: tally.settled,
        error_rate: tally.settled.error_rate(),
        empty_rate: tally.settled.empty_rate(),
        first_call,
        latency: Latency { p50_ms, p90_ms, p95_ms, p99_ms },
        response: Response {
            units: tally.units,
            mean_units: ratio(tally.units, calls),
            max_units: tally.max_units,
            tokens,
            cost_usd: price.of(tokens),
        },
        sessions: tally.sessions,
    }
}

/// First-call figures by whatever part of the key is of interest.
pub(crate) fn first_calls_by<K: Hash + Eq>(
    rows: &[FirstCallTally],
    reading: Reading<'_>,
    part: impl Fn(&Key) -> K,
) -> HashMap<K, FirstCall> {
    let mut sums: HashMap<K, Sums> = HashMap::new();
    for row in rows {
        sums.entry(part(&row.key)).or_default().add(row, reading);
    }
    sums.into_iter().map(|(key, sums)| (key, sums.figures())).collect()
}

/// First-call figures of all rows together.
pub(crate) fn first_call(rows: &[FirstCallTally], reading: Reading<'_>) -> FirstCall {
    let mut sums = Sums::default();
    for row in rows {
        sums.add(row, reading);
    }
    sums.figures()
}
