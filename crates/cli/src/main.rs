//! The `mcpulse` binary: serves, shows, and filters. Each command has its file.

mod args;
mod args_transfer;
mod commands;
mod config_file;
mod exit;
mod output;
mod reference;
mod rest;
mod whole_file;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Command};
use exit::Failure;

fn main() -> ExitCode {
    let arguments = match config_file::with_file(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(failure) => return failure.report(),
    };
    match run(arguments) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    let matches = Cli::command().get_matches_from(arguments);
    let data_is_chosen =
        matches.value_source("data").is_some_and(|source| source != ValueSource::DefaultValue);
    let Cli { global, command } = Cli::from_arg_matches(&matches)?;
    match command {
        Command::Serve(args) => commands::serve::run(&global, &args),
        Command::Demo(args) => commands::demo::run(&global, &args, data_is_chosen),
        Command::Backup(args) => commands::backup::backup(&global, &args),
        Command::Restore(args) => commands::backup::restore(&global, &args),
        Command::Export(args) => commands::export::run(&global, &args),
        Command::LoginLink(args) => commands::login_link::run(&global, &args),
        Command::Servers(args) => commands::servers::run(&global, &args),
        Command::Keys(args) => commands::keys::run(&global, &args),
        Command::Canonicalize => commands::filters::canonicalize(),
        Command::Hash => commands::filters::hash(),
        Command::Normalize => commands::filters::normalize(),
        Command::Validate(args) => commands::validate::run(&global, &args),
        Command::Conform(args) => commands::conform::run(&global, args),
        Command::Reference(args) => commands::reference(&args),
    }
}
