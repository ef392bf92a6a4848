//! The figures of a set of calls: counts, rates, sizes, latency.

use std::collections::BTreeSet;

use mcpulse_store::metrics::types::{Figures, Outcomes, Response};

use crate::latency::latency;
use crate::model::{Call, Slice};
use crate::view::Window;

/// A share, or nothing when there was nothing to share.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// How many there are.
pub fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    items.map(|_| 1).sum()
}

/// Calls by the five slices.
pub fn outcomes<'a>(calls: impl Iterator<Item = &'a Call>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for call in calls {
        *match call.slice() {
            Slice::Ok => &mut outcomes.ok,
            Slice::Empty => &mut outcomes.empty,
            Slice::BadArgs => &mut outcomes.bad_args,
            Slice::ToolError => &mut outcomes.tool_error,
            Slice::Crashed => &mut outcomes.crashed,
        } += 1;
    }
    outcomes
}

/// Errors ÷ calls.
pub fn error_rate(outcomes: Outcomes) -> Option<f64> {
    share(outcomes.bad_args + outcomes.tool_error + outcomes.crashed, total(outcomes))
}

/// Empty ÷ calls.
pub fn empty_rate(outcomes: Outcomes) -> Option<f64> {
    share(outcomes.empty, total(outcomes))
}

fn total(outcomes: Outcomes) -> u64 {
    outcomes.ok + outcomes.empty + outcomes.bad_args + outcomes.tool_error + outcomes.crashed
}

impl Window<'_> {
    /// Everything about these calls (positions in the history).
    pub fn figures(&self, calls: &[usize]) -> Figures {
        let all = || calls.iter().map(|&at| &self.view.history.calls[at]);
        let settled_outcomes = outcomes(all().filter(|call| self.view.is_settled(call)));
        Figures {
            calls: count(all()),
            outcomes: outcomes(all()),
            settled_outcomes,
            error_rate: error_rate(settled_outcomes),
            empty_rate: empty_rate(settled_outcomes),
            first_call: self.first_call(calls),
            latency: latency(&durations(all()), self.view.definitions),
            response: self.response(calls),
            sessions: all().map(|call| &call.session).collect::<BTreeSet<_>>().len() as u64,
        }
    }

    /// Sizes of the answers and what reading them costs.
    pub fn response(&self, calls: &[usize]) -> Response {
        let sizes: Vec<u64> = calls.iter().map(|&at| self.view.history.calls[at].units).collect();
        let units: u64 = sizes.iter().sum();
        Response {
            units,
            mean_units: share(units, sizes.len() as u64),
            max_units: sizes.iter().max().map(|&most| u32::try_from(most).unwrap()),
            tokens: units as f64 / 4.0,
            cost_usd: self.view.usd(units as f64),
        }
    }
}

/// How long the calls took.
pub fn durations<'a>(calls: impl Iterator<Item = &'a Call>) -> Vec<u32> {
    calls.map(|call| u32::try_from(call.duration_ms).unwrap()).collect()
}
