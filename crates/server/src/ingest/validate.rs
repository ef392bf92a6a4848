//! Step 4: what only the server can judge, because it knows the time: nothing from the future, and nothing that
//! the retention would delete at once.

use mcpulse_store::events::{NewAgreement, NewCall, NewPayload, Rejected};
use mcpulse_wire::validate::{Checked, Violation};

use super::decode::Wire;

/// How far a producer's clock may be ahead of ours.
const MAX_AHEAD_MS: i64 = 10 * 60 * 1000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The rule that a time too far ahead breaks.
const FUTURE: &str = "future";
/// The rule that a time older than the server's retention breaks.
const RETENTION: &str = "retention";

/// A batch, sorted into what is stored and what is not, in order of the batch.
pub(super) struct Sorted {
    pub(super) payloads: Vec<NewPayload>,
    pub(super) rejected: Vec<Rejected>,
}

/// Judges the times of the payloads that keep the rules of the wire.
pub(super) fn sort(payloads: Wire, now_ms: i64, retention_days: Option<u32>) -> Sorted {
    let latest = now_ms + MAX_AHEAD_MS;
    let earliest = retention_days.map_or(i64::MIN, |days| now_ms - i64::from(days) * DAY_MS);
    let mut sorted = Sorted { payloads: Vec::with_capacity(payloads.len()), rejected: Vec::new() };
    for (index, payload) in (0..).zip(payloads) {
        match payload.and_then(|payload| timely(payload, earliest, latest)) {
            Ok(payload) => sorted.payloads.push(payload),
            Err(Violation { path, rule }) => {
                sorted.rejected.push(Rejected { index, path, rule: rule.to_owned() });
            }
        }
    }
    sorted
}

fn timely(payload: Checked, earliest: i64, latest: i64) -> Result<NewPayload, Violation> {
    let check = |path: &str, at: i64| {
        let rule = match at {
            at if at > latest => FUTURE,
            at if at < earliest => RETENTION,
            _ => return Ok(()),
        };
        Err(Violation { path: path.to_owned(), rule })
    };
    Ok(match payload {
        Checked::Call { call, started_ms } => {
            check("/started_at", started_ms)?;
            NewPayload::Call(NewCall { call, started_ms })
        }
        Checked::Startup(startup) => NewPayload::Startup(startup),
        Checked::Agreement { agreement, checked_ms } => {
            check("/checked_at", checked_ms)?;
            NewPayload::Agreement(NewAgreement { agreement, checked_ms })
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use mcpulse_wire::validate::validate;

    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn at(ms: i64) -> Result<Checked, Violation> {
        validate(&serde_json::json!({
            "v": 1, "type": "call", "session_id": "s_0123456789ab", "client_name": "cursor", "tool_name": "search",
            "started_at": mcpulse_wire::time::format_ms(ms), "duration_ms": 1, "outcome": "ok",
            "response_bytes": 1, "is_empty": false, "args_hash": "0123456789ab",
        }))
    }

    fn rule(payload: Result<Checked, Violation>, retention_days: Option<u32>) -> Option<(String, String)> {
        sort(vec![payload], NOW, retention_days).rejected.pop().map(|one| (one.path, one.rule))
    }

    #[test]
    fn ten_minutes_ahead_is_a_clock_and_more_is_a_mistake() {
        assert_eq!(rule(at(NOW + MAX_AHEAD_MS), None), None);
        let refused = Some(("/started_at".to_owned(), "future".to_owned()));
        assert_eq!(rule(at(NOW + MAX_AHEAD_MS + 1), None), refused);
    }

    #[test]
    fn the_past_is_taken_up_to_the_retention() {
        assert_eq!(rule(at(0), None), None);
        assert_eq!(rule(at(NOW - 30 * DAY_MS), Some(30)), None);
        let refused = Some(("/started_at".to_owned(), "retention".to_owned()));
        assert_eq!(rule(at(NOW - 30 * DAY_MS - 1), Some(30)), refused);
    }

    #[test]
    fn a_bad_payload_never_costs_its_neighbours() {
        let bad = || Err(Violation { path: "/args_hash".to_owned(), rule: "pattern" });
        let sorted = sort(vec![at(NOW), bad(), at(NOW * 2), at(NOW)], NOW, None);
        assert_eq!(sorted.payloads.len(), 2);
        let rejected: Vec<_> = sorted.rejected.iter().map(|one| (one.index, one.rule.as_str())).collect();
        assert_eq!(rejected, [(1, "pattern"), (2, "future")]);
    }
}
