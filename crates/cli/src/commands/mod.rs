//! One file per command.

pub(crate) mod backup;
pub(crate) mod conform;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod filters;
pub(crate) mod keys;
pub(crate) mod login_link;
mod past;
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod stores;
pub(crate) mod validate;

use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

use crate::args::ReferenceArgs;
use crate::exit::Failure;
use crate::reference;

/// Writes a reference page to standard output.
pub(crate) fn reference(args: &ReferenceArgs) -> Result<ExitCode, Failure> {
    std::io::stdout().write_all(reference::page(args.page).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs something asynchronous to its end.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(future)
}
