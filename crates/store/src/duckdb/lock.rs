//! The lock on a data directory: one process writes its event files.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::events::EventError;

const LOCK: &str = "mcpulse.lock";

/// How often taking the lock is tried, and how long is waited in between.
const TRIES: u32 = 5;
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// Held as long as any event file of the directory is open. The operating system lets go of it when a process ends.
pub(super) struct DirLock {
    _file: File,
}

impl DirLock {
    pub(super) fn take(data_dir: &Path) -> Result<Self, EventError> {
        let path = data_dir.join(LOCK);
        let failed = |error| EventError::Engine(format!("cannot lock {}: {error}", path.display()));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                // Somebody may only look whether it is held.
                Err(TryLockError::WouldBlock) => pause(),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(EventError::InUse { path: data_dir.to_path_buf() })
    }
}

#[allow(clippy::disallowed_methods, reason = "a store is opened before anything runs on the runtime")]
fn pause() {
    std::thread::sleep(TRY_AGAIN);
}

/// Whether a process works on a data directory.
///
/// # Errors
/// When that cannot be found out.
pub fn is_in_use(data_dir: &Path) -> Result<bool, EventError> {
    let path = data_dir.join(LOCK);
    let failed = |error| EventError::Engine(format!("cannot look at {}: {error}", path.display()));
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}
