//! What arrived and what was rejected, day by day.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpulse_store::metrics::types::{AcceptedDay, IngestHealth, RejectedRow};

use crate::confidence::day_of;
use crate::rates::{count, share};
use crate::view::{View, within};

/// A day as it is written.
fn date(day: i64) -> String {
    jiff::Timestamp::from_second(day * 86_400)
        .unwrap()
        .to_zoned_datetime(jiff::tz::TimeZone::UTC)
        .date()
        .to_string()
}

impl View<'_> {
    /// Accepted and rejected payloads on the days that the range touches.
    pub fn ingest_health(&self) -> IngestHealth {
        let days = Self::whole_days(self.scope.range);
        let mut accepted: BTreeMap<(Reverse<i64>, String), AcceptedDay> = BTreeMap::new();
        let mut arrived = |key: &str, at_ms: i64, one: fn(&mut AcceptedDay) -> &mut u64| {
            if within(days, at_ms) {
                let day = day_of(at_ms);
                let row = accepted.entry((Reverse(day), key.to_owned())).or_insert_with(|| AcceptedDay {
                    day: date(day),
                    key_id: key.to_owned(),
                    calls: 0,
                    startups: 0,
                    agreements: 0,
                    last_ms: at_ms,
                });
                *one(row) += 1;
                row.last_ms = row.last_ms.max(at_ms);
            }
        };
        for call in &self.history.calls {
            arrived(&call.key, call.received_ms, |row| &mut row.calls);
        }
        for startup in &self.history.startups {
            arrived(&startup.key, startup.received_ms, |row| &mut row.startups);
        }
        for agreement in &self.history.agreements {
            arrived(&agreement.key, agreement.received_ms, |row| &mut row.agreements);
        }

        let mut groups: BTreeMap<(i64, &str, &str, &str), Vec<i64>> = BTreeMap::new();
        for rejection in self.rejections() {
            let group =
                (day_of(rejection.received_ms), &*rejection.key, &*rejection.producer, &*rejection.rule);
            groups.entry(group).or_default().push(rejection.received_ms);
        }
        let mut rejections: Vec<(i64, RejectedRow)> = groups
            .into_iter()
            .map(|((day, key, producer, rule), times)| {
                let row = RejectedRow {
                    day: date(day),
                    key_id: key.to_owned(),
                    producer: producer.to_owned(),
                    rule: rule.to_owned(),
                    count: times.len() as u64,
                    last_ms: times.into_iter().max().unwrap(),
                };
                (day, row)
            })
            .collect();
        rejections.sort_by_key(|(day, row)| (Reverse(*day), Reverse(row.count)));

        let total = self.accepted();
        let rejected = count(self.rejections());
        IngestHealth {
            range: self.scope.range,
            accepted: total,
            rejected,
            rejected_share: share(rejected, total + rejected),
            newest_payload_ms: self.arrivals().max(),
            accepted_days: accepted.into_values().collect(),
            rejections: rejections.into_iter().map(|(_, row)| row).collect(),
        }
    }
}
