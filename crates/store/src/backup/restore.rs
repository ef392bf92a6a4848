//! A backup becomes a data directory again: all of it, or nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::tar::{self, BLOCK};
use super::{CONTROL, Contents, Entry, FORMAT, LIST, PIECE, hex};
use crate::id::ServerId;

/// A directory in a data directory that holds what is not yet restored. While it is there the rest is not whole.
pub const UNFINISHED: &str = "restoring";

/// The longest list of a backup.
const MAX_LIST: u64 = 256 << 20;

/// Why a backup was not restored; nothing is left of it.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The directory holds something.
    #[error("the directory {} is not empty, and nothing in it is overwritten", .0.display())]
    NotEmpty(PathBuf),
    /// The file is no backup, or not a whole one.
    #[error("this is no whole backup: {0}")]
    Damaged(String),
    /// A newer program made it.
    #[error("the backup is of format {0}, and this program knows formats up to {FORMAT}")]
    Newer(u32),
    /// Reading or writing failed.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

type Result<T> = std::result::Result<T, RestoreError>;

/// Restores a backup into a directory that is empty or not there. What it holds counts once it is whole and every byte
/// has been checked.
///
/// # Errors
/// When the directory is not empty, the backup not whole, or writing fails; nothing is left of it then.
pub fn restore(backup: impl Read, dir: &Path) -> Result<Contents> {
    let io = |error| RestoreError::Io(format!("cannot write {}", dir.display()), error);
    let made = !dir.try_exists().map_err(io)?;
    crate::dir::create(dir).map_err(io)?;
    if dir.read_dir().map_err(io)?.next().is_some() {
        return Err(RestoreError::NotEmpty(dir.to_owned()));
    }
    let unfinished = dir.join(UNFINISHED);
    let done = unpack(backup, &unfinished).and_then(|contents| {
        // The control store last: with it the directory is one that a server works on.
        for name in ["events", CONTROL] {
            fs::rename(unfinished.join(name), dir.join(name)).map_err(io)?;
        }
        fs::remove_dir(&unfinished).map_err(io)?;
        sync(dir).map_err(io)?;
        Ok(contents)
    });
    if done.is_err() {
        // What cannot be removed is found by whoever looks into the directory; the reason is the first failure.
        let _ = fs::remove_dir_all(&unfinished);
        if made {
            let _ = fs::remove_dir(dir);
        }
    }
    done
}

/// Writes the files below a new directory and checks them against the list.
fn unpack(backup: impl Read, dir: &Path) -> Result<Contents> {
    let mut backup = BufReader::with_capacity(PIECE, backup);
    let events = dir.join("events");
    crate::dir::create(&events).map_err(|error| RestoreError::Io(events.display().to_string(), error))?;
    let mut found = Vec::new();
    let mut list: Option<Contents> = None;
    loop {
        let head = block(&mut backup)?;
        if head == [0; BLOCK] {
            break;
        }
        let (path, bytes) =
            tar::read_head(&head).ok_or_else(|| damaged("it is no archive, or it is damaged"))?;
        if list.is_some() {
            return Err(damaged("something follows its list"));
        }
        if path == LIST {
            list = Some(read_list(&mut backup, bytes)?);
        } else if is_known(&path) && !found.iter().any(|one: &Entry| one.path == path) {
            found.push(unpack_file(&mut backup, dir, path, bytes)?);
        } else {
            return Err(damaged("it holds a file that no backup holds"));
        }
        let mut padding = vec![0; tar::padding(bytes)];
        backup.read_exact(&mut padding).map_err(|error| cut(&error))?;
    }
    let list = list.ok_or_else(|| damaged("its list is missing"))?;
    if list.files != found || !found.iter().any(|file| file.path == CONTROL) {
        return Err(damaged("its files are not those of its list"));
    }
    for dir in [&events, dir] {
        sync(dir).map_err(|error| RestoreError::Io(dir.display().to_string(), error))?;
    }
    Ok(list)
}

/// Nothing but what a data directory holds, wherever a path may lead.
fn is_known(path: &str) -> bool {
    let server = path.strip_prefix("events/").and_then(|name| name.strip_suffix(".duckdb"));
    path == CONTROL
        || server.is_some_and(|id| id.parse::<ServerId>().is_ok_and(|server| server.to_string() == id))
}

fn unpack_file(backup: &mut impl BufRead, dir: &Path, path: String, bytes: u64) -> Result<Entry> {
    let target = dir.join(&path);
    let io = |error| RestoreError::Io(format!("cannot write {}", target.display()), error);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = options.open(&target).map_err(io)?;
    let mut hash = Sha256::new();
    let mut left = bytes;
    while left > 0 {
        let piece = backup.fill_buf().map_err(|error| cut(&error))?;
        let length = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            return Err(damaged("it ends early"));
        }
        file.write_all(&piece[..length]).map_err(io)?;
        hash.update(&piece[..length]);
        backup.consume(length);
        left -= length as u64;
    }
    file.sync_all().map_err(io)?;
    Ok(Entry { path, bytes, sha256: hex(&hash.finalize()) })
}

fn read_list(backup: &mut impl Read, bytes: u64) -> Result<Contents> {
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    if bytes > MAX_LIST {
        return Err(damaged("its list is too long"));
    }
    let mut text = vec![0; usize::try_from(bytes).unwrap_or_default()];
    backup.read_exact(&mut text).map_err(|error| cut(&error))?;
    let unreadable = |_| damaged("its list cannot be read");
    let Format { format } = serde_json::from_slice(&text).map_err(unreadable)?;
    if format > FORMAT {
        return Err(RestoreError::Newer(format));
    }
    serde_json::from_slice(&text).map_err(unreadable)
}

fn block(backup: &mut impl Read) -> Result<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    backup.read_exact(&mut block).map_err(|error| cut(&error))?;
    Ok(block)
}

fn cut(error: &io::Error) -> RestoreError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged("it ends early"),
        _ => damaged(&format!("it cannot be read: {error}")),
    }
}

fn damaged(what: &str) -> RestoreError {
    RestoreError::Damaged(what.to_owned())
}

fn sync(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}
