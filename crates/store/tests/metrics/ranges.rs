//! From dates to milliseconds: one day, 400 days, reversed, across the date line and daylight saving.

use mcpulse_store::metrics::range::{Days, Granularity, RangeInput};
use mcpulse_store::metrics::{Metrics, MetricsError};
use mcpulse_store::testing::call;

use crate::help::{DAY, HOUR, NOON, calls, store_of, zoned};

fn resolve(from: &str, to: &str, tz: &str, granularity: Option<Granularity>) -> Result<Days, MetricsError> {
    let input =
        RangeInput { from: Some(from), to: Some(to), tz: Some(tz), granularity, ..RangeInput::default() };
    input.resolve(NOON)
}

fn rule(result: Result<Days, MetricsError>) -> (&'static str, &'static str) {
    match result {
        Err(MetricsError::Invalid { field, rule }) => (field, rule),
        other => panic!("not a broken rule: {other:?}"),
    }
}

/// 2026-03-01T00:00:00Z.
const MIDNIGHT: i64 = 1_772_323_200_000;

#[test]
fn one_day_is_24_hours_by_the_hour() {
    let day = resolve("2026-03-01", "2026-03-01", "UTC", None).unwrap();
    assert_eq!((day.range.from_ms, day.range.to_ms), (MIDNIGHT, MIDNIGHT + DAY));
    assert_eq!(day.granularity, Granularity::Hour);
    assert_eq!(day.edges, (0..=24).map(|hour| MIDNIGHT + hour * HOUR).collect::<Vec<_>>());
    assert_eq!(day.range.before().from_ms, MIDNIGHT - DAY);
    assert_eq!(day.range.before().to_ms, MIDNIGHT);
}

#[test]
fn four_hundred_days_by_day_by_hour_and_by_week() {
    // 2026-03-01 is the 400th day from 2025-01-26, a Sunday.
    let by = |granularity| resolve("2025-01-26", "2026-03-01", "UTC", granularity).unwrap();
    let days = by(None);
    assert_eq!(days.granularity, Granularity::Day);
    assert_eq!(days.edges.len(), 401);
    assert_eq!((days.range.from_ms, days.range.to_ms), (MIDNIGHT - 399 * DAY, MIDNIGHT + DAY));
    assert_eq!(by(Some(Granularity::Hour)).edges.len(), 9_601);
    // One Sunday alone, 56 whole weeks, and the 7 days from Monday 2026-02-23 to Sunday 2026-03-01 make 1 + 57.
    let weeks = by(Some(Granularity::Week)).edges;
    assert_eq!(weeks.len(), 59);
    assert_eq!(weeks[1] - weeks[0], DAY);
    assert!(weeks[1..].windows(2).all(|week| week[1] - week[0] == 7 * DAY));
}

#[test]
fn a_reversed_range_says_which_date_is_wrong() {
    assert_eq!(rule(resolve("2026-03-02", "2026-03-01", "UTC", None)), ("to", "must not be before from"));
}

#[test]
fn samoa_never_had_its_30th_of_december_2011() {
    // Until the 29th Samoa was at −10:00, since the 31st it is at +14:00.
    let year_end = resolve("2011-12-29", "2011-12-31", "Pacific/Apia", Some(Granularity::Day)).unwrap();
    let start = 1_325_152_800_000; // 2011-12-29T10:00:00Z
    assert_eq!(year_end.edges, [start, start + DAY, start + 2 * DAY]);
    let hours = resolve("2011-12-29", "2011-12-31", "Pacific/Apia", Some(Granularity::Hour)).unwrap();
    assert_eq!(hours.edges.len(), 49);
    // A range may begin or end with the skipped day, but not be nothing else.
    let first = resolve("2011-12-30", "2011-12-31", "Pacific/Apia", Some(Granularity::Day)).unwrap();
    assert_eq!(first.edges, [start + DAY, start + 2 * DAY]);
    let last = resolve("2011-12-29", "2011-12-30", "Pacific/Apia", Some(Granularity::Day)).unwrap();
    assert_eq!(last.edges, [start, start + DAY]);
    assert_eq!(
        rule(resolve("2011-12-30", "2011-12-30", "Pacific/Apia", None)),
        ("from", "must name a day that exists in the time zone")
    );
}

#[test]
fn days_with_a_clock_change_are_shorter_or_longer() {
    // New York: 2026-03-08 has 23 hours, 2026-11-01 has 25.
    let spring = resolve("2026-03-08", "2026-03-08", "America/New_York", None).unwrap();
    assert_eq!((spring.edges.len(), spring.range.to_ms - spring.range.from_ms), (24, 23 * HOUR));
    assert_eq!(spring.range.from_ms, 1_772_946_000_000); // 05:00 UTC
    // The window before is as long, so it begins at one o'clock of the day before.
    assert_eq!(spring.range.before().from_ms, spring.range.from_ms - 23 * HOUR);
    let autumn = resolve("2026-11-01", "2026-11-01", "America/New_York", None).unwrap();
    assert_eq!((autumn.edges.len(), autumn.range.to_ms - autumn.range.from_ms), (26, 25 * HOUR));
    // Lord Howe changes by half an hour: the last hour of 2026-04-05 is cut, the next day starts anew.
    let half = resolve("2026-04-05", "2026-04-06", "Australia/Lord_Howe", None).unwrap();
    assert_eq!(half.edges.len(), 25 + 24 + 1);
    assert_eq!(half.edges[25] - half.edges[24], HOUR / 2);
    // São Paulo went to summer time at midnight: 2018-11-04 began at one o'clock.
    let late = resolve("2018-11-04", "2018-11-04", "America/Sao_Paulo", None).unwrap();
    assert_eq!(late.edges.len(), 24);
}

