//! Where a watcher is: the id of an event, which comes back as `Last-Event-ID`.

use std::fmt;

/// `<seq>` for calls; `<seq>-<run>-<number>` when ingest health is watched too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastSeen {
    /// The newest call, in order of arrival.
    pub(crate) seq: Option<u64>,
    /// The newest batch: the run of the program that numbered it, and its number.
    pub(crate) batch: Option<(u64, u64)>,
}

impl LastSeen {
    /// Reads an id that was sent before. Nothing else is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| -> Option<u64> {
            // No sign, and no more digits than a number has.
            (text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 20).then(|| text.parse().ok())?
        };
        let parts: Vec<&str> = text.trim().split('-').collect();
        match parts.as_slice() {
            [seq] => Some(Self { seq: Some(number(seq)?), batch: None }),
            ["", run, batch] => Some(Self { seq: None, batch: Some((number(run)?, number(batch)?)) }),
            [seq, run, batch] => {
                Some(Self { seq: Some(number(seq)?), batch: Some((number(run)?, number(batch)?)) })
            }
            _ => None,
        }
    }
}

impl fmt::Display for LastSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seq) = self.seq {
            write!(f, "{seq}")?;
        }
        match self.batch {
            Some((run, number)) => write!(f, "-{run}-{number}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_were() {
        for id in [
            LastSeen { seq: Some(0), batch: None },
            LastSeen { seq: Some(17), batch: Some((1_790_000_000_000, 3)) },
            LastSeen { seq: None, batch: Some((1, 0)) },
        ] {
            assert_eq!(LastSeen::parse(&id.to_string()), Some(id));
        }
        for bad in ["", "x", "-1", "1-2", "1-2-3-4", "+1", "99999999999999999999999"] {
            assert_eq!(LastSeen::parse(bad), None, "{bad}");
        }
    }
}
