//! What can be typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::args_transfer::{BackupArgs, ExportArgs, RestoreArgs};
use crate::exit;

/// Analytics for MCP servers.
#[derive(Debug, Parser)]
#[command(name = "mcpulse", version, after_help = exit::HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print JSON for machines instead of tables for people.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// TOML file with settings; each is named as its flag, with `_` for `-`.
    #[arg(long, global = true, env = "MCPULSE_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Directory of the embedded stores.
    #[arg(long, global = true, env = "MCPULSE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub(crate) data: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server: ingest, REST and the dashboard.
    Serve(ServeArgs),
    /// Run a server with the example `orders` and agents that call it.
    Demo(DemoArgs),
    /// Write everything to one file, while the server runs or not.
    Backup(BackupArgs),
    /// Make a data directory of a backup; --data must be empty or not there.
    Restore(RestoreArgs),
    /// Write the calls of a server to a file, through the running server.
    Export(ExportArgs),
    /// Print a link with which a user signs in, once, within 15 minutes.
    LoginLink(LoginLinkArgs),
    /// List and add tracked servers.
    Servers(ServersArgs),
    /// List, make and revoke ingest keys.
    Keys(KeysArgs),
    /// Write the canonical form of each line of JSON; `!` for what has none.
    Canonicalize,
    /// Write the args_hash of each line of JSON; a blank line is no arguments, twelve zeros what has no canonical form.
    Hash,
    /// Write the tokens and the hash of each description, a JSON string a line; `!` for what is none.
    Normalize,
    /// Check payloads against the wire format.
    Validate(ValidateArgs),
    /// Check a producer against the protocol, through the harness it ships.
    Conform(ConformArgs),
    /// Write a reference page.
    #[command(hide = true)]
    Reference(ReferenceArgs),
}

/// A number in bounds.
fn count(least: u64, most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=most)
}

/// A time that a client or a request may take: up to a day.
fn seconds() -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(1..=86_400)
}

/// How much is logged, to stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on; port 0 lets the system choose.
    #[arg(long, env = "MCPULSE_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:7077")]
    pub(crate) listen: SocketAddr,
    /// Where browsers and producers reach the server, if not at the address listened on.
    #[arg(long, env = "MCPULSE_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Further host names that requests may carry, without port.
    #[arg(long, env = "MCPULSE_ALLOWED_HOSTS", value_name = "HOST", value_delimiter = ',')]
    pub(crate) allowed_hosts: Vec<String>,
    /// Email of the first user, who is made at the first start and owns the first account.
    #[arg(long, env = "MCPULSE_OWNER_EMAIL", value_name = "EMAIL", default_value = OWNER)]
    pub(crate) owner_email: String,
    /// What is logged, to stderr: a level, or levels by target.
    #[arg(long, env = "MCPULSE_LOG", value_name = "FILTER", default_value = "info")]
    pub(crate) log: String,
    /// How it is logged.
    #[arg(long, env = "MCPULSE_LOG_FORMAT", value_name = "FORMAT", value_enum, default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Connections held at once; further ones wait to be accepted.
    #[arg(long, env = "MCPULSE_MAX_CONNECTIONS", value_parser = count(1, 1_000_000), value_name = "N", default_value_t = 8_192)]
    pub(crate) max_connections: usize,
    /// Requests worked on at once; further ones wait, then get 503.
    #[arg(long, env = "MCPULSE_MAX_REQUESTS", value_parser = count(1, 1_000_000), value_name = "N", default_value_t = 1_024)]
    pub(crate) max_requests: usize,
    /// Ingest bodies held at once, MiB; further ones wait, then get 503.
    #[arg(long, env = "MCPULSE_MAX_INGEST_MIB", value_name = "MIB", default_value_t = 256)]
    pub(crate) max_ingest_mib: u32,
    /// Seconds a client has for the head of a request; also how long an idle connection stays open.
    #[arg(long, env = "MCPULSE_HEADER_TIMEOUT", value_parser = seconds(), value_name = "SECONDS", default_value_t = 20)]
    pub(crate) header_timeout: u64,
    /// Seconds a client has to send a body.
    #[arg(long, env = "MCPULSE_BODY_TIMEOUT", value_parser = seconds(), value_name = "SECONDS", default_value_t = 20)]
    pub(crate) body_timeout: u64,
    /// Seconds a client may take nothing of an answer.
    #[arg(long, env = "MCPULSE_WRITE_TIMEOUT", value_parser = seconds(), value_name = "SECONDS", default_value_t = 30)]
    pub(crate) write_timeout: u64,
    /// Seconds a request may take before it is answered 503.
    #[arg(long, env = "MCPULSE_REQUEST_TIMEOUT", value_parser = seconds(), value_name = "SECONDS", default_value_t = 60)]
    pub(crate) request_timeout: u64,
    /// Seconds that requests under way have to finish when the server stops.
    #[arg(long, env = "MCPULSE_SHUTDOWN_TIMEOUT", value_parser = seconds(), value_name = "SECONDS", default_value_t = 10)]
    pub(crate) shutdown_timeout: u64,
    /// Days a browser stays signed in.
    #[arg(long, env = "MCPULSE_LOGIN_DAYS", value_parser = value_parser!(u32).range(1..=3_650), value_name = "DAYS", default_value_t = 30)]
    pub(crate) login_days: u32,
    /// Threads one query of the event store may use; 0: as many as there are cores.
    #[arg(long, env = "MCPULSE_QUERY_THREADS", value_parser = count(0, 1_024), value_name = "N", default_value_t = 0)]
    pub(crate) query_threads: usize,
    /// Memory of the event store, MiB.
    #[arg(long, env = "MCPULSE_STORE_MEMORY_MIB", value_parser = value_parser!(u64).range(64..=16_777_216), value_name = "MIB", default_value_t = 1_024)]
    pub(crate) store_memory_mib: u64,
}

