//! Which event files are open, and how many may be.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::file::{EventFile, Stop};
use super::lock::DirLock;
use super::{Options, disk, keeper};
use crate::events::EventError;
use crate::id::ServerId;

/// How long a file may wait for another to be closed for it.
const SLOT_WAIT: Duration = Duration::from_secs(10);
/// How often it looks for one that nobody needs.
const SLOT_LOOK: Duration = Duration::from_millis(20);
/// Less memory than this, and an engine can do nothing at all.
const LEAST_MEMORY: u64 = 32 << 20;

/// The event files of one data directory.
pub(super) struct Registry {
    pub(super) dir: PathBuf,
    pub(super) options: Options,
    files: Mutex<Files>,
    slots: Arc<Slots>,
    /// Let go of when the last file is closed.
    lock: Mutex<Option<DirLock>>,
}

#[derive(Default)]
struct Files {
    current: HashMap<ServerId, Arc<EventFile>>,
    /// Ids are never used again, so what was deleted stays deleted.
    deleted: HashSet<ServerId>,
    closed: bool,
}

impl Registry {
    pub(super) fn new(dir: PathBuf, options: Options, lock: DirLock) -> Self {
        Self { dir, options, files: Mutex::default(), slots: Arc::default(), lock: Mutex::new(Some(lock)) }
    }

    /// The server's file, opened or being opened.
    pub(super) fn file(self: &Arc<Self>, server: ServerId) -> Result<Arc<EventFile>, EventError> {
        let mut files = self.files.lock();
        if files.closed {
            return Err(shutting_down());
        }
        if files.deleted.contains(&server) {
            return Err(EventError::Deleted);
        }
        let before = files.current.get(&server).cloned();
        if let Some(file) = &before
            && !file.has_ended()
        {
            return Ok(Arc::clone(file));
        }
        let path = disk::path(&self.dir, server);
        let file = Arc::new(EventFile::new(server, path, self.options.queue_payloads));
        let (own, registry) = (Arc::clone(&file), Arc::clone(self));
        std::thread::Builder::new()
            .name("mcpulse-events".to_owned())
            .spawn(move || keeper::run(&own, before, &registry))
            .map_err(|error| EventError::Unavailable(format!("no thread for a writer: {error}")))?;
        files.current.insert(server, Arc::clone(&file));
        Ok(file)
    }

    /// The server's file for reading; `None` when it has none.
    pub(super) fn existing(self: &Arc<Self>, server: ServerId) -> Result<Option<Arc<EventFile>>, EventError> {
        let known = {
            let files = self.files.lock();
            files.closed || files.deleted.contains(&server) || files.current.contains_key(&server)
        };
        if known || disk::path(&self.dir, server).exists() { self.file(server).map(Some) } else { Ok(None) }
    }

    /// Whether the server was deleted.
    pub(super) fn is_deleted(&self, server: ServerId) -> bool {
        self.files.lock().deleted.contains(&server)
    }

    /// Forgets a file whose thread ends.
    pub(super) fn forget(&self, file: &Arc<EventFile>) {
        let mut files = self.files.lock();
        if files.current.get(&file.server).is_some_and(|current| Arc::ptr_eq(current, file)) {
            files.current.remove(&file.server);
        }
    }

    /// Removes a server's file; waits for its readers and its writer.
    pub(super) fn delete(&self, server: ServerId) -> Result<(), EventError> {
        let open = {
            let mut files = self.files.lock();
            if files.closed {
                return Err(shutting_down());
            }
            // From here on nothing opens it again, so the batches under way cannot bring it back.
            files.deleted.insert(server);
            files.current.get(&server).cloned()
        };
        if let Some(file) = open {
            file.stop(Stop::Delete);
            file.wait_closed();
        }
        let path = disk::path(&self.dir, server);
        disk::remove(&path)
            .and_then(|()| disk::remove(&path.with_extension("new")))
            .map_err(|error| EventError::Engine(format!("the event file cannot be removed: {error}")))
    }

    /// Lets every writer write what waits, and closes the files.
    pub(super) fn close(&self) {
        let open: Vec<_> = {
            let mut files = self.files.lock();
            files.closed = true;
            files.current.values().cloned().collect()
        };
        for file in &open {
            file.stop(Stop::Close);
        }
        for file in open {
            file.wait_closed();
        }
        *self.lock.lock() = None;
    }

    /// A place among the open files; closes the longest unused one if there is none.
    pub(super) fn slot(&self) -> Result<Slot, EventError> {
        let until = Instant::now() + SLOT_WAIT;
        loop {
            if let Some(slot) = Slot::take(&self.slots, self.options.max_open_files) {
                return Ok(slot);
            }
            if Instant::now() >= until {
                return Err(EventError::Unavailable("too many event files are in use".to_owned()));
            }
            self.evict();
            self.slots.wait(SLOT_LOOK);
        }
    }

    fn evict(&self) {
        let files: Vec<_> = self.files.lock().current.values().cloned().collect();
        let longest = files
            .iter()
            .filter_map(|file| file.unused_since().map(|since| (since, file)))
            .min_by_key(|(since, _)| *since);
        if let Some((_, file)) = longest {
            file.stop_if_unused();
        }
    }

    /// What each open file may use, so that all together stay within the limit. It changes only when the number of
    /// files doubles or halves.
    pub(super) fn memory_share(&self) -> u64 {
        let open = self.slots.taken.load(Ordering::Relaxed).max(1).next_power_of_two();
        let open = u64::try_from(open).unwrap_or(u64::MAX);
        (self.options.memory_bytes / open).max(LEAST_MEMORY)
    }
}

fn shutting_down() -> EventError {
    EventError::Unavailable("shutting down".to_owned())
}

#[derive(Default)]
struct Slots {
    taken: AtomicUsize,
    freed: Condvar,
    waiting: Mutex<()>,
}

impl Slots {
    fn wait(&self, at_most: Duration) {
        self.freed.wait_for(&mut self.waiting.lock(), at_most);
    }
}

/// A place among the open files.
pub(super) struct Slot(Arc<Slots>);

impl Slot {
    fn take(slots: &Arc<Slots>, most: usize) -> Option<Self> {
        let more = |taken: usize| (taken < most.max(1)).then_some(taken + 1);
        slots.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(Arc::clone(slots)))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
        self.0.freed.notify_all();
    }
}
