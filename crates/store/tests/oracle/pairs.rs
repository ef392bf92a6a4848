//! Which tool follows which.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpulse_store::metrics::types::{Pair, PairReport};

use crate::rates::{count, share};
use crate::view::{View, within};

/// Pairs listed at most.
const MOST: usize = 1_000;

impl View<'_> {
    /// All pairs in which a tool asked for takes part.
    pub fn pairs(&self) -> PairReport {
        let mut pairs = self.all_pairs();
        pairs.retain(|pair| self.passes_tool(&pair.from) || self.passes_tool(&pair.to));
        let truncated = pairs.len() > MOST;
        pairs.truncate(MOST);
        PairReport { range: self.scope.range, settled_as_of_ms: self.settled_as_of_ms(), pairs, truncated }
    }

    /// Pairs that begin with a call of the range by a client asked for, most first, then by names.
    pub fn all_pairs(&self) -> Vec<Pair> {
        let mut usable =
            self.select(|call| within(self.scope.range, call.started_ms) && self.passes_client(&call.client));
        usable.retain(|&at| self.is_sequence_call(at));
        let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for &at in &usable {
            if let Some(next) = self.fact(at).next
                && self.call(next).tool != self.call(at).tool
            {
                *counts.entry((&self.call(at).tool, &self.call(next).tool)).or_default() += 1;
            }
        }
        let mut pairs: Vec<Pair> = counts
            .into_iter()
            .map(|((from, to), times)| {
                let from_calls = count(usable.iter().filter(|&&at| self.call(at).tool == from));
                Pair {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    count: times,
                    from_calls,
                    share: share(times, from_calls),
                }
            })
            .collect();
        pairs.sort_by_key(|pair| Reverse(pair.count));
        pairs
    }
}
