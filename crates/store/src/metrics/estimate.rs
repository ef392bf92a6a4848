//! How many good calls were reworded: two kinds of runs told apart by their lengths (`docs/metrics.md`, 4.6).
//!
//! A run of one tool's calls with changing arguments is the model rewording because answers missed, or a list it
//! goes through. Rewording rarely goes on for long, lists do; so the lengths of a tool's clean runs say how likely
//! a run of each length is one of rewording. Plain EM with a fixed number of rounds: the same data always give the
//! same figures.

use std::collections::{BTreeMap, HashMap};

use super::real;
use super::snapshot::RunLength;

/// Rounds of EM. Enough to settle; fixed, so that figures are reproducible.
const ROUNDS: u32 = 50;
/// What the prior is worth, in runs.
const PRIOR_RUNS: f64 = 20.0;
/// A list goes on with at least this probability.
const LIST_GOES_ON: (f64, f64) = (0.5, 0.99);
/// Rewording goes on with at most this probability.
const REWORDING_GOES_ON: (f64, f64) = (0.01, 0.4);
/// Where the pooled fit starts and what its prior holds: it leans to lists.
const LEANING_TO_LISTS: Mixture = Mixture { rewording: 0.3, rewording_goes_on: 0.2, list_goes_on: 0.7 };
/// The prior that leans the other way, with rewording as persistent as it may be: for the far end of the interval.
const LEANING_TO_REWORDING: Mixture = Mixture { rewording: 0.7, rewording_goes_on: 0.4, list_goes_on: 0.7 };

/// Runs of rewording and lists, each of geometric length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mixture {
    /// Share of runs that are rewording.
    pub(crate) rewording: f64,
    /// Probability that rewording goes on after a step.
    pub(crate) rewording_goes_on: f64,
    /// Probability that a list goes on after a step.
    pub(crate) list_goes_on: f64,
}

impl Mixture {
    /// Probability that a run of so many steps (at least 1) is one of rewording.
    #[must_use]
    pub(crate) fn rewording_given(&self, steps: u32) -> f64 {
        // As a ratio: the powers themselves would underflow in long runs.
        let at_one_step = (1.0 - self.rewording) * (1.0 - self.list_goes_on)
            / (self.rewording * (1.0 - self.rewording_goes_on));
        let further = (self.list_goes_on / self.rewording_goes_on).powf(f64::from(steps.max(1) - 1));
        1.0 / (1.0 + at_one_step * further)
    }
}

/// Runs by length.
type Lengths = BTreeMap<u32, f64>;

fn fit(lengths: &Lengths, prior: Mixture, bounds: (f64, f64)) -> Mixture {
    (0..ROUNDS).fold(prior, |now, _| round(lengths, prior, bounds, now))
}

/// One round of EM: share the runs out as `now` sees them, then see what they say.
fn round(lengths: &Lengths, prior: Mixture, (least, most): (f64, f64), now: Mixture) -> Mixture {
    let runs: f64 = lengths.values().sum();
    let prior_rewording = PRIOR_RUNS * prior.rewording;
    let prior_lists = PRIOR_RUNS - prior_rewording;
    let (mut rewording, mut rewording_further, mut list_further) = (0.0, 0.0, 0.0);
    for (&steps, &count) in lengths {
        let share = now.rewording_given(steps);
        let further = f64::from(steps) - 1.0;
        rewording += count * share;
        rewording_further += count * share * further;
        list_further += count * (1.0 - share) * further;
    }
    let odds = |goes_on: f64| goes_on / (1.0 - goes_on);
    let rewording_goes_on = (rewording_further + prior_rewording * odds(prior.rewording_goes_on))
        / (rewording_further + rewording + prior_rewording / (1.0 - prior.rewording_goes_on));
    let list_goes_on = (list_further + prior_lists * odds(prior.list_goes_on))
        / (list_further + runs - rewording + prior_lists / (1.0 - prior.list_goes_on));
    Mixture {
        rewording: (rewording + prior_rewording) / (runs + PRIOR_RUNS),
        rewording_goes_on: rewording_goes_on.clamp(least, most),
        list_goes_on: list_goes_on.clamp(LIST_GOES_ON.0, LIST_GOES_ON.1),
    }
}

/// A tool's two mixtures.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Both {
    likely: Mixture,
    leaning_to_rewording: Mixture,
}

impl Both {
    fn of(lengths: &Lengths, pooled: Mixture) -> Self {
        Self {
            likely: fit(lengths, pooled, REWORDING_GOES_ON),
            leaning_to_rewording: fit(
                lengths,
                LEANING_TO_REWORDING,
                (REWORDING_GOES_ON.1, REWORDING_GOES_ON.1),
            ),
        }
    }
}

