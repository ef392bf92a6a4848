//! What arrived and what was rejected.

use jiff::civil::Date;
use jiff::{Span, Timestamp};

use super::snapshot::Snapshot;
use super::types::{AcceptedDay, IngestHealth, RejectedRow, Scope};
use super::{MetricsError, ratio};

pub(super) fn ingest_health(snapshot: &dyn Snapshot, scope: &Scope) -> Result<IngestHealth, MetricsError> {
    let arrivals = snapshot.arrivals(scope.range)?;
    let mut accepted = snapshot.accepted_days(scope.range)?;
    accepted.sort_by(|a, b| b.day.cmp(&a.day).then_with(|| a.key_id.cmp(&b.key_id)));
    let mut rejected = snapshot.rejected_days(scope.range)?;
    rejected.sort_by(|a, b| {
        let names = |row: &'_ super::snapshot::RejectedCount| {
            (row.key_id.clone(), row.producer.clone(), row.rule.clone())
        };
        b.day.cmp(&a.day).then(b.count.cmp(&a.count)).then_with(|| names(a).cmp(&names(b)))
    });
    Ok(IngestHealth {
        range: scope.range,
        accepted: arrivals.accepted,
        rejected: arrivals.rejected,
        rejected_share: ratio(arrivals.rejected, arrivals.accepted + arrivals.rejected),
        newest_payload_ms: arrivals.newest_ms,
        accepted_days: accepted
            .into_iter()
            .map(|row| AcceptedDay {
                day: day_text(row.day),
                key_id: row.key_id,
                calls: row.calls,
                startups: row.startups,
                agreements: row.agreements,
                last_ms: row.last_ms,
            })
            .collect(),
        rejections: rejected
            .into_iter()
            .map(|row| RejectedRow {
                day: day_text(row.day),
                key_id: row.key_id,
                producer: row.producer,
                rule: row.rule,
                count: row.count,
                last_ms: row.last_ms,
            })
            .collect(),
    })
}

/// `2026-07-28` for days since 1970; days far beyond the calendar end with it.
fn day_text(day: i64) -> String {
    let epoch = Timestamp::UNIX_EPOCH.to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
    let date = Span::new().try_days(day).and_then(|span| epoch.checked_add(span));
    date.unwrap_or(if day < 0 { Date::MIN } else { Date::MAX }).to_string()
}

#[cfg(test)]
mod tests {
    use super::day_text;

    #[test]
    fn days_since_1970_are_dates() {
        assert_eq!(day_text(0), "1970-01-01");
        assert_eq!(day_text(-1), "1969-12-31");
        assert_eq!(day_text(20_662), "2026-07-28");
    }
}
