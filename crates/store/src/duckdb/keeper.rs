//! The thread that owns an event file: the only one that writes it, checkpoints it and closes it.

use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;
use tracing::{debug, error, warn};

use super::disk;
use super::file::{EventFile, Next, Replacing, Waiting};
use super::registry::{Registry, Slot};
use super::rewrite::Rewrite;
use super::schema::{self, Limits};
use super::settle::{Pass, Settler};
use super::writer::Writer;
use crate::events::{Appended, EventError, Forgotten, NewBatch};

/// How often the thread looks around when nothing comes.
const TICK: Duration = Duration::from_secs(1);
/// A log of a file that was not written for this long is folded in, so that opening it again is quick.
const CHECKPOINT_AFTER: Duration = Duration::from_secs(10);
/// While writers wait, a checkpoint waits too, until the log is this many times too long.
const BUSY_LOG: u64 = 4;
/// After a failed checkpoint or a failed opening, the next try.
const RETRY: Duration = Duration::from_secs(5);

/// Readers have this long to end before a new file takes the place of theirs.
const READERS_END: Duration = Duration::from_secs(3);

/// What arrived is worked out when it is this much, or this old: until then every question works it out for itself.
const WORK_OUT: i64 = 1_000;
const WORK_OUT_AFTER: Duration = Duration::from_secs(20);
/// Payloads that one pass works out while writers wait for it to end, and while none does.
const PASS_BUSY: i64 = 5_000;
const PASS_QUIET: i64 = 100_000;

/// Batches that fail one after another until the rest of their group is refused unseen.
const GIVE_UP: usize = 3;

type Answer = oneshot::Sender<Result<Appended, EventError>>;

/// Runs the thread of a file to its end. `after`: the file's earlier life, which must be over first.
pub(super) fn run(file: &Arc<EventFile>, after: Option<Arc<EventFile>>, registry: &Arc<Registry>) {
    // However this thread ends, nobody waits for it in vain.
    let _ended = Ended { file, registry };
    if let Some(before) = after {
        before.wait_closed();
    }
    let mut keeper = match registry.slot().and_then(|slot| Keeper::open(file, registry, slot)) {
        Ok(keeper) => keeper,
        Err(failure) => {
            warn!(server = %file.server, error = %failure, "an event file cannot be opened");
            file.failed(&failure);
            // Everyone is told so for a while; whoever comes afterwards makes another try.
            file.next(RETRY);
            return;
        }
    };
    loop {
        match file.next(if keeper.passed.more { Duration::ZERO } else { TICK }) {
            Next::Write(waiting) => keeper.write(waiting),
            Next::Replace(replacing) => keeper.replace(*replacing),
            Next::Idle => keeper.idle(),
            Next::Stop => break,
        }
        keeper.settle();
    }
    keeper.close();
}

struct Ended<'a> {
    file: &'a Arc<EventFile>,
    registry: &'a Arc<Registry>,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.file.closed();
        self.registry.forget(self.file);
    }
}

struct Keeper<'a> {
    file: &'a Arc<EventFile>,
    registry: &'a Arc<Registry>,
    /// `None` after a failure, until the file is open again.
    writer: Option<Writer>,
    /// Bytes of memory the engine was allowed.
    memory_bytes: u64,
    /// The log whose name is known to be durable.
    durable_log: Option<u64>,
    last_write: Instant,
    settler: Settler,
    /// What the last pass did, when, and up to where there was something to do.
    passed: Pass,
    passed_at: Instant,
    passed_seq: i64,
    /// Not before this is tried again what failed.
    retry: Instant,
    _slot: Slot,
}

impl<'a> Keeper<'a> {
    fn open(file: &'a Arc<EventFile>, registry: &'a Arc<Registry>, slot: Slot) -> Result<Self, EventError> {
        let now = Instant::now();
        let mut keeper = Self {
            file,
            registry,
            writer: None,
            memory_bytes: registry.memory_share(),
            durable_log: None,
            last_write: now,
            settler: Settler::default(),
            // What is in the file may not have been worked out.
            passed: Pass { worked: true, more: true, open: true },
            passed_at: now,
            passed_seq: 0,
            retry: now,
            _slot: slot,
        };
        keeper.open_writer()?;
        Ok(keeper)
    }