/// What the runs of a range say about rewording, tool by tool.
#[derive(Clone, Debug)]
pub(crate) struct Fits {
    tools: HashMap<String, Both>,
    other: Both,
}

/// What is believed about the follow-ups of runs of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Belief {
    /// Probability that they are rewording.
    pub(crate) likely: f64,
    /// The same when one leans to rewording; never less than `likely`.
    pub(crate) at_most: f64,
}

impl Fits {
    /// Fits all tools of a server together, then each with the pooled fit as its prior.
    #[must_use]
    pub(crate) fn new(runs: &[RunLength]) -> Self {
        let mut by_tool: HashMap<&str, Lengths> = HashMap::new();
        let mut pooled = Lengths::new();
        for run in runs {
            let count = real(run.runs);
            *by_tool.entry(&run.tool).or_default().entry(run.steps).or_default() += count;
            *pooled.entry(run.steps).or_default() += count;
        }
        let pooled = fit(&pooled, LEANING_TO_LISTS, REWORDING_GOES_ON);
        let tools = by_tool
            .into_iter()
            .map(|(tool, lengths)| (tool.to_owned(), Both::of(&lengths, pooled)))
            .collect();
        Self { tools, other: Both::of(&Lengths::new(), pooled) }
    }

    /// About clean runs of a tool with so many steps.
    #[must_use]
    pub(crate) fn belief(&self, tool: &str, steps: u32) -> Belief {
        let fits = self.tools.get(tool).unwrap_or(&self.other);
        let likely = fits.likely.rewording_given(steps);
        Belief { likely, at_most: likely.max(fits.leaning_to_rewording.rewording_given(steps)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(tool: &str, lengths: &[(u32, u64)]) -> Vec<RunLength> {
        lengths.iter().map(|&(steps, runs)| RunLength { tool: tool.to_owned(), steps, runs }).collect()
    }

    #[test]
    fn without_runs_everything_is_as_the_prior_says() {
        let fits = Fits::new(&[]);
        let belief = fits.belief("search", 2);
        // 0.3 × 0.8 × 0.2 of rewording against 0.7 × 0.3 × 0.7 of lists.
        assert!((belief.likely - 0.048 / (0.048 + 0.147)).abs() < 1e-12, "{belief:?}");
    }

    #[test]
    fn one_round_by_hand() {
        let lengths = Lengths::from([(1, 6.0), (2, 4.0)]);
        let prior = LEANING_TO_LISTS;
        let (one, two) = (prior.rewording_given(1), prior.rewording_given(2));
        assert!((one - 0.24 / (0.24 + 0.21)).abs() < 1e-12);
        let rewording = (6.0 * one + 4.0 * two + 6.0) / 30.0;
        let goes_on = (4.0 * two + 6.0 * 0.25) / (4.0 * two + 6.0 * one + 4.0 * two + 6.0 / 0.8);
        let expected = Mixture {
            rewording,
            rewording_goes_on: goes_on,
            list_goes_on: ((4.0 * (1.0 - two) + 14.0 * 0.7 / 0.3)
                / (4.0 * (1.0 - two) + 10.0 - (6.0 * one + 4.0 * two) + 14.0 / 0.3))
                .clamp(0.5, 0.99),
        };
        let got = round(&lengths, prior, REWORDING_GOES_ON, prior);
        assert!((got.rewording - expected.rewording).abs() < 1e-12, "{got:?} {expected:?}");
        assert!((got.rewording_goes_on - expected.rewording_goes_on).abs() < 1e-12, "{got:?} {expected:?}");
        assert!((got.list_goes_on - expected.list_goes_on).abs() < 1e-12, "{got:?} {expected:?}");
    }

    #[test]
    fn long_runs_are_lists_and_no_length_is_too_long() {
        let mut data = runs("list", &[(1, 40), (5, 40), (9, 40)]);
        data.extend(runs("search", &[(1, 400), (2, 60), (3, 8)]));
        let fits = Fits::new(&data);
        assert!(fits.belief("list", 6).likely < 0.01);
        assert!(fits.belief("search", 2).likely > fits.belief("list", 2).likely);
        for tool in ["list", "search", "neither"] {
            let belief = fits.belief(tool, u32::MAX);
            assert_eq!(belief.likely, 0.0);
            assert!(fits.belief(tool, 1).likely.is_finite());
        }
    }

    #[test]
    fn the_far_end_is_never_nearer() {
        let fits = Fits::new(&runs("search", &[(1, 300), (2, 100), (3, 40), (4, 30), (7, 12)]));
        for steps in 1..40 {
            let belief = fits.belief("search", steps);
            assert!(belief.at_most >= belief.likely);
        }
    }
}