/// Who is made at the first start.
pub(crate) const OWNER: &str = "owner@localhost";

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Address and port to listen on; port 0 lets the system choose.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7077")]
    pub(crate) listen: SocketAddr,
    /// Keep the data in this directory, as --data does; default: a temporary one that goes away.
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "data")]
    pub(crate) keep: Option<PathBuf>,
    /// The example program; default: `orders` beside this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) example: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LoginLinkArgs {
    /// Email of the user who signs in; default: the first user.
    #[arg(long, env = "MCPULSE_OWNER_EMAIL", value_name = "EMAIL")]
    pub(crate) user: Option<String>,
    /// Where the browser reaches the server; default: where the running server says it is.
    #[arg(long, env = "MCPULSE_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
}

/// Whose account a command works in.
#[derive(Debug, Args)]
pub(crate) struct AccountArgs {
    /// Email of a user of the account; default: the first user.
    #[arg(long, env = "MCPULSE_OWNER_EMAIL", value_name = "EMAIL")]
    pub(crate) user: Option<String>,
    /// The account (`acc_…`); default: the user's first.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) account: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServersArgs {
    #[command(subcommand)]
    pub(crate) command: ServersCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServersCommand {
    /// List the servers of an account.
    List(AccountArgs),
    /// Track a server.
    Create {
        /// Its name, 1–100 characters.
        name: String,
        #[command(flatten)]
        account: AccountArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the keys of a server, revoked ones too.
    List {
        /// The server (`srv_…`).
        server: String,
    },
    /// Make a key. It is printed this once and not stored.
    Create {
        /// The server (`srv_…`).
        server: String,
        /// Tells keys apart, 1–100 characters.
        #[arg(long, default_value = "command line")]
        name: String,
    },
    /// Revoke a key. It counts at once, also in a running server.
    Revoke {
        /// The key (`key_…`).
        key: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// A batch, a payload, or a payload a line; default: standard input.
    pub(crate) file: Option<PathBuf>,
}

/// The form of a report on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
    /// JUnit's XML.
    Junit,
    /// A line of Markdown.
    Badge,
}

/// Which transports are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transports {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// One after the other.
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct ConformArgs {
    /// Make this check only, by its number; may be given several times.
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Drive this transport.
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) transport: Transports,
    /// What is written to standard output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub(crate) report: ReportFormat,
    /// Failures that are known: a JSON list of {"id", "link" or null, "reason"}. One that passes is a failure.
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
    /// Checks at a time.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) jobs: usize,
    /// Seconds after which something counts as not happening.
    #[arg(long, value_name = "SECONDS", default_value_t = 40)]
    pub(crate) patience: u64,
    /// Random documents of the property check.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) documents: usize,
    /// Seed of the random documents.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Say at the end how long each check took, on standard error.
    #[arg(long)]
    pub(crate) timings: bool,
    /// List the checks and make none.
    #[arg(long)]
    pub(crate) list: bool,
    /// Drive the server that runs, or is about to, at this URL, instead of starting a harness. What it needs in its
    /// environment is said on standard error.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// With --url: where the server's producer is to send; port 0 lets the system choose.
    #[arg(long, value_name = "ADDRESS", requires = "url", default_value = "127.0.0.1:7077")]
    pub(crate) listen: SocketAddr,
    /// With --url: the ingest key that the server has; a new one if left out.
    #[arg(long, value_name = "KEY", requires = "url")]
    pub(crate) key: Option<String>,
    /// With --url: seconds to wait for the server to be there.
    #[arg(long, value_parser = seconds(), value_name = "SECONDS", requires = "url", default_value_t = 600)]
    pub(crate) wait: u64,
    /// The harness and its first arguments.
    #[arg(last = true, value_name = "CMD", required_unless_present_any = ["list", "url"])]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReferenceArgs {
    /// Which page.
    pub(crate) page: ReferencePage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReferencePage {
    /// docs/reference/cli.md
    Cli,
    /// docs/reference/configuration.md
    Configuration,
}
