//! Times on the wire: RFC 3339, to the millisecond.

const MS_PER_DAY: i64 = 86_400_000;

/// 0000-01-01T00:00:00.000Z, the earliest time RFC 3339 can write.
const EARLIEST_MS: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z, the latest.
const LATEST_MS: i64 = 253_402_300_799_999;

/// Milliseconds since 1970 as RFC 3339 in UTC with three decimals and `Z`: what producers send. Clamped to
/// the years 0000–9999.
#[must_use]
pub fn format_ms(ms: i64) -> String {
    let ms = ms.clamp(EARLIEST_MS, LATEST_MS);
    let (year, month, day) = civil_from_days(ms.div_euclid(MS_PER_DAY));
    let of_day = ms.rem_euclid(MS_PER_DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// RFC 3339 to milliseconds since 1970, rounded down; `None` when it is not RFC 3339. A leap second, which
/// only 23:59:60 UTC can be, is counted with the second after it.
#[must_use]
pub fn parse_ms(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (year, month, day) = (number(bytes, 0, 4)?, number(bytes, 5, 2)?, number(bytes, 8, 2)?);
    let (hour, minute, second) = (number(bytes, 11, 2)?, number(bytes, 14, 2)?, number(bytes, 17, 2)?);
    let punctuation = [4, 7, 10, 13, 16].map(|at| bytes.get(at).copied().unwrap_or_default());
    let is_shaped = matches!(punctuation, [b'-', b'-', b'T' | b't', b':', b':']);
    let in_range = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour <= 23
        && minute <= 59
        && second <= 60;
    if !is_shaped || !in_range {
        return None;
    }
    let (fraction_ms, zone) = fraction(bytes.get(19..)?)?;
    let offset_minutes = offset(zone)?;
    let utc_minute = hour * 60 + minute - offset_minutes;
    if second == 60 && utc_minute.rem_euclid(24 * 60) != 23 * 60 + 59 {
        return None;
    }
    Some(days_from_civil(year, month, day) * MS_PER_DAY + (utc_minute * 60 + second) * 1000 + fraction_ms)
}

/// The decimal number of `len` digits at `at`.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<i64> {
    bytes
        .get(at..at + len)?
        .iter()
        .try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

/// The milliseconds of an optional fraction, rounded down, and what is behind it.
fn fraction(rest: &[u8]) -> Option<(i64, &[u8])> {
    let Some(behind) = rest.strip_prefix(b".") else { return Some((0, rest)) };
    let count = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let digit = |index: usize| if index < count { i64::from(behind[index] - b'0') } else { 0 };
    Some((digit(0) * 100 + digit(1) * 10 + digit(2), behind.get(count..)?))
}

/// Minutes ahead of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    let sign = match zone {
        b"Z" | b"z" => return Some(0),
        [b'+', _, _, b':', _, _] => 1,
        [b'-', _, _, b':', _, _] => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(zone, 1, 2)?, number(zone, 4, 2)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date in the Gregorian calendar. Years start in March here, so that the leap day
/// is the last one of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date of a number of days since 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = (shifted + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}
