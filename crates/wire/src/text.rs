//! Making values fit the wire: a producer cuts and clamps, it never fails.

use std::borrow::Cow;

use crate::payload::limit;

/// What an empty name becomes.
pub const UNKNOWN: &str = "unknown";

/// At most the first `limit` code points of `text`.
#[must_use]
pub fn cut(text: &str, limit: usize) -> &str {
    // A code point is at least a byte, so most texts need no counting.
    if text.len() <= limit {
        return text;
    }
    match text.char_indices().nth(limit) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// A name (of a tool, a field) cut to 200 code points; `unknown` when empty.
#[must_use]
pub fn name(text: &str) -> Cow<'_, str> {
    fit(text, limit::NAME)
}

/// A client name or a session id cut to 128 code points; `unknown` when empty.
#[must_use]
pub fn client_name(text: &str) -> Cow<'_, str> {
    fit(text, limit::CLIENT_NAME)
}

/// A version cut to 64 code points.
#[must_use]
pub fn version(text: &str) -> &str {
    cut(text, limit::VERSION)
}

fn fit(text: &str, limit: usize) -> Cow<'_, str> {
    Cow::Borrowed(if text.is_empty() { UNKNOWN } else { cut(text, limit) })
}

/// A duration in whole milliseconds, rounded down and clamped to a day.
#[must_use]
pub fn duration_ms(duration: std::time::Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).min(limit::DURATION_MS)
}
