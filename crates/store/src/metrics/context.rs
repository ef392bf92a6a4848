//! What every question needs first: the fit of a range, and counts turned into figures with it.

use std::collections::HashMap;

use super::MetricsError;
use super::estimate::Fits;
use super::figures::{Price, figures, first_call, first_calls_by};
use super::first_call::Reading;
use super::snapshot::{By, FirstCallTally, Key, Slice, Snapshot, Tally};
use super::types::{Figures, FirstCall, Range, Scope};

type Result<T> = std::result::Result<T, MetricsError>;

/// One range of one scope on one snapshot, with its fit.
pub(super) struct Context<'a> {
    pub(super) snapshot: &'a dyn Snapshot,
    pub(super) scope: &'a Scope,
    pub(super) range: Range,
    fits: Fits,
}

/// Counts of one key as figures.
pub(super) struct Row {
    pub(super) tally: Tally,
    pub(super) figures: Figures,
}

impl<'a> Context<'a> {
    /// Fits the runs of a range.
    pub(super) fn new(snapshot: &'a dyn Snapshot, scope: &'a Scope, range: Range) -> Result<Self> {
        Ok(Self { snapshot, scope, range, fits: Fits::new(&snapshot.run_lengths(range)?) })
    }

    pub(super) fn reading(&self) -> Reading<'_> {
        Reading { fits: &self.fits, modes: &self.scope.modes }
    }

    pub(super) fn price(&self) -> Price {
        Price { usd_per_million_tokens: self.scope.usd_per_million_tokens }
    }

    /// Figures of all matching calls.
    pub(super) fn total(&self) -> Result<Row> {
        let slice = Slice::matching(self.range);
        let tally = self.snapshot.tallies(slice, By::All)?.into_iter().next();
        let success = first_call(&self.snapshot.first_calls(slice, By::All)?, self.reading());
        let figures = figures(tally.as_ref(), success, self.price());
        Ok(Row { tally: tally.unwrap_or_default(), figures })
    }

    /// Figures of matching calls by key, in no order.
    pub(super) fn rows(&self, by: By) -> Result<Vec<Row>> {
        let slice = Slice::matching(self.range);
        let tallies = self.snapshot.tallies(slice, by)?;
        let successes = self.first_calls(by, Key::clone)?;
        let rows = tallies.into_iter().map(|tally| {
            let success = successes.get(&tally.key).copied().unwrap_or_default();
            let figures = figures(Some(&tally), success, self.price());
            Row { tally, figures }
        });
        Ok(rows.collect())
    }

    /// First-call figures of matching calls by a part of the key.
    pub(super) fn first_calls<K: std::hash::Hash + Eq>(
        &self,
        by: By,
        part: impl Fn(&Key) -> K,
    ) -> Result<HashMap<K, FirstCall>> {
        let rows: Vec<FirstCallTally> = self.snapshot.first_calls(Slice::matching(self.range), by)?;
        Ok(first_calls_by(&rows, self.reading(), part))
    }
}

/// Most calls first, then by key.
pub(super) fn most_calls_first(rows: &mut [Row]) {
    rows.sort_by(|a, b| b.figures.calls.cmp(&a.figures.calls).then_with(|| a.tally.key.cmp(&b.tally.key)));
}
