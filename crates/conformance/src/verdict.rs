//! How a check ends.

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// What was seen, and never a value that a customer could have sent.
    Failed(String),
    /// Why it cannot be checked here.
    Skipped(String),
}

/// A failed check.
pub(crate) fn fail<T>(seen: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Failed(seen.into()))
}

/// A check that cannot be made.
pub(crate) fn skip<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Skipped(reason.into()))
}

/// Fails unless `good`.
pub(crate) fn ensure(good: bool, seen: impl FnOnce() -> String) -> Result<(), Fault> {
    if good { Ok(()) } else { fail(seen()) }
}

/// Fails unless the two are equal.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, seen: T, expected: T) -> Result<(), Fault> {
    ensure(seen == expected, || format!("{what}: {seen:?}, expected {expected:?}"))
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(format!("the kit itself: {error}"))
    }
}
