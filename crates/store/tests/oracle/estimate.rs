//! First-call success: the estimate, its interval and its bounds (docs/metrics.md, 4).

use mcpulse_store::control::ToolMode;
use mcpulse_store::metrics::types::{FirstCall, Interval};

use crate::clients::by;
use crate::facts::Link;
use crate::model::Slice;
use crate::rates::{count, share};
use crate::view::Window;

/// 95 % of a normal distribution lie below.
const Z: f64 = 1.645;

/// What the good estimated calls of a set come to.
#[derive(Default)]
struct Reworded {
    expected: f64,
    /// Surely reworded.
    sure: f64,
    /// With a follow-up behind them that could be either.
    open: Vec<Open>,
}

/// A call that may have been reworded.
struct Open {
    /// Steps after the first in its run.
    more: f64,
    /// Probability of rewording.
    c: f64,
    /// The same when rewording is as persistent as it may be.
    most: f64,
}

impl Window<'_> {
    fn mode(&self, at: usize) -> Option<ToolMode> {
        self.view.scope.modes.get(&self.view.call(at).tool).copied()
    }

    /// Probability that a good call was reworded because its answer missed.
    pub fn reworded_probability(&self, at: usize) -> f64 {
        let fact = self.view.fact(at);
        let run = &self.view.facts.runs[fact.run];
        match (self.mode(at), fact.behind) {
            (_, Link::Nothing) | (Some(ToolMode::InSeries), _) => 0.0,
            (Some(ToolMode::OneAnswer), _) | (None, Link::Retry) => 1.0,
            (None, Link::FollowUp) if !run.is_clean() && !self.view.definitions.unclean_runs_are_open => 1.0,
            (None, Link::FollowUp) => self.fit.of_tool(&run.tool).rewording(run.steps.len()),
        }
    }

    fn most_reworded_probability(&self, at: usize) -> f64 {
        let run = &self.view.facts.runs[self.view.fact(at).run];
        if !run.is_clean() {
            return 1.0;
        }
        self.reworded_probability(at).max(self.fit.leaning_to_rewording(&run.tool).rewording(run.steps.len()))
    }

    fn reworded(&self, good: &[usize]) -> Reworded {
        let mut reworded = Reworded::default();
        for &at in good {
            let c = self.reworded_probability(at);
            reworded.expected += c;
            match (self.mode(at), self.view.fact(at).behind) {
                (_, Link::Nothing) | (Some(ToolMode::InSeries), _) => {}
                (Some(ToolMode::OneAnswer), _) | (None, Link::Retry) => reworded.sure += 1.0,
                (None, Link::FollowUp) => {
                    let steps = self.view.facts.runs[self.view.fact(at).run].steps.len();
                    reworded.open.push(Open {
                        more: steps as f64 - 1.0,
                        c,
                        most: self.most_reworded_probability(at),
                    });
                }
            }
        }
        reworded
    }

    /// First-call success of these calls.
    pub fn first_call(&self, calls: &[usize]) -> FirstCall {
        let view = self.view;
        let settled: Vec<usize> =
            calls.iter().copied().filter(|&at| view.is_settled(view.call(at))).collect();
        let sequence: Vec<usize> = settled.iter().copied().filter(|&at| view.is_sequence_call(at)).collect();
        let good_calls = count(settled.iter().filter(|&&at| view.is_good(at)));
        let behind = |link: Link| {
            count(sequence.iter().filter(|&&at| view.is_good(at) && view.fact(at).behind == link))
        };
        let strict_calls = behind(Link::Nothing);

        let mut estimated: Vec<usize> = Vec::new();
        for (tool, of_tool) in by(&settled, |at| view.call(at).tool.clone()) {
            let in_series = view.scope.modes.get(&tool) == Some(&ToolMode::InSeries);
            estimated.extend(of_tool.into_iter().filter(|&at| in_series || view.is_sequence_call(at)));
        }
        let good: Vec<usize> = estimated.iter().copied().filter(|&at| view.is_good(at)).collect();
        let reworded = self.reworded(&good);
        let (of, good) = (estimated.len() as f64, good.len() as f64);
        FirstCall {
            first_call_success: (of > 0.0).then(|| (good - reworded.expected) / of),
            interval: (of > 0.0).then(|| reworded.interval(good, of)),
            strict: share(strict_calls, sequence.len() as u64),
            lenient: share(good_calls, settled.len() as u64),
            settled_calls: settled.len() as u64,
            good_calls,
            sequence_calls: sequence.len() as u64,
            strict_calls,
            retried_calls: behind(Link::Retry),
            followed_calls: behind(Link::FollowUp),
            failed_calls: count(
                sequence.iter().filter(|&&at| !matches!(view.call(at).slice(), Slice::Ok | Slice::Empty)),
            ),
            empty_calls: count(sequence.iter().filter(|&&at| !view.is_good(at) && view.call(at).is_empty)),
            estimated_calls: estimated.len() as u64,
            expected_reworded: reworded.expected,
        }
    }
}

impl Reworded {
    /// Where the true share of `good` less reworded calls, of `of` calls, lies in 9 of 10 cases.
    fn interval(&self, good: f64, of: f64) -> Interval {
        let spread = |c: &dyn Fn(&Open) -> f64| {
            let variance: f64 = self.open.iter().map(|open| open.more * c(open) * (1.0 - c(open))).sum();
            Z * variance.sqrt()
        };
        let most = |open: &Open| open.most;
        let least = |open: &Open| 0.05 * open.c;
        let high = self.sure + self.open.iter().map(most).sum::<f64>() + spread(&most);
        let low = self.open.iter().map(least).sum::<f64>() - spread(&least);
        Interval {
            low: (good - high.min(self.sure + self.open.len() as f64)) / of,
            high: (good - (self.sure + low.max(0.0))) / of,
        }
    }
}
