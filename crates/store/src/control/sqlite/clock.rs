//! The clock by which the control store dates what it is told.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub(super) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
