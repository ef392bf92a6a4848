//! How far the data can be trusted, and what arrived at the door.

use std::collections::BTreeSet;

use mcpulse_store::metrics::types::{Confidence, Range};

use crate::model::Rejection;
use crate::rates::{count, share};
use crate::view::{View, within};

/// Milliseconds in a day.
const DAY_MS: i64 = 86_400_000;

/// The UTC day of a moment, as days since 1970.
pub fn day_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}

impl View<'_> {
    /// The UTC days that a range touches, as one range of time.
    pub fn whole_days(range: Range) -> Range {
        Range { from_ms: day_of(range.from_ms) * DAY_MS, to_ms: (day_of(range.to_ms - 1) + 1) * DAY_MS }
    }

    /// When each accepted payload arrived.
    pub fn arrivals(&self) -> impl Iterator<Item = i64> {
        let calls = self.history.calls.iter().map(|call| call.received_ms);
        let startups = self.history.startups.iter().map(|startup| startup.received_ms);
        let agreements = self.history.agreements.iter().map(|agreement| agreement.received_ms);
        calls.chain(startups).chain(agreements)
    }

    /// Accepted payloads on the days that the range touches.
    pub fn accepted(&self) -> u64 {
        let days = Self::whole_days(self.scope.range);
        count(self.arrivals().filter(|&at_ms| within(days, at_ms)))
    }

    /// Rejections on the days that the range touches.
    pub fn rejections(&self) -> impl Iterator<Item = &Rejection> {
        let days = Self::whole_days(self.scope.range);
        self.history.rejections.iter().filter(move |rejection| within(days, rejection.received_ms))
    }

    /// Beside every headline.
    pub fn confidence(&self, calls: &[usize]) -> Confidence {
        let all = calls.len() as u64;
        let known = count(calls.iter().filter(|&&at| self.call(at).client != "unknown"));
        let crowded = count(calls.iter().filter(|&&at| self.fact(at).crowded));
        let rejected = count(self.rejections());
        let accepted = self.accepted();
        let sessions: BTreeSet<&String> = calls.iter().map(|&at| &self.call(at).session).collect();
        let silent = sessions
            .iter()
            .filter(|session| self.history.startups.iter().all(|startup| startup.session != ***session));
        let newest = self.arrivals().max();
        Confidence {
            calls: all,
            known_client_calls: known,
            known_client_share: share(known, all),
            crowded_calls: crowded,
            crowded_share: share(crowded, all),
            rejected_payloads: rejected,
            accepted_payloads: accepted,
            rejected_share: share(rejected, rejected + accepted),
            sessions: sessions.len() as u64,
            sessions_without_startup: count(silent),
            newest_payload_ms: newest,
            newest_payload_age_ms: newest.map(|newest| self.scope.now_ms - newest),
        }
    }
}
