//! `mcpulse demo`: a server of its own, and the example `orders` with agents that call it.

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Parser;
use mcpulse_server::LINK_MINUTES;
use mcpulse_store::control::{Actor, ControlStore};
use mcpulse_store::secret::{Secret, SecretKind};
use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::serve::{self, Running, stop_signal};
use super::{block_on, past};
use crate::args::{Cli, DemoArgs, Global, ServeArgs};
use crate::exit::Failure;
use crate::output::{self, Output};
use crate::rest::Client;

/// How long the example has to end its own children.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) fn run(global: &Global, args: &DemoArgs, data_is_chosen: bool) -> Result<ExitCode, Failure> {
    let example = example(args)?;
    let temporary = temporary()?;
    let chosen = data_is_chosen.then_some(global.data.as_path());
    let data = args.keep.as_deref().or(chosen).unwrap_or(temporary.path());
    let serve = serve_args(args)?;
    serve::log(&serve)?;
    block_on(async {
        let stop = stop_signal()?;
        let running = serve::start(data, &serve).await?;
        let (key, is_new) = key(&running).await?;
        say(global, &running, data)?;
        let url = running.url.clone();
        let (ended, end) = tokio::sync::oneshot::channel::<()>();
        let server = tokio::spawn(running.serve(async {
            let _ = end.await;
        }));
        if is_new {
            past(&url, &key).await?;
        }
        let mut agents = start(&example, &url, &key, global.json)?;
        // The agents end when this closes, so they do when this process is killed. Waiting for them would close it.
        let lifeline = agents.stdin.take();
        wait(&mut agents, stop).await?;
        drop(lifeline);
        finish(agents).await;
        // The server outlives its agents, so that what they flush at their end arrives.
        drop(ended);
        server.await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The settings of `serve`, as the demo wants them.
fn serve_args(args: &DemoArgs) -> Result<ServeArgs, Failure> {
    let listen = args.listen.to_string();
    let typed = ["mcpulse", "serve", "--listen", &listen, "--log", "warn"];
    match Cli::try_parse_from(typed)?.command {
        crate::args::Command::Serve(args) => Ok(args),
        _ => Err(anyhow!("the demo could not set up its server").into()),
    }
}

/// A directory for this run, for its owner alone.
fn temporary() -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("mcpulse-demo-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// The example: the one named, or the one beside this program.
fn example(args: &DemoArgs) -> Result<PathBuf, Failure> {
    let path = match &args.example {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name(format!("orders{}", std::env::consts::EXE_SUFFIX)),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::usage(anyhow!("{} is not there: run `make build`, or set --example", path.display())))
}

/// Sends a week of what the agents will do, so that there is something to compare with.
async fn past(url: &str, key: &Secret) -> Result<(), Failure> {
    let client = Client::new(url, true).with_bearer(key.reveal());
    let sent = tokio::task::spawn_blocking(move || {
        for batch in past::batches(output::now_ms()) {
            client.post("/v1/ingest", Some(&json!({ "batch": batch })))?;
        }
        Ok(())
    });
    sent.await?
}

/// A server and a key for the example; with kept data, the server of the last time. Whether it is a new one.
async fn key(running: &Running) -> Result<(Secret, bool), Failure> {
    let control = &running.control;
    let memberships = control.memberships(running.owner.id).await?;
    let account = memberships.first().ok_or_else(|| anyhow!("the first user has no account"))?.account.id;
    let known = control.servers(account).await?.into_iter().find(|server| server.name == "orders");
    let (server, is_new) = match known {
        Some(server) => (server, false),
        None => (control.create_server(account, "orders", Actor::Operator).await?, true),
    };
    let secret = Secret::generate(SecretKind::IngestKey)?;
    control.create_key(server.id, "demo", &secret.to_stored(), Actor::Operator).await?;
    Ok((secret, is_new))
}

fn say(global: &Global, running: &Running, data: &Path) -> Result<(), Failure> {
    let (url, link) = (&running.url, &running.link);
    let lines = [
        "MCPulse demo: a server, the example `orders` watched by the Rust producer, and agents that call it."
            .to_owned(),
        format!("Data:      {}", data.display()),
        format!("Dashboard: {url}"),
        format!("Sign in (once, within {LINK_MINUTES} minutes): {link}"),
        "Ctrl-C ends it.".to_owned(),
        String::new(),
    ];
    let value = json!({ "url": url, "sign_in": link, "expires_in_minutes": LINK_MINUTES, "data": data });
    Ok(Output::new(global.json).say(&value, &lines)?)
}

fn start(example: &Path, url: &str, key: &Secret, json: bool) -> Result<Child, Failure> {
    // What the agents tell is for people; machines read standard output.
    let tells = if json { Stdio::from(std::io::stderr()) } else { Stdio::inherit() };
    let child = Command::new(example)
        .stdout(tells)
        .args(["agents", "--until-stdin-closes"])
        .env("MCPULSE_KEY", key.reveal())
        .env("MCPULSE_ENDPOINT", url)
        .stdin(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", example.display()))?;
    Ok(child)
}

/// Waits until somebody asks for the end. Agents that end by themselves do not end the dashboard.
#[allow(clippy::print_stderr, reason = "a word to whoever watches the demo")]
async fn wait(agents: &mut Child, stop: impl Future<Output = ()>) -> Result<(), Failure> {
    let mut stop = std::pin::pin!(stop);
    tokio::select! {
        () = &mut stop => return Ok(()),
        status = agents.wait() => eprintln!("The agents ended ({}). The dashboard goes on until Ctrl-C.", status?),
    }
    stop.await;
    Ok(())
}

/// Ends the agents: they are asked to, as a terminal's Ctrl-C would. Then they are made to.
async fn finish(mut agents: Child) {
    if let Some(id) = agents.id() {
        // `kill` is everywhere, and needs no unsafe code; if it fails, the grace below runs out.
        let _ = Command::new("kill").arg("-TERM").arg(id.to_string()).status().await;
    }
    if tokio::time::timeout(GRACE, agents.wait()).await.is_err() {
        let _ = agents.kill().await;
    }
}
