//! Percentiles by nearest rank and the histogram.

use mcpulse_store::metrics::types::Latency;

/// The smallest value that at least `percent` of the values do not exceed.
pub fn nearest_rank(values: &[u32], percent: usize) -> Option<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (percent * sorted.len()).div_ceil(100);
    rank.checked_sub(1).map(|at| sorted[at])
}

/// All four percentiles.
pub fn latency(values: &[u32]) -> Latency {
    Latency {
        p50_ms: nearest_rank(values, 50),
        p90_ms: nearest_rank(values, 90),
        p95_ms: nearest_rank(values, 95),
        p99_ms: nearest_rank(values, 99),
    }
}
