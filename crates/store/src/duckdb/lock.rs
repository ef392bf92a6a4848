//! The lock on a data directory: one process writes its event files.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::events::EventError;

/// Held as long as any event file of the directory is open. The operating system lets go of it when a process ends.
pub(super) struct DirLock {
    _file: File,
}

impl DirLock {
    pub(super) fn take(data_dir: &Path) -> Result<Self, EventError> {
        let path = data_dir.join("mcpulse.lock");
        let failed = |error| EventError::Engine(format!("cannot lock {}: {error}", path.display()));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(EventError::InUse { path: data_dir.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}