    fn open_writer(&mut self) -> Result<(), EventError> {
        self.memory_bytes = self.registry.memory_share();
        let limits = Limits { threads: self.registry.options.threads, memory_bytes: self.memory_bytes };
        // Nobody has the file open, so nobody works there.
        disk::clear_work(&self.file.path).map_err(|error| EventError::Unavailable(error.to_string()))?;
        let conn = schema::open_file(&self.file.path, limits)?;
        let template = conn.try_clone()?;
        let writer = Writer::new(conn)?;
        // A new file is there after a power cut only when its directory says so.
        self.sync_dir()?;
        self.durable_log = None;
        self.writer = Some(writer);
        self.file.opened(template);
        debug!(server = %self.file.server, "event file opened");
        Ok(())
    }

    /// Commits a group, and tells everyone in it.
    fn write(&mut self, waiting: Vec<Waiting>) {
        let (batches, askers): (Vec<NewBatch>, Vec<Answer>) =
            waiting.into_iter().map(|waiting| (waiting.batch, waiting.answer)).unzip();
        match self.commit(&batches) {
            Ok(answers) => {
                for (asker, answer) in askers.into_iter().zip(answers) {
                    tell(asker, Ok(answer));
                }
            }
            Err(_) if batches.len() > 1 => self.write_singly(&batches, askers),
            Err(failure) => {
                for asker in askers {
                    tell(asker, Err(failure.clone()));
                }
            }
        }
        self.last_write = Instant::now();
        self.checkpoint_when_long();
        self.take_memory_share();
    }

    /// Commits each batch on its own: what failed may be one of them, or their number. The group may have been
    /// stored though it failed (its log's name was not durable), so a batch is tried again only if its idempotency
    /// key keeps it from being stored twice.
    fn write_singly(&mut self, batches: &[NewBatch], askers: Vec<Answer>) {
        let mut failures = 0;
        for (asker, batch) in askers.into_iter().zip(batches) {
            let may_try = failures < GIVE_UP && batch.idempotency_key.is_some();
            let answer = if may_try { self.commit(slice::from_ref(batch)) } else { Err(cannot_write()) };
            failures = if answer.is_ok() { 0 } else { failures + usize::from(may_try) };
            tell(asker, answer.and_then(|answers| answers.into_iter().next().ok_or_else(cannot_write)));
        }
    }

    fn commit(&mut self, batches: &[NewBatch]) -> Result<Vec<Appended>, EventError> {
        if self.writer.is_none() {
            self.reopen()?;
        }
        let Some(writer) = &mut self.writer else { return Err(cannot_write()) };
        let done = writer.commit(batches).and_then(|answers| {
            self.log_is_durable()?;
            Ok(answers)
        });
        done.map_err(|failure| {
            error!(server = %self.file.server, error = %failure, "a commit failed");
            // What the engine holds in memory is not to be trusted now; what is in the file is.
            self.let_go(false);
            self.retry = Instant::now();
            cannot_write()
        })
    }

    /// A log made by this commit has a name that must outlive a power cut, as what is in it does.
    fn log_is_durable(&mut self) -> Result<(), EventError> {
        let log = disk::log(&self.file.path).map_err(|error| EventError::Engine(error.to_string()))?;
        let log = log.map(|(_, inode)| inode);
        if log != self.durable_log {
            self.sync_dir()?;
            self.durable_log = log;
        }
        Ok(())
    }

    fn sync_dir(&self) -> Result<(), EventError> {
        disk::sync_dir(&self.registry.dir).map_err(|error| EventError::Engine(error.to_string()))
    }

    /// Works out what is new, a bounded part at a time: commits wait meanwhile.
    fn settle(&mut self) {
        let Some(writer) = &self.writer else { return };
        let new = writer.last_seq() - self.passed_seq;
        let due = self.passed.more || new >= WORK_OUT || self.passed_at.elapsed() >= WORK_OUT_AFTER;
        // Sessions that are open are closed some time after their last call.
        let may_be_due = self.passed.more || new > 0 || self.passed.worked || self.passed.open;
        if !self.registry.options.settle || !due || !may_be_due || Instant::now() < self.retry {
            return;
        }
        let most = if self.file.is_quiet() { PASS_QUIET } else { PASS_BUSY };
        let upto = writer.last_seq();
        match self.settler.pass(writer.connection(), now_ms(), most, || Ok(())) {
            Ok(passed) => {
                self.passed = passed;
                self.passed_seq = upto;
                if passed.worked {
                    self.last_write = Instant::now();
                    self.checkpoint_when_long();
                }
            }
            Err(failure) => {
                warn!(server = %self.file.server, error = %failure, "what is settled cannot be worked out");
                self.passed = Pass { more: false, ..self.passed };
                self.retry = Instant::now() + RETRY;
                if !writer.works() {
                    self.let_go(false);
                }
            }
        }
        self.passed_at = Instant::now();
    }

