//! What can be typed after `backup`, `restore` and `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The archive to write; `-` is standard output. A file that is there is not overwritten.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The archive to read; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Comma-separated values.
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
}

impl ExportFormat {
    /// As REST calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The server (`srv_…`).
    pub(crate) server: String,
    /// The form of the file.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "csv")]
    pub(crate) format: ExportFormat,
    /// The file to write; default: standard output. A file that is there is not overwritten.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// First day, as `2026-07-01`; default: 29 days before the last.
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// Last day, inclusive; default: today.
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
    /// The last so many days, today included; instead of --from and --to.
    #[arg(long, value_name = "DAYS", value_parser = value_parser!(u32).range(1..=3_660))]
    pub(crate) last_days: Option<u32>,
    /// IANA time zone whose midnights part the days; default: UTC.
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<String>,
    /// Only calls of this tool; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// Only calls of this client; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) clients: Vec<String>,
    /// Where the server is; default: the one that runs on the data directory.
    #[arg(long, value_name = "URL", requires = "token")]
    pub(crate) url: Option<String>,
    /// An access token with the scope read; not needed beside the data directory.
    #[arg(long, env = "MCPULSE_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Email of the user who reads, without a token; default: the first user.
    #[arg(long, value_name = "EMAIL")]
    pub(crate) user: Option<String>,
}
