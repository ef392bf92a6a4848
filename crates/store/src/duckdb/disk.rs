//! What belongs to an event file on disk.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::id::ServerId;

/// What the engine's logs end with.
const LOGS: [&str; 3] = [".wal", ".wal.checkpoint", ".wal.recovery"];

/// Where the events of a server are.
pub(super) fn path(dir: &Path, server: ServerId) -> PathBuf {
    dir.join(format!("{server}.duckdb"))
}

/// Where the engine of a file may write other files: copies, exports, and what is to take the file's place. What is in
/// it when the file is opened was left there by a process that ended early.
pub(super) fn work_dir(path: &Path) -> PathBuf {
    path.with_extension("work")
}

/// The same for what stands for the file of a server without one.
pub(super) fn empty_work_dir(dir: &Path) -> PathBuf {
    dir.join("empty.work")
}

/// Makes the directory empty. It is made anew by whoever needs it.
pub(super) fn clear_work(path: &Path) -> io::Result<()> {
    ignore_missing(fs::remove_dir_all(work_dir(path)))
}

/// Length of the write-ahead log, and a number that changes when the log is made anew. `None`: there is no log.
pub(super) fn log(path: &Path) -> io::Result<Option<(u64, u64)>> {
    match fs::metadata(beside(path, ".wal")) {
        Ok(found) => Ok(Some((found.len(), inode(&found)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether there is a log of any kind beside an event file.
pub(super) fn has_log(path: &Path) -> io::Result<bool> {
    for end in LOGS {
        if beside(path, end).try_exists()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes the names in a directory durable. Syncing a file leaves open whether its name outlives a power cut.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    // Elsewhere a directory cannot be opened for this, and names are durable with their files.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Removes everything of an event file that is not open. The log goes first: a file without its log is older,
/// but a log without its file would be replayed into another.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    for end in LOGS.into_iter().chain([""]) {
        ignore_missing(fs::remove_file(beside(path, end)))?;
    }
    ignore_missing(fs::remove_dir_all(beside(path, ".tmp")))?;
    clear_work(path)?;
    path.parent().map_or(Ok(()), sync_dir)
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}

#[cfg(unix)]
fn inode(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
