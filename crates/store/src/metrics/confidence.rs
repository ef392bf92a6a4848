//! How far the data behind a headline can be trusted (`docs/metrics.md`, 7).

use super::context::Row;
use super::snapshot::{Slice, Snapshot};
use super::types::{Confidence, Scope};
use super::{MetricsError, ratio};

/// The confidence in the matching calls of a scope, whose counts are `total`.
pub(super) fn confidence(
    snapshot: &dyn Snapshot,
    scope: &Scope,
    total: &Row,
) -> Result<Confidence, MetricsError> {
    let arrivals = snapshot.arrivals(scope.range)?;
    let calls = total.figures.calls;
    Ok(Confidence {
        calls,
        known_client_calls: total.tally.known_client,
        known_client_share: ratio(total.tally.known_client, calls),
        crowded_calls: total.tally.crowded,
        crowded_share: ratio(total.tally.crowded, calls),
        rejected_payloads: arrivals.rejected,
        accepted_payloads: arrivals.accepted,
        rejected_share: ratio(arrivals.rejected, arrivals.rejected + arrivals.accepted),
        sessions: total.figures.sessions,
        sessions_without_startup: snapshot.sessions_without_startup(Slice::matching(scope.range))?,
        newest_payload_ms: arrivals.newest_ms,
        newest_payload_age_ms: arrivals.newest_ms.map(|newest| scope.now_ms - newest),
    })
}
