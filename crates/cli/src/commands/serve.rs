//! `mcpulse serve`: the server with its embedded stores.

use std::future::Future;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use mcpulse_server::{BindError, Config, LINK_MINUTES, Server, Stores, sign_in_link};
use mcpulse_store::control::{Actor, ControlError, ControlStore, SqliteControl, User};
use mcpulse_store::duckdb::Options;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::{block_on, stores};
use crate::args::{Global, LogFormat, ServeArgs};
use crate::exit::Failure;
use crate::output::Output;
use crate::rest::ADDRESS_FILE;

/// What the first account is called.
const FIRST_ACCOUNT: &str = "My servers";

pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<ExitCode, Failure> {
    log(args)?;
    block_on(async {
        let stop = stop_signal()?;
        let running = start(&global.data, args).await?;
        let (url, link) = (&running.url, &running.link);
        Output::new(global.json).say(
            &json!({ "url": url, "sign_in": link, "expires_in_minutes": LINK_MINUTES }),
            &[
                format!("MCPulse is at {url}"),
                format!("Sign in (once, within {LINK_MINUTES} minutes): {link}"),
            ],
        )?;
        running.serve(stop).await;
        Ok(ExitCode::SUCCESS)
    })
}

/// A server that listens, with somebody who can sign in.
pub(crate) struct Running {
    server: Server,
    pub(crate) control: Arc<SqliteControl>,
    pub(crate) owner: User,
    pub(crate) url: String,
    pub(crate) link: String,
    address_file: PathBuf,
}

impl Running {
    /// Serves until `stop` is ready.
    pub(crate) async fn serve(self, stop: impl Future<Output = ()>) {
        self.server.run(stop).await;
        // Only a convenience for other commands; the next start writes it again.
        let _ = std::fs::remove_file(&self.address_file);
    }
}

/// Opens the stores, makes the first user if there is none, and listens.
pub(crate) async fn start(data: &Path, args: &ServeArgs) -> Result<Running, Failure> {
    stores::whole(data)?;
    let control = Arc::new(stores::control(data)?);
    let events = stores::events(data, options(args))?;
    control.clear_copies()?;
    let stores = Stores::new(events, Arc::clone(&control));
    let server = Server::bind(config(args), stores).await.map_err(|error| match error {
        BindError::Config(_) => Failure::usage(error),
        error => error.into(),
    })?;
    let owner = owner(&control, &args.owner_email).await?;
    let url = server.url().to_owned();
    let link = sign_in_link(&*control, &url, owner.id, Actor::Operator).await?;
    let address_file = data.join(ADDRESS_FILE);
    std::fs::write(&address_file, format!("{url}\n{}\n", server.local_url()))
        .with_context(|| format!("cannot write {}", address_file.display()))?;
    Ok(Running { server, control, owner, url, link, address_file })
}

async fn owner(control: &SqliteControl, email: &str) -> Result<User, Failure> {
    match control.user_by_email(email).await? {
        Some(user) => Ok(user),
        None => match control.create_user(email, FIRST_ACCOUNT, Actor::Operator).await {
            Ok((user, _)) => Ok(user),
            Err(ControlError::Invalid { rule, .. }) => {
                Err(Failure::usage(anyhow::anyhow!("--owner-email {rule}")))
            }
            Err(error) => Err(error.into()),
        },
    }
}

fn config(args: &ServeArgs) -> Config {
    Config {
        listen: args.listen,
        public_url: args.public_url.clone(),
        allowed_hosts: args.allowed_hosts.clone(),
        max_connections: args.max_connections,
        max_requests: args.max_requests,
        max_ingest_mib: args.max_ingest_mib,
        header_timeout: args.header_timeout,
        body_timeout: args.body_timeout,
        write_timeout: args.write_timeout,
        request_timeout: args.request_timeout,
        shutdown_timeout: args.shutdown_timeout,
        login_days: args.login_days,
    }
}

fn options(args: &ServeArgs) -> Options {
    let defaults = Options::default();
    Options {
        threads: if args.query_threads == 0 { defaults.threads } else { args.query_threads },
        memory_bytes: args.store_memory_mib << 20,
        ..defaults
    }
}

pub(crate) fn log(args: &ServeArgs) -> Result<(), Failure> {
    let filter = filter(&args.log)?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match args.log_format {
        LogFormat::Text => logs.try_init(),
        LogFormat::Json => logs.json().try_init(),
    }
    .map_err(|error| anyhow::anyhow!("cannot set up the log: {error}").into())
}

/// What is logged. A word that is no level would be taken for a target, and silence everything.
fn filter(text: &str) -> Result<EnvFilter, Failure> {
    let level =
        |part: &str| part.rsplit('=').next().is_some_and(|level| level.trim().parse::<LevelFilter>().is_ok());
    if !text.split(',').filter(|part| !part.trim().is_empty()).all(level) || text.trim().is_empty() {
        let rule =
            "must be off, error, warn, info, debug or trace, or TARGET=LEVEL, with commas between them";
        return Err(Failure::usage(anyhow::anyhow!("--log {rule}")));
    }
    EnvFilter::try_new(text).context("--log").map_err(Failure::usage)
}

/// Ready when the process is asked to end: Ctrl-C, or SIGTERM from a supervisor. Listens from now on, so that a
/// signal during the start is not lost.
pub(crate) fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn what_is_logged_is_said_in_levels() {
        for good in ["info", "OFF", "warn,mcpulse_server=debug", "mcpulse_server::ingest=trace"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        for bad in ["", "nonsense", "info,nonsense", "mcpulse_server=loud", "debug=mcpulse"] {
            assert!(filter(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_library() {
        let Command::Serve(args) = Cli::try_parse_from(["mcpulse", "serve"]).unwrap().command else {
            panic!("not serve");
        };
        assert_eq!(config(&args), Config::default());
    }
}
