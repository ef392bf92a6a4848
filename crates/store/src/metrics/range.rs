//! From dates and a time zone to milliseconds: the only place that knows about calendars.
//!
//! Engines get edges and never look at a time zone.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ZonedDateTime};

use super::types::Range;
use super::{MetricsError, invalid};

/// Points a series may have at most: a year by the hour is 8 784.
pub const MAX_POINTS: usize = 10_000;
/// Days a range may have at most.
pub const MAX_DAYS: i32 = 3_660;
/// A UTC day.
const DAY_MS: i64 = 86_400_000;
/// Days shown when nothing is asked for.
pub const DEFAULT_DAYS: u32 = 30;

/// How long the points of a series are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Hours counted from each midnight of the time zone; the last one of a day ends with the day.
    Hour,
    /// Days of the time zone, midnight to midnight.
    Day,
    /// Weeks from Monday; the first and the last are cut to the range.
    Week,
}

/// What the query string says about time, as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeInput<'a> {
    /// First day, `2026-07-01`.
    pub from: Option<&'a str>,
    /// Last day, inclusive.
    pub to: Option<&'a str>,
    /// The last so many days, today included; instead of `from` and `to`.
    pub last_days: Option<u32>,
    /// IANA name; UTC if left out.
    pub tz: Option<&'a str>,
    /// By day if left out; by the hour when the range is at most two days.
    pub granularity: Option<Granularity>,
}

/// A range of days in a time zone, with the edges of its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Days {
    /// The whole days as half-open milliseconds.
    pub range: Range,
    /// As in [`super::types::Scope`]: from the first to the last millisecond of the range, strictly increasing.
    pub edges: Vec<i64>,
    /// How long the points are.
    pub granularity: Granularity,
}

impl Range {
    /// The equally long range that ends where this one begins.
    #[must_use]
    pub fn before(self) -> Self {
        Self { from_ms: self.from_ms - (self.to_ms - self.from_ms), to_ms: self.from_ms }
    }

    /// First and last UTC day that it touches, in days since 1970.
    #[must_use]
    pub fn utc_days(self) -> [i64; 2] {
        [self.from_ms.div_euclid(DAY_MS), (self.to_ms - 1).div_euclid(DAY_MS)]
    }

    /// Whether a moment is in it.
    #[must_use]
    pub fn contains(self, at_ms: i64) -> bool {
        self.from_ms <= at_ms && at_ms < self.to_ms
    }
}

impl RangeInput<'_> {
    /// Works out the range as of `now_ms`.
    ///
    /// # Errors
    /// [`MetricsError::Invalid`] names the input and the rule it breaks: a date that is none, a time zone that is
    /// none, `to` before `from`, both `last_days` and dates, a range or series too long.
    pub fn resolve(&self, now_ms: i64) -> Result<Days, MetricsError> {
        let tz = match self.tz {
            None => TimeZone::UTC,
            Some(name) => TimeZone::get(name).map_err(|_| invalid("tz", "must be an IANA time zone name"))?,
        };
        let today = instant(now_ms)?.to_zoned_datetime(tz.clone()).date();
        let (from, to) = self.dates(today)?;
        days(from, to, &tz, self.granularity)
    }

    fn dates(&self, today: Date) -> Result<(Date, Date), MetricsError> {
        if let Some(count) = self.last_days {
            if self.from.is_some() || self.to.is_some() {
                return Err(invalid("last_days", "cannot be combined with from or to"));
            }
            return Ok((back(today, count, "last_days")?, today));
        }
        let to = self.to.map_or(Ok(today), |text| date(text, "to"))?;
        let from = match self.from {
            Some(text) => date(text, "from")?,
            None => back(to, DEFAULT_DAYS, "to")?,
        };
        Ok((from, to))
    }
}

/// The days from `from` to `to`, both included.
///
/// # Errors
/// As [`RangeInput::resolve`].
pub fn days(
    from: Date,
    to: Date,
    tz: &TimeZone,
    granularity: Option<Granularity>,
) -> Result<Days, MetricsError> {
    if to < from {
        return Err(invalid("to", "must not be before from"));
    }
    let count = from.until(to).map_err(|_| invalid("to", "is too far from from"))?.get_days() + 1;
    if count > MAX_DAYS {
        return Err(invalid("from", "must be at most 3660 days before to"));
    }
    let granularity = granularity.unwrap_or(if count <= 2 { Granularity::Hour } else { Granularity::Day });
    let end = midnight(tomorrow(to)?, tz)?.timestamp().as_millisecond();
    let mut edges = Vec::new();
    let mut day = from;
    while day <= to {
        let start = midnight(day, tz)?;
        let next = tomorrow(day)?;
        match granularity {
            Granularity::Hour => hours(&start, midnight(next, tz)?.timestamp(), &mut edges)?,
            Granularity::Week if day != from && day.weekday() != jiff::civil::Weekday::Monday => {}
            Granularity::Day | Granularity::Week => push(&mut edges, start.timestamp().as_millisecond()),
        }
        if edges.len() > MAX_POINTS {
            return Err(invalid("granularity", "is too fine for the range (at most 10000 points)"));
        }
        day = next;
    }
    let range = Range { from_ms: midnight(from, tz)?.timestamp().as_millisecond(), to_ms: end };
    if range.from_ms >= range.to_ms {
        // Pacific/Apia never had 2011-12-30.
        return Err(invalid("from", "must name a day that exists in the time zone"));
    }
    // A skipped day at the very end leaves its edge on the end itself.
    edges.retain(|edge| *edge < end);
    edges.push(end);
    Ok(Days { range, edges, granularity })
}

/// Adds an edge, unless a skipped day would repeat the one before.
fn push(edges: &mut Vec<i64>, edge: i64) {
    if edges.last() != Some(&edge) {
        edges.push(edge);
    }
}

fn hours(start: &ZonedDateTime, end: Timestamp, edges: &mut Vec<i64>) -> Result<(), MetricsError> {
    let mut at = start.timestamp();
    while at < end {
        push(edges, at.as_millisecond());
        at = at.checked_add(SignedDuration::from_hours(1)).map_err(|_| far("to"))?;
    }
    Ok(())
}

/// The first moment of a day. Where midnight does not exist it is the first moment after it.
fn midnight(day: Date, tz: &TimeZone) -> Result<ZonedDateTime, MetricsError> {
    day.to_zoned_datetime(tz.clone()).map_err(|_| far("from"))
}

fn tomorrow(day: Date) -> Result<Date, MetricsError> {
    day.tomorrow().map_err(|_| far("to"))
}

fn back(to: Date, count: u32, field: &'static str) -> Result<Date, MetricsError> {
    if count == 0 || i64::from(count) > i64::from(MAX_DAYS) {
        return Err(invalid(field, "must be 1 to 3660"));
    }
    to.checked_sub(Span::new().days(i64::from(count) - 1)).map_err(|_| far(field))
}

fn date(text: &str, field: &'static str) -> Result<Date, MetricsError> {
    // `Date` alone would also read the date of a whole timestamp and drop its time in silence.
    let parsed = (text.len() == 10).then(|| text.parse().ok()).flatten();
    parsed.ok_or_else(|| invalid(field, "must be a date like 2026-07-28"))
}

fn instant(now_ms: i64) -> Result<Timestamp, MetricsError> {
    Timestamp::from_millisecond(now_ms).map_err(|_| far("now"))
}

fn far(field: &'static str) -> MetricsError {
    invalid(field, "is out of the range of dates")
}