#[test]
fn last_days_end_today_where_the_user_is() {
    // 2026-03-01T12:00Z is the 2nd in Auckland already.
    let input = RangeInput { last_days: Some(2), tz: Some("Pacific/Auckland"), ..RangeInput::default() };
    let days = input.resolve(NOON).unwrap();
    assert_eq!(days.range.from_ms, 1_772_276_400_000); // 2026-03-01T00:00+13:00
    assert_eq!(days.range.to_ms, 1_772_276_400_000 + 2 * DAY);
    let whole = RangeInput::default().resolve(NOON).unwrap();
    assert_eq!((whole.range.from_ms, whole.range.to_ms), (MIDNIGHT - 29 * DAY, MIDNIGHT + DAY));
    let from_to = RangeInput { to: Some("2026-02-28"), ..RangeInput::default() }.resolve(NOON).unwrap();
    assert_eq!((from_to.range.from_ms, from_to.range.to_ms), (MIDNIGHT - 30 * DAY, MIDNIGHT));
}

#[test]
fn what_is_no_range_says_which_rule_it_breaks() {
    let broken = |input: RangeInput<'_>| rule(input.resolve(NOON)).0;
    assert_eq!(broken(RangeInput { tz: Some("Mars/Olympus"), ..RangeInput::default() }), "tz");
    assert_eq!(broken(RangeInput { from: Some("2026-02-30"), ..RangeInput::default() }), "from");
    assert_eq!(broken(RangeInput { from: Some("2026-03-01T00:00"), ..RangeInput::default() }), "from");
    assert_eq!(broken(RangeInput { last_days: Some(0), ..RangeInput::default() }), "last_days");
    assert_eq!(broken(RangeInput { last_days: Some(3_661), ..RangeInput::default() }), "last_days");
    let both = RangeInput { last_days: Some(1), to: Some("2026-03-01"), ..RangeInput::default() };
    assert_eq!(broken(both), "last_days");
    assert_eq!(rule(resolve("2010-01-01", "2026-03-01", "UTC", None)).0, "from");
    assert_eq!(rule(resolve("2024-01-01", "2026-03-01", "UTC", Some(Granularity::Hour))).0, "granularity");
    for (from, to) in
        [("0001-01-01", "0001-01-02"), ("9999-12-31", "9999-12-31"), ("-009999-01-01", "2026-03-01")]
    {
        // Odd but possible dates answer or say why not; they never panic.
        let _ = resolve(from, to, "Pacific/Kiritimati", None);
    }
}

#[tokio::test]
async fn calls_are_counted_on_the_day_they_have_there() {
    // 2011-12-30T09:59:59.999Z is still the 29th in Samoa, the next millisecond is the 31st.
    let edge = 1_325_152_800_000 + DAY;
    let events = store_of(
        edge,
        calls(vec![
            call("s", "a", edge - 1),
            call("s", "a", edge),
            call("s", "a", edge + DAY - 1),
            call("s", "a", edge + DAY),
        ]),
    )
    .await;
    let overview = events
        .store
        .overview(events.server, &zoned("2011-12-29", "2011-12-31", "Pacific/Apia"))
        .await
        .unwrap();
    assert_eq!(overview.series.iter().map(|point| point.calls).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(overview.figures.calls, 3);
    let day = events
        .store
        .overview(events.server, &zoned("2011-12-31", "2011-12-31", "Pacific/Apia"))
        .await
        .unwrap();
    assert_eq!((day.figures.calls, day.before.calls), (2, 1));
    assert_eq!(day.series.len(), 24);
    assert_eq!(day.series[0].calls + day.series[23].calls, 2);
}

#[tokio::test]
async fn a_clock_change_moves_no_call_to_another_day() {
    // 2026-03-08 in New York: from 05:00Z to 04:00Z of the next day.
    let start = 1_772_946_000_000;
    let at = [start - 1, start, start + 2 * HOUR, start + 23 * HOUR - 1, start + 23 * HOUR];
    let events = store_of(start, calls(at.iter().map(|&at| call("s", "a", at)).collect())).await;
    let scope = zoned("2026-03-07", "2026-03-09", "America/New_York");
    let overview = events.store.overview(events.server, &scope).await.unwrap();
    assert_eq!(overview.series.iter().map(|point| point.calls).collect::<Vec<_>>(), [1, 3, 1]);
    let hours = zoned("2026-03-08", "2026-03-08", "America/New_York");
    let overview = events.store.overview(events.server, &hours).await.unwrap();
    let counts: Vec<u64> = overview.series.iter().map(|point| point.calls).collect();
    assert_eq!((counts.len(), counts[0], counts[2], counts[22]), (23, 1, 1, 1));
}
