//! Percentiles by nearest rank and the histogram.

use mcpulse_store::metrics::types::{HistogramBin, Latency};

use crate::definitions::Definitions;
use crate::rates::count;

/// Lower edges of the histogram's bins, milliseconds.
const EDGES: [u32; 17] =
    [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000];

/// The smallest value that at least `percent` of the values do not exceed.
pub fn nearest_rank(values: &[u32], percent: usize, definitions: &Definitions) -> Option<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = if definitions.ranks_rounded_down {
        (percent * sorted.len() / 100).max(1).min(sorted.len())
    } else {
        (percent * sorted.len()).div_ceil(100)
    };
    rank.checked_sub(1).map(|at| sorted[at])
}

/// All four percentiles.
pub fn latency(values: &[u32], definitions: &Definitions) -> Latency {
    let rank = |percent| nearest_rank(values, percent, definitions);
    Latency { p50_ms: rank(50), p90_ms: rank(90), p95_ms: rank(95), p99_ms: rank(99) }
}

/// How many values fall in each bin.
pub fn histogram(values: &[u32]) -> Vec<HistogramBin> {
    EDGES
        .iter()
        .enumerate()
        .map(|(at, &from_ms)| {
            let to_ms = EDGES.get(at + 1).copied();
            let inside = |value: u32| from_ms <= value && to_ms.is_none_or(|to_ms| value < to_ms);
            HistogramBin { from_ms, to_ms, calls: count(values.iter().filter(|&&value| inside(value))) }
        })
        .collect()
}
