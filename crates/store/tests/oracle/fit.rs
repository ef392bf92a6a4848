//! Two geometric components fitted by EM to the lengths of clean runs (docs/metrics.md, 4.6).

use std::collections::BTreeMap;

use mcpulse_store::metrics::types::Range;

use crate::view::{View, within};

/// How many runs there are of each length.
type Lengths = BTreeMap<usize, u64>;

/// Rounds of the fit.
const ROUNDS: usize = 50;

/// A share w of the runs are rewordings, which go on with probability p; the rest are lists, which go on with q.
#[derive(Clone, Copy, Debug)]
pub struct Mixture {
    w: f64,
    p: f64,
    q: f64,
}

impl Mixture {
    /// Probability that a clean run of this length is one of rewording, by Bayes' theorem.
    pub fn rewording(self, length: usize) -> f64 {
        let more = length as f64 - 1.0;
        let list_to_rewording =
            ((1.0 - self.w) * (1.0 - self.q)) / (self.w * (1.0 - self.p)) * (self.q / self.p).powf(more);
        1.0 / (1.0 + list_to_rewording)
    }

    /// The mixture after all rounds, started from (and drawn to) this one.
    fn fitted(self, lengths: &Lengths, (least_p, most_p): (f64, f64), prior: f64) -> Self {
        let start = self;
        let (a, b) = (prior * start.w, prior * (1.0 - start.w));
        let mut now = start;
        for _ in 0..ROUNDS {
            let (mut runs, mut rewordings, mut reworded_on, mut listed_on) = (0.0, 0.0, 0.0, 0.0);
            for (&length, &count) in lengths {
                let (count, more) = (count as f64, length as f64 - 1.0);
                let rewording = now.rewording(length);
                runs += count;
                rewordings += count * rewording;
                reworded_on += count * rewording * more;
                listed_on += count * (1.0 - rewording) * more;
            }
            let lists = runs - rewordings;
            now = Self {
                w: (rewordings + a) / (runs + prior),
                p: ((reworded_on + a * start.p / (1.0 - start.p))
                    / (reworded_on + rewordings + a / (1.0 - start.p)))
                    .clamp(least_p, most_p),
                q: ((listed_on + b * start.q / (1.0 - start.q)) / (listed_on + lists + b / (1.0 - start.q)))
                    .clamp(0.5, 0.99),
            };
        }
        now
    }
}

/// What the runs of a range say about each tool.
pub struct Fit {
    pooled: Mixture,
    tools: BTreeMap<String, Lengths>,
    prior: f64,
}

impl Fit {
    /// Fits all the server's runs in a range, whatever the filters.
    pub fn of(view: &View<'_>, range: Range) -> Self {
        let mut tools: BTreeMap<String, Lengths> = BTreeMap::new();
        let mut all = Lengths::new();
        for run in &view.facts.runs {
            let settled =
                run.steps.iter().flat_map(|step| step.calls()).all(|at| view.is_settled(view.call(at)));
            if within(range, run.start_ms()) && run.is_clean() && !run.crowded && settled {
                *tools.entry(run.tool.clone()).or_default().entry(run.steps.len()).or_default() += 1;
                *all.entry(run.steps.len()).or_default() += 1;
            }
        }
        let prior = view.definitions.prior_runs;
        let pooled = Mixture { w: 0.3, p: 0.2, q: 0.7 }.fitted(&all, (0.01, 0.4), prior);
        Self { pooled, tools, prior }
    }

    /// The mixture of one tool, drawn to that of all.
    pub fn of_tool(&self, tool: &str) -> Mixture {
        self.pooled.fitted(&self.lengths(tool), (0.01, 0.4), self.prior)
    }

    /// The mixture of one tool, drawn to rewording as persistent as is assumed possible.
    pub fn leaning_to_rewording(&self, tool: &str) -> Mixture {
        Mixture { w: 0.7, p: 0.4, q: 0.7 }.fitted(&self.lengths(tool), (0.4, 0.4), self.prior)
    }

    fn lengths(&self, tool: &str) -> Lengths {
        self.tools.get(tool).cloned().unwrap_or_default()
    }
}