    /// Opens the file again after a failure. Until that works, everyone who comes is told why.
    fn reopen(&mut self) -> Result<(), EventError> {
        if Instant::now() < self.retry {
            return Err(cannot_write());
        }
        self.open_writer().inspect_err(|failure| {
            warn!(server = %self.file.server, error = %failure, "an event file cannot be opened again");
            self.file.failed(failure);
            self.retry = Instant::now() + RETRY;
        })
    }

    /// Lets a new file take this one's place. Whatever fails, the file goes on: the old one or the new one.
    fn replace(&mut self, replacing: Replacing) {
        let Replacing { rewrite, answer } = replacing;
        let done = self.try_replace(&rewrite).inspect_err(|failure| {
            warn!(server = %self.file.server, error = %failure, "an event file could not be rewritten");
            rewrite.remove();
        });
        // Whoever asked may have gone.
        drop(answer.send(done));
    }

    fn try_replace(&mut self, rewrite: &Rewrite) -> Result<Forgotten, EventError> {
        let writer = self.writer.as_ref().ok_or_else(cannot_write)?;
        // Not the writer's own connection: a statement that fails must leave nothing behind on it.
        let conn = writer.connection().try_clone()?;
        if let Err(failure) = rewrite.finish(&conn) {
            rewrite.give_up(&conn);
            return Err(failure);
        }
        drop(conn);
        self.file.let_go_within(false, READERS_END);
        // The engine folds the log in and closes the file.
        self.writer = None;
        let done = rewrite.take_place(&self.file.path);
        self.retry = Instant::now();
        // Its failure is logged, and told to whoever comes; the next look tries again.
        drop(self.reopen());
        done
    }

    /// What is done when nothing comes.
    fn idle(&mut self) {
        if self.writer.is_none() {
            // Its failure is logged, and told to whoever comes.
            drop(self.reopen());
        }
        self.take_memory_share();
        if self.last_write.elapsed() >= CHECKPOINT_AFTER {
            self.checkpoint_when(|log| log > 0);
        }
        if self.file.unused_since().is_some_and(|since| since.elapsed() >= self.registry.options.idle_close) {
            self.file.stop_if_unused();
        }
    }

    fn checkpoint_when_long(&mut self) {
        let most = self.registry.options.checkpoint_wal_bytes;
        let quiet = self.file.is_quiet();
        self.checkpoint_when(|log| log >= if quiet { most } else { most.saturating_mul(BUSY_LOG) });
    }

    /// Folds the log into the file if its length asks for it. Commits wait meanwhile, which is why the engine does
    /// not choose the moment itself.
    fn checkpoint_when(&mut self, due: impl FnOnce(u64) -> bool) {
        let Some(writer) = &self.writer else { return };
        let log = disk::log(&self.file.path).ok().flatten();
        if Instant::now() < self.retry || !log.is_some_and(|(length, _)| due(length)) {
            return;
        }
        self.durable_log = None;
        if let Err(failure) = writer.checkpoint() {
            warn!(server = %self.file.server, error = %failure, "a checkpoint failed");
            self.retry = Instant::now() + RETRY;
            // The engine gives a file up when it fails halfway through one.
            if !writer.works() {
                self.let_go(false);
            }
        }
    }

    fn take_memory_share(&mut self) {
        let share = self.registry.memory_share();
        if let Some(writer) = &self.writer
            && share != self.memory_bytes
        {
            match schema::set_memory(writer.connection(), share) {
                Ok(()) => self.memory_bytes = share,
                // Queries hold more at this moment; the next look tries again.
                Err(failure) => {
                    debug!(server = %self.file.server, error = %failure, "memory not given back yet")
                }
            }
        }
    }

    /// Closes the engine's file: with its last connection it makes a checkpoint.
    fn let_go(&mut self, finally: bool) {
        self.file.let_go(finally);
        self.writer = None;
    }

    fn close(mut self) {
        self.let_go(true);
        debug!(server = %self.file.server, "event file closed");
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn cannot_write() -> EventError {
    EventError::Unavailable("the event file cannot be written".to_owned())
}

fn tell(asker: Answer, answer: Result<Appended, EventError>) {
    // Whoever asked may have gone; what was stored stays stored.
    drop(asker.send(answer));
}
