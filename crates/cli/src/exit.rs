//! How a run ends.

use std::io;
use std::process::ExitCode;

use mcpulse_store::control::ControlError;
use mcpulse_store::events::EventError;

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// It was tried and failed, or the input was refused.
pub(crate) const FAILED: u8 = 1;
/// Wrong usage: a flag, a setting or a file named on the command line.
pub(crate) const USAGE: u8 = 2;
/// The data cannot be used: in use by another process, damaged, or written by a newer version.
pub(crate) const DATA: u8 = 3;

/// The exit codes, as `--help` shows them.
pub(crate) const HELP: &str = "Exit codes:
  0  it worked
  1  it failed, or the input was refused
  2  wrong usage: a flag, a setting or a file
  3  the data directory is in use, damaged or of a newer version";

/// Why a command ended without doing what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
}

impl Failure {
    /// Wrong usage.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self { code: USAGE, error: error.into() }
    }

    /// The data cannot be used.
    pub(crate) fn data(error: impl Into<anyhow::Error>) -> Self {
        Self { code: DATA, error: error.into() }
    }

    /// Says on stderr what went wrong, with its causes. A reader that went away is no failure: whoever pipes
    /// into `head` has seen enough.
    #[allow(clippy::print_stderr, reason = "the one place where a command says why it failed")]
    pub(crate) fn report(&self) -> ExitCode {
        if let Some(error) = self.error.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::from(OK);
        }
        eprintln!("error: {:#}", self.error);
        ExitCode::from(self.code)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let unreadable = matches!(error.downcast_ref(), Some(ControlError::Unreadable(_)))
            || matches!(error.downcast_ref(), Some(EventError::Unreadable { .. } | EventError::InUse { .. }));
        Self { code: if unreadable { DATA } else { FAILED }, error }
    }
}
