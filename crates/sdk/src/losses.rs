//! What was recorded, what arrived, and what was lost on the way and why.

use std::fmt;

/// Counts since the process began, for one destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// Payloads recorded.
    pub recorded: u64,
    /// Payloads in batches that were taken.
    pub sent: u64,
    /// Payloads pushed out of the full ring, oldest first.
    pub overflowed: u64,
    /// Payloads in batches that were answered with neither success nor "later".
    pub refused: u64,
    /// Payloads still waiting.
    pub waiting: u64,
    /// Calls that were cancelled, and therefore not recorded.
    pub cancelled: u64,
    /// Calls not recorded because our own code failed.
    pub failed: u64,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recorded, sent, overflowed, refused, waiting, cancelled, failed } = self;
        write!(
            f,
            "{recorded} recorded, {sent} sent, {waiting} waiting; lost: {overflowed} ring full, {refused} refused; \
             not recorded: {cancelled} cancelled, {failed} failed"
        )
    }
}
