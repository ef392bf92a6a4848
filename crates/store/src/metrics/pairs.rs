//! Which tool follows which.

use super::snapshot::{PairCount, Snapshot};
use super::types::{Pair, PairReport, Scope};
use super::{MetricsError, ratio};

/// Pairs that are listed.
const MOST: u32 = 1_000;

pub(super) fn pairs(snapshot: &dyn Snapshot, scope: &Scope) -> Result<PairReport, MetricsError> {
    // One more than is shown tells whether there are more.
    let mut pairs: Vec<Pair> = snapshot.pairs(scope.range, MOST + 1)?.into_iter().map(pair).collect();
    let truncated = pairs.len() > MOST as usize;
    pairs.truncate(MOST as usize);
    Ok(PairReport { range: scope.range, settled_as_of_ms: scope.settled_as_of_ms(), pairs, truncated })
}

/// A count with its share.
pub(super) fn pair(count: PairCount) -> Pair {
    Pair {
        share: ratio(count.count, count.from_calls),
        from: count.from,
        to: count.to,
        count: count.count,
        from_calls: count.from_calls,
    }
}
