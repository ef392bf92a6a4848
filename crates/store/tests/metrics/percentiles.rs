//! Nearest rank, exactly, for every number of calls.

use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::ToolDetail;
use mcpulse_store::testing::call;

use crate::help::{NOON, Tweak, calls, piece, store_of};

/// The value of rank ⌈q·n⌉ of 10, 20, …, 10 n.
fn nearest_rank(percent: u32, n: u32) -> Option<u32> {
    Some((percent * n).div_ceil(100).max(1) * 10)
}

#[tokio::test]
async fn percentiles_are_values_of_the_nearest_rank() {
    // One tool for each number of calls: tool n has n calls of 10, 20, …, 10 n ms.
    let mut all = Vec::new();
    for n in 1..=101_u32 {
        for rank in 1..=n {
            all.push(
                call(&format!("s{n}"), &format!("tool {n}"), NOON + i64::from(rank) * 40_000)
                    .lasting(rank * 10),
            );
        }
    }
    let events = store_of(NOON, calls(all)).await;
    let report = events.store.tools(events.server, &piece(NOON, NOON + 102 * 40_000)).await.unwrap();
    assert_eq!(report.tools.len(), 101);
    for row in report.tools {
        let n: u32 = row.tool.trim_start_matches("tool ").parse().unwrap();
        let latency = row.figures.latency;
        assert_eq!(latency.p50_ms, nearest_rank(50, n), "p50 of {n}");
        assert_eq!(latency.p90_ms, nearest_rank(90, n), "p90 of {n}");
        assert_eq!(latency.p95_ms, nearest_rank(95, n), "p95 of {n}");
        assert_eq!(latency.p99_ms, nearest_rank(99, n), "p99 of {n}");
    }
}

#[tokio::test]
async fn a_bin_holds_its_lower_edge() {
    let durations = [0, 1, 4, 5, 99, 100, 499, 500, 1_999, 2_000, 299_999, 300_000, 86_400_000];
    let made = (0..).zip(durations).map(|(at, ms)| call(&format!("s{at}"), "a", NOON).lasting(ms)).collect();
    let events = store_of(NOON, calls(made)).await;
    let ToolDetail { latency_histogram, .. } =
        events.store.tool(events.server, "a", &piece(NOON, NOON + 1)).await.unwrap();
    let bins: Vec<_> = latency_histogram
        .iter()
        .filter(|bin| bin.calls > 0)
        .map(|bin| (bin.from_ms, bin.to_ms, bin.calls))
        .collect();
    assert_eq!(
        bins,
        [
            (0, Some(1), 1),
            (1, Some(2), 1),
            (2, Some(5), 1),
            (5, Some(10), 1),
            (50, Some(100), 1),
            (100, Some(200), 1),
            (200, Some(500), 1),
            (500, Some(1_000), 1),
            (1_000, Some(2_000), 1),
            (2_000, Some(5_000), 1),
            (60_000, Some(300_000), 1),
            (300_000, None, 2),
        ]
    );
    for edge in [100, 500, 2_000] {
        assert!(latency_histogram.iter().any(|bin| bin.from_ms == edge));
    }
}
