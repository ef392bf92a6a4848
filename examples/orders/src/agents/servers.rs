//! The servers that the agents talk to: this same program, started as a child.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use rmcp::transport::TokioChildProcess;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::tally::say;
use crate::server::Release;

/// Where the servers report to.
#[derive(Debug)]
pub(super) struct Target {
    program: std::path::PathBuf,
    key: String,
    endpoint: String,
}

/// What is deployed now.
#[derive(Clone, Debug)]
pub(super) struct Deployment {
    pub(super) release: Release,
    pub(super) url: String,
}

impl Target {
    pub(super) fn new(key: String, endpoint: String) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        Ok(Self { program, key, endpoint })
    }

    fn serve(&self, release: Release) -> Command {
        let mut command = Command::new(&self.program);
        let release =
            release.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        command
            .args(["serve", "--release", &release])
            .env("MCPULSE_KEY", &self.key)
            .env("MCPULSE_ENDPOINT", &self.endpoint)
            .kill_on_drop(true);
        command
    }

    /// A server of one conversation.
    pub(super) fn stdio(&self, release: Release) -> std::io::Result<TokioChildProcess> {
        let mut command = self.serve(release);
        command.arg("--stdio");
        // The crashing tool writes its panic there; the demo tells of it in its own words.
        let (process, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn()?;
        Ok(process)
    }
}

/// The server of many conversations.
#[derive(Debug)]
pub(super) struct HttpServer {
    child: Child,
    deployment: Deployment,
}

impl HttpServer {
    pub(super) async fn start(target: &Target, release: Release) -> anyhow::Result<Self> {
        let mut child = target
            .serve(release)
            .args(["--http", "--until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting the HTTP server")?;
        let stdout = child.stdout.take().context("the HTTP server's output")?;
        let line =
            BufReader::new(stdout).lines().next_line().await?.context("the HTTP server ended at once")?;
        let url =
            line.strip_prefix("listening on ").context("the HTTP server said something else")?.to_owned();
        say(&format!("serving MCP at {url}"));
        Ok(Self { child, deployment: Deployment { release, url } })
    }

    pub(super) fn deployment(&self) -> Deployment {
        self.deployment.clone()
    }

    /// Waits for conversations to end, then stops.
    pub(super) async fn retire(self) {
        tokio::time::sleep(Duration::from_secs(30)).await;
        self.stop().await;
    }

    /// Lets the server end by itself, so that it sends what it has recorded.
    pub(super) async fn stop(mut self) {
        drop(self.child.stdin.take());
        if tokio::time::timeout(Duration::from_secs(3), self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}
