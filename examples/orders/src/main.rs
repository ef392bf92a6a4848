//! An example MCP server watched by MCPulse, and the agents that call it in `make demo`.

mod agents;
mod random;
mod server;
mod shop;
mod stdin;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Orders of a furniture shop, as an MCP server and as the agents that use it.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the MCP server.
    Serve(server::ServeArgs),
    /// Starts servers and calls them as agents would, until Ctrl-C.
    Agents(agents::AgentsArgs),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(args) => server::serve(args).await,
        Command::Agents(args) => agents::run(args).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "orders: {error:#}");
            ExitCode::FAILURE
        }
    }
}
