//! `mcpulse conform`: a producer against the protocol.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use mcpulse_conformance::{Known, Options, Outcome, Remote, Report, Transport, known, list};

use crate::args::{ConformArgs, Global, ReportFormat, Transports};
use crate::exit::{self, Failure};

/// `mcpulse conform -- CMD`
pub(crate) fn run(global: &Global, args: ConformArgs) -> Result<ExitCode, Failure> {
    let format = if global.json { ReportFormat::Json } else { args.report };
    let mut out = io::stdout();
    if args.list {
        for (id, title, rules) in list() {
            writeln!(out, "{id}  {title} ({})", rules.join(" "))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let known = known_failures(&args)?;
    let timings = args.timings;
    // People see each check as it ends, machines the whole at the end.
    let show = |outcome: &Outcome| {
        if format == ReportFormat::Text {
            // Whoever pipes into `head` has seen enough; the exit code still counts.
            let _ = writeln!(io::stdout(), "{}", outcome.line());
        }
    };
    let remote = remote(&args)?;
    let report = mcpulse_conformance::run(options(args, remote), &known, show)
        .map_err(|error| Failure::usage(anyhow!(error)))?;
    match format {
        ReportFormat::Text => writeln!(out, "{}", summary(&report))?,
        ReportFormat::Json => {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        }
        ReportFormat::Junit => out.write_all(report.junit().as_bytes())?,
        ReportFormat::Badge => out.write_all(report.badge().as_bytes())?,
    }
    if timings {
        io::stderr().write_all(report.timings().as_bytes())?;
    }
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

fn known_failures(args: &ConformArgs) -> Result<Vec<Known>, Failure> {
    let Some(path) = &args.known else { return Ok(Vec::new()) };
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let known = known::read(&text.map_err(Failure::usage)?);
    known.map_err(|error| Failure::usage(anyhow!("{}: {error}", path.display())))
}

/// Listens for what a running server sends, says what that server needs, and waits for it.
fn remote(args: &ConformArgs) -> Result<Option<Remote>, Failure> {
    let Some(url) = &args.url else { return Ok(None) };
    if !url.starts_with("http://") {
        return Err(Failure::usage(anyhow!("--url: {url} does not begin with http://")));
    }
    let remote = Remote::listen(args.listen, args.key.clone())
        .with_context(|| format!("cannot listen at {}", args.listen))
        .map_err(Failure::usage)?
        .serving(url);
    let mut err = io::stderr();
    writeln!(
        err,
        "The server must be a harness (docs/harness.md) with this in its environment; started before, it may do"
    )?;
    writeln!(err, "without the last line:")?;
    for (name, value) in remote.environment() {
        writeln!(err, "  {name}={value}")?;
    }
    writeln!(err, "Waiting for it at {url}.")?;
    if remote.wait(Duration::from_secs(args.wait)) {
        return Ok(Some(remote));
    }
    Err(anyhow!("nothing listened at {url} within {} s", args.wait).into())
}

fn options(args: ConformArgs, remote: Option<Remote>) -> Options {
    let command = match &remote {
        Some(remote) => vec!["--url".to_owned(), remote.url().to_owned()],
        None => args.command,
    };
    let mut options = Options::new(command);
    options.remote = remote;
    options.only = args.only;
    options.transports = match args.transport {
        _ if options.remote.is_some() => vec![Transport::Http],
        Transports::Stdio => vec![Transport::Stdio],
        Transports::Http => vec![Transport::Http],
        Transports::Both => vec![Transport::Stdio, Transport::Http],
    };
    options.jobs = args.jobs;
    options.patience = Duration::from_secs(args.patience);
    options.documents = args.documents;
    options.seed = args.seed.unwrap_or(options.seed);
    options
}

/// The failures once more, and the counts.
fn summary(report: &Report) -> String {
    let bad = report.checks.iter().filter(|check| check.verdict.is_bad());
    let mut lines: Vec<String> = bad.map(Outcome::line).collect();
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines.push(report.summary());
    lines.join("\n")
}
