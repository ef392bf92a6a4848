//! First-call figures of any set of calls, summed up tool by tool (`docs/metrics.md`, 4.1 to 4.7).

use std::collections::BTreeMap;

use super::estimate::Fits;
use super::snapshot::FirstCallTally;
use super::types::{FirstCall, Interval};
use super::{ratio, real};
use crate::control::ToolMode;

/// Quantile of the normal distribution that leaves 5 % at each end.
const Z: f64 = 1.645;
/// At the near end of the interval, this share of what is counted as rewording is.
const SURELY_REWORDED: f64 = 0.05;

/// Sums over calls from which the figures follow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    settled: u64,
    good: u64,
    sequence: u64,
    failed: u64,
    empty: u64,
    strict: u64,
    retried: u64,
    followed: u64,
    estimated: u64,
    estimated_good: u64,
    reworded: f64,
    sure: u64,
    open: u64,
    high: f64,
    high_variance: f64,
    low: f64,
    low_variance: f64,
}

/// How follow-ups are to be read: the fit of a range and what the owner says about tools.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) fits: &'a Fits,
    pub(crate) modes: &'a BTreeMap<String, ToolMode>,
}

impl Sums {
    /// Adds the calls of one row.
    pub(crate) fn add(&mut self, row: &FirstCallTally, reading: Reading<'_>) {
        self.settled += row.settled;
        self.good += row.good;
        self.sequence += row.sequence;
        self.failed += row.failed;
        self.empty += row.empty;
        self.strict += row.strict;
        self.retried += row.retried;
        self.followed += row.followed;
        match reading.modes.get(&row.tool) {
            Some(ToolMode::InSeries) => {
                self.estimated += row.settled;
                self.estimated_good += row.good;
            }
            Some(ToolMode::OneAnswer) => {
                self.count_sequence(row);
                self.sure += row.retried + row.followed;
                self.reworded += real(row.retried + row.followed);
            }
            None => {
                self.count_sequence(row);
                self.sure += row.retried;
                self.reworded += real(row.retried);
                self.read_follow_ups(row, reading.fits);
            }
        }
    }

    fn count_sequence(&mut self, row: &FirstCallTally) {
        self.estimated += row.sequence;
        self.estimated_good += row.strict + row.retried + row.followed;
    }

    fn read_follow_ups(&mut self, row: &FirstCallTally, fits: &Fits) {
        let Some(run) = row.followed_in else { return };
        let calls = real(row.followed);
        let (likely, at_most) = if run.clean {
            let belief = fits.belief(&row.tool, run.steps);
            (belief.likely, belief.at_most)
        } else {
            (1.0, 1.0)
        };
        let at_least = SURELY_REWORDED * likely;
        // A run is reworded as a whole or not at all, so its calls vary together.
        let together = calls * (f64::from(run.steps) - 1.0);
        self.open += row.followed;
        self.reworded += calls * likely;
        self.high += calls * at_most;
        self.high_variance += together * at_most * (1.0 - at_most);
        self.low += calls * at_least;
        self.low_variance += together * at_least * (1.0 - at_least);
    }

    /// The figures of everything added.
    pub(crate) fn figures(&self) -> FirstCall {
        let estimate = |reworded: f64| {
            (self.estimated > 0).then(|| (real(self.estimated_good) - reworded) / real(self.estimated))
        };
        let sure = real(self.sure);
        let high = (sure + self.high + Z * self.high_variance.sqrt()).min(real(self.sure + self.open));
        let low = sure + (self.low - Z * self.low_variance.sqrt()).max(0.0);
        FirstCall {
            first_call_success: estimate(self.reworded),
            interval: estimate(high).zip(estimate(low)).map(|(low, high)| Interval { low, high }),
            strict: ratio(self.strict, self.sequence),
            lenient: ratio(self.good, self.settled),
            settled_calls: self.settled,
            good_calls: self.good,
            sequence_calls: self.sequence,
            strict_calls: self.strict,
            retried_calls: self.retried,
            followed_calls: self.followed,
            failed_calls: self.failed,
            empty_calls: self.empty,
            estimated_calls: self.estimated,
            expected_reworded: self.reworded,
        }
    }
}
