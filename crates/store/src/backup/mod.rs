//! Backup and restore: one tar file with the control store, the event file of each server, and a list of them.
//!
//! A backup is read piece by piece while everything goes on, and holds every payload that was stored before it began:
//! each file in it is a copy made in one transaction. The control store is copied before the event files, so that no
//! event file is without its server; a server that goes meanwhile is left out.

mod restore;
mod tar;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use self::restore::{RestoreError, UNFINISHED, restore};
use crate::control::{ControlError, ControlStore};
use crate::events::EventError;
use crate::export::Exports;
use crate::id::ServerId;

/// The version of the list, and so of the whole.
const FORMAT: u32 = 1;
const LIST: &str = "backup.json";
const CONTROL: &str = "control.sqlite";

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    format: u32,
    /// When it was begun, milliseconds since 1970: payloads that were stored before are in it.
    pub began_ms: i64,
    /// Version of the program that made it.
    pub program: String,
    /// The files, in order.
    pub files: Vec<Entry>,
}

/// A file in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its path below the data directory.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    sha256: String,
}

/// Why a backup could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The control store failed.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The event store failed.
    #[error(transparent)]
    Events(#[from] EventError),
    /// A copy could not be read.
    #[error("a copy cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// A backup that is being made.
pub struct Backup {
    control: Arc<dyn ControlStore>,
    events: Arc<dyn Exports>,
    servers: VecDeque<ServerId>,
    next: Step,
    contents: Contents,
    copy: Option<Copy>,
}

#[derive(Clone, Copy)]
enum Step {
    Control,
    Events,
    List,
    Done,
}

/// A file on its way into the backup.
struct Copy {
    file: File,
    path: String,
    bytes: u64,
    left: u64,
    hash: Sha256,
}

impl Backup {
    /// Begins a backup at that time.
    ///
    /// # Errors
    /// When the control store fails.
    pub async fn begin(
        control: Arc<dyn ControlStore>,
        events: Arc<dyn Exports>,
        now_ms: i64,
    ) -> Result<Self, BackupError> {
        let servers = control.all_servers().await?.into();
        let contents = Contents {
            format: FORMAT,
            began_ms: now_ms,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            files: Vec::new(),
        };
        Ok(Self { control, events, servers, next: Step::Control, contents, copy: None })
    }

    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// When a store fails. What came before is then no backup.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, BackupError> {
        loop {
            if let Some(copy) = self.copy.take() {
                return self.read(copy).await.map(Some);
            }
            let (file, path) = match self.next {
                Step::Control => {
                    self.next = Step::Events;
                    (self.control.copy().await?, CONTROL.to_owned())
                }
                Step::Events => {
                    let Some(server) = self.servers.pop_front() else {
                        self.next = Step::List;
                        continue;
                    };
                    match self.events.copy(server).await {
                        Ok(Some(file)) => (file, format!("events/{server}.duckdb")),
                        // Nothing was sent, or it was deleted meanwhile.
                        Ok(None) | Err(EventError::Deleted) => continue,
                        Err(error) => return Err(error.into()),
                    }
                }
                Step::List => {
                    self.next = Step::Done;
                    return self.list().map(Some);
                }
                Step::Done => return Ok(None),
            };
            let bytes = file.metadata()?.len();
            let head = tar::head(&path, bytes);
            self.copy = Some(Copy { file, path, bytes, left: bytes, hash: Sha256::new() });
            return Ok(Some(head.to_vec()));
        }
    }

    async fn read(&mut self, copy: Copy) -> Result<Vec<u8>, BackupError> {
        // Reading waits for the disk, so it leaves the async threads.
        let read = tokio::task::spawn_blocking(move || read_piece(copy)).await;
        let (mut copy, mut piece) = read.map_err(io::Error::other)??;
        copy.hash.update(&piece);
        if copy.left > 0 {
            self.copy = Some(copy);
            return Ok(piece);
        }
        piece.resize(piece.len() + tar::padding(copy.bytes), 0);
        let sha256 = hex(&copy.hash.finalize());
        self.contents.files.push(Entry { path: copy.path, bytes: copy.bytes, sha256 });
        Ok(piece)
    }

    /// The list of what is in the backup, and its end.
    fn list(&self) -> Result<Vec<u8>, BackupError> {
        let list = serde_json::to_vec_pretty(&self.contents).map_err(io::Error::other)?;
        let mut piece = tar::head(LIST, list.len() as u64).to_vec();
        piece.extend_from_slice(&list);
        piece.resize(piece.len() + tar::padding(list.len() as u64), 0);
        piece.extend_from_slice(&tar::END);
        Ok(piece)
    }
}

fn read_piece(mut copy: Copy) -> io::Result<(Copy, Vec<u8>)> {
    let wanted = usize::try_from(copy.left).unwrap_or(usize::MAX).min(PIECE);
    let mut piece = vec![0; wanted];
    copy.file.read_exact(&mut piece)?;
    copy.left -= wanted as u64;
    Ok((copy, piece))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
