//! The `mcpulse` binary: serves, shows, and filters. Each command has its file.

mod args;
mod commands;
mod config_file;
mod exit;
mod output;
mod reference;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

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
    let Cli { global, command } = Cli::parse_from(arguments);
    match command {
        Command::Serve(args) => commands::serve::run(&global, &args),
        Command::Demo(args) => commands::demo::run(&global, &args),
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
