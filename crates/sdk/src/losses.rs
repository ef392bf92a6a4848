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
        write!(f, "recorded {recorded}, sent {sent}, dropped ")?;
        list(f, &[("ring full", *overflowed), ("refused", *refused)])?;
        write!(f, ", not recorded ")?;
        list(f, &[("cancelled", *cancelled), ("failed", *failed)])?;
        write!(f, ", held {waiting}")
    }
}

/// The sum, and in parentheses what it is made of.
fn list(f: &mut fmt::Formatter<'_>, counts: &[(&str, u64)]) -> fmt::Result {
    write!(f, "{}", counts.iter().map(|(_, count)| count).sum::<u64>())?;
    let mut separator = " (";
    for (reason, count) in counts.iter().filter(|(_, count)| *count > 0) {
        write!(f, "{separator}{reason} {count}")?;
        separator = ", ";
    }
    if separator == ", " { f.write_str(")") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_what_there_is() {
        let mut losses = Losses::default();
        assert_eq!(losses.to_string(), "recorded 0, sent 0, dropped 0, not recorded 0, held 0");
        losses =
            Losses { recorded: 9, sent: 3, overflowed: 2, refused: 1, waiting: 3, cancelled: 4, failed: 0 };
        let expected =
            "recorded 9, sent 3, dropped 3 (ring full 2, refused 1), not recorded 4 (cancelled 4), held 3";
        assert_eq!(losses.to_string(), expected);
    }
}
