//! `mcpulse backup` and `mcpulse restore`: everything, as one file, while the server runs or not.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use mcpulse_server::operator_pass;
use mcpulse_store::backup::{Backup, RestoreError, restore as unpack};
use mcpulse_store::control::SqliteControl;
use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::{EventError, EventStore};
use serde_json::json;

use super::{block_on, stores};
use crate::args::Global;
use crate::args_transfer::{BackupArgs, RestoreArgs};
use crate::exit::Failure;
use crate::output::{self, Output, Progress};
use crate::rest::{self, Client};
use crate::whole_file::Target;

/// Bytes that are handed on at once.
const PIECE: usize = 1 << 20;

/// `-` is standard input or output.
fn named(path: &Path) -> Option<&Path> {
    (path != Path::new("-")).then_some(path)
}

pub(crate) fn backup(global: &Global, args: &BackupArgs) -> Result<ExitCode, Failure> {
    block_on(async {
        let control = Arc::new(stores::existing(&global.data)?);
        let file = named(&args.file);
        let mut target = Target::of(file)?;
        let mut progress = Progress::new("backed up");
        // Whoever has the event files makes the copies: a running server, or this program.
        match DuckEvents::open(&global.data, Options::default()) {
            Ok(events) => copy(control, Arc::new(events), &mut target, &mut progress).await?,
            Err(EventError::InUse { .. }) => ask(&global.data, &control, &mut target, &mut progress).await?,
            Err(error) => return Err(error.into()),
        }
        let bytes = progress.end();
        target.finish().context("the backup could not be finished")?;
        // On standard output there is the backup itself.
        if let Some(path) = file {
            let value = json!({ "file": path, "bytes": bytes });
            Output::new(global.json).say(&value, &[format!("{bytes} bytes in {}", path.display())])?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn copy(
    control: Arc<SqliteControl>,
    events: Arc<DuckEvents>,
    target: &mut Target,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut backup = Backup::begin(control, events.clone(), output::now_ms()).await?;
    while let Some(piece) = backup.piece().await? {
        target.write_all(&piece)?;
        progress.add(piece.len());
    }
    Ok(events.close().await?)
}

async fn ask(
    data: &Path,
    control: &SqliteControl,
    target: &mut Target,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let running = rest::running(data)?.ok_or_else(|| anyhow!("the server ended; try again"))?;
    let pass = operator_pass(control).await?;
    let client = Client::new(&running.local, true).with_bearer(pass.reveal());
    let answer = client.post("/v1/backup", None)?;
    pour(answer.into_body().into_reader(), target, progress)
}

/// Hands on everything. An answer that breaks off is an error.
pub(crate) fn pour(mut from: impl Read, to: &mut Target, progress: &mut Progress) -> Result<(), Failure> {
    let mut piece = vec![0; PIECE];
    loop {
        let length = from.read(&mut piece).context("the server broke off; its log says why")?;
        if length == 0 {
            return Ok(());
        }
        to.write_all(&piece[..length])?;
        progress.add(length);
    }
}

pub(crate) fn restore(global: &Global, args: &RestoreArgs) -> Result<ExitCode, Failure> {
    let contents = match named(&args.file) {
        Some(path) => {
            let file = File::open(path)
                .with_context(|| format!("cannot read {}", path.display()))
                .map_err(Failure::usage)?;
            unpack(file, &global.data)
        }
        None => unpack(io::stdin().lock(), &global.data),
    };
    let contents = contents.map_err(|error| match error {
        RestoreError::NotEmpty(_) => Failure::usage(error),
        RestoreError::Damaged(_) | RestoreError::Newer(_) => Failure::data(error),
        error => error.into(),
    })?;
    let bytes: u64 = contents.files.iter().map(|file| file.bytes).sum();
    let began = output::time(contents.began_ms);
    let line =
        format!("{} files, {bytes} bytes, as of {began}, in {}", contents.files.len(), global.data.display());
    let value = json!({
        "files": contents.files.len(), "bytes": bytes, "began_ms": contents.began_ms, "data": global.data,
    });
    Output::new(global.json).say(&value, &[line])?;
    Ok(ExitCode::SUCCESS)
}
