//! Ranges and points against a calendar read moment by moment.

use jiff::civil::{Date, Weekday, date};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};
use mcpulse_store::metrics::range::{Granularity, days};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use crate::questions::ZONES;
use crate::suite::rng;

/// Days on or around which some zone does something odd.
const DAYS: &[Date] = &[
    date(2011, 12, 27),
    date(2011, 12, 29),
    date(2025, 10, 20),
    date(2025, 10, 26),
    date(2025, 11, 2),
    date(2026, 2, 27),
    date(2026, 3, 8),
    date(2026, 3, 29),
    date(2026, 12, 30),
];

fn local(at_ms: i64, tz: &TimeZone) -> ZonedDateTime {
    Timestamp::from_millisecond(at_ms).unwrap().to_zoned_datetime(tz.clone())
}

/// What moments of one point have in common, and others do not.
fn label(at_ms: i64, tz: &TimeZone, granularity: Granularity) -> (Date, i64) {
    let at = local(at_ms, tz);
    match granularity {
        Granularity::Day => (at.date(), 0),
        Granularity::Week => {
            let mut monday = at.date();
            while monday.weekday() != Weekday::Monday {
                monday = monday.yesterday().unwrap();
            }
            (monday, 0)
        }
        Granularity::Hour => {
            let midnight = at.start_of_day().unwrap().timestamp().as_millisecond();
            (at.date(), (at_ms - midnight) / 3_600_000)
        }
    }
}

#[test]
fn points_hold_exactly_the_moments_of_their_hour_day_or_week() {
    let ranges = (
        select(ZONES),
        select(DAYS),
        -1..3_i64,
        1..20_i64,
        select(&[Granularity::Hour, Granularity::Day, Granularity::Week][..]),
    );
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 400, failure_persistence: None, ..Config::default() },
        rng(7, 0),
    );
    runner
        .run(&ranges, |(zone, day, skip, count, granularity)| {
            let tz = TimeZone::get(zone).unwrap();
            let from = day.checked_add(Span::new().days(skip)).unwrap();
            let to = from.checked_add(Span::new().days(count - 1)).unwrap();
            let Ok(found) = days(from, to, &tz, Some(granularity)) else {
                // Only the day that Apia skipped has no moments.
                prop_assert_eq!((zone, from, to), ("Pacific/Apia", date(2011, 12, 30), date(2011, 12, 30)));
                return Ok(());
            };
            prop_assert_eq!(Some(&found.range.from_ms), found.edges.first());
            prop_assert_eq!(Some(&found.range.to_ms), found.edges.last());
            // Every quarter of an hour, and a millisecond to each side, from before the range to after it.
            let around = (found.range.from_ms - 100_000_000)..(found.range.to_ms + 100_000_000);
            let moments = around.step_by(900_000).flat_map(|at_ms| [at_ms - 1, at_ms, at_ms + 1]);
            let mut before: Option<(usize, (Date, i64))> = None;
            for at_ms in moments {
                let today = local(at_ms, &tz).date();
                let point = found.edges.windows(2).position(|edges| edges[0] <= at_ms && at_ms < edges[1]);
                prop_assert_eq!(point.is_some(), from <= today && today <= to, "{}", at_ms);
                if let Some(point) = point {
                    let label = label(at_ms, &tz, granularity);
                    if let Some((point_before, label_before)) = before {
                        prop_assert_eq!(point == point_before, label == label_before, "{}", at_ms);
                    }
                    before = Some((point, label));
                }
            }
            Ok(())
        })
        .unwrap();
}
