//! One open event file as others see it: a queue for its writer, and connections for readers.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duckdb::{Connection, InterruptHandle};
use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use super::rewrite::Rewrite;
use crate::events::{Appended, EventError, Forgotten, NewBatch};
use crate::id::ServerId;

/// Connections kept for the next reader.
const IDLE_READERS: usize = 4;

/// A batch that waits to be written, and whom to tell.
pub(super) struct Waiting {
    pub(super) batch: NewBatch,
    pub(super) answer: oneshot::Sender<Result<Appended, EventError>>,
}

/// A new file that is to take this one's place, and whom to tell.
pub(super) struct Replacing {
    pub(super) rewrite: Rewrite,
    pub(super) answer: oneshot::Sender<Result<Forgotten, EventError>>,
}

/// Why a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// What waits is written first.
    Close,
    /// What waits is refused.
    Delete,
}

enum Phase {
    /// The thread opens the file: readers and writers wait.
    Opening,
    /// Where readers get their connections from.
    Open(Connection),
    /// It could not be opened; the thread tries again now and then.
    Failed(EventError),
    /// Nothing new is taken: whoever comes must ask for a new one.
    Closing,
    /// The engine has let go of the file.
    Closed,
}

struct State {
    phase: Phase,
    stop: Option<Stop>,
    queue: VecDeque<Box<Waiting>>,
    queued_payloads: usize,
    replacing: Option<Box<Replacing>>,
    idle_readers: Vec<Connection>,
    active_readers: HashMap<u64, Arc<InterruptHandle>>,
    next_reader: u64,
    last_used: Instant,
}

/// An event file and its thread.
pub(super) struct EventFile {
    pub(super) server: ServerId,
    pub(super) path: PathBuf,
    max_queued: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// What the thread of a file does next.
pub(super) enum Next {
    /// Write these, in this order.
    Write(Vec<Waiting>),
    /// Let a new file take this one's place.
    Replace(Box<Replacing>),
    /// Nothing came for a while.
    Idle,
    /// End, with nothing left in the queue.
    Stop,
}

/// The file takes nothing any more; a new one must be opened.
pub(super) struct Ended;

impl EventFile {
    pub(super) fn new(server: ServerId, path: PathBuf, max_queued: usize) -> Self {
        let state = State {
            phase: Phase::Opening,
            stop: None,
            queue: VecDeque::new(),
            queued_payloads: 0,
            replacing: None,
            idle_readers: Vec::new(),
            active_readers: HashMap::new(),
            next_reader: 0,
            last_used: Instant::now(),
        };
        Self { server, path, max_queued, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Puts a batch into the queue, and gives it back if the file has ended.
    pub(super) fn push(&self, waiting: Box<Waiting>) -> Result<Result<(), EventError>, Box<Waiting>> {
        let mut state = self.state.lock();
        match &state.phase {
            Phase::Closing | Phase::Closed => return Err(waiting),
            Phase::Failed(error) => return Ok(Err(error.clone())),
            Phase::Opening | Phase::Open(_) => {}
        }
        if state.stop.is_some() {
            return Err(waiting);
        }
        let weight = weight(&waiting.batch);
        // One batch always fits: it was bounded before.
        if state.queued_payloads + weight > self.max_queued && !state.queue.is_empty() {
            return Ok(Err(EventError::Unavailable(
                "too many payloads wait for this server's writer".to_owned(),
            )));
        }
        state.queued_payloads += weight;
        state.queue.push_back(waiting);
        state.last_used = Instant::now();
        drop(state);
        self.changed.notify_all();
        Ok(Ok(()))
    }

    /// Asks the writer to let a new file take this one's place, and gives it back if the file has ended.
    pub(super) fn replace(&self, replacing: Box<Replacing>) -> Result<(), Box<Replacing>> {
        let mut state = self.state.lock();
        if state.stop.is_some() || !matches!(state.phase, Phase::Open(_)) || state.replacing.is_some() {
            return Err(replacing);
        }
        state.replacing = Some(replacing);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// A connection for reading; waits while the file is being opened.
    pub(super) fn reader(self: &Arc<Self>) -> Result<Result<Reader, EventError>, Ended> {
        let mut state = self.state.lock();
        while matches!(state.phase, Phase::Opening) && state.stop != Some(Stop::Delete) {
            self.changed.wait(&mut state);
        }
        if state.stop.is_some() {
            return Err(Ended);
        }
        let fresh = match &state.phase {
            Phase::Opening | Phase::Closing | Phase::Closed => return Err(Ended),
            Phase::Failed(error) => return Ok(Err(error.clone())),
            Phase::Open(template) if state.idle_readers.is_empty() => Some(template.try_clone()),
            Phase::Open(_) => None,
        };
        let conn = match fresh.or_else(|| state.idle_readers.pop().map(Ok)) {
            Some(Ok(conn)) => conn,
            Some(Err(error)) => return Ok(Err(error.into())),
            None => return Err(Ended),
        };
        let number = state.next_reader;
        state.next_reader += 1;
        state.active_readers.insert(number, conn.interrupt_handle());
        state.last_used = Instant::now();
        Ok(Ok(Reader { file: Arc::clone(self), number, conn: Some(conn) }))
    }

    /// Tells the thread to stop. A deletion refuses what waits, at once.
    pub(super) fn stop(&self, stop: Stop) {
        let mut state = self.state.lock();
        if state.stop != Some(Stop::Delete) {
            state.stop = Some(stop);
        }
        if stop == Stop::Delete {
            refuse(&mut state, &EventError::Deleted);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Tells the thread to stop, unless somebody needs the file.
    pub(super) fn stop_if_unused(&self) -> bool {
        let mut state = self.state.lock();
        if !unused(&state) {
            return false;
        }
        state.stop = Some(Stop::Close);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// When the file was last used, if it is open and nobody needs it now.
    pub(super) fn unused_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        unused(&state).then_some(state.last_used)
    }

    /// Whether the file has ended, so that another must be opened after it.
    pub(super) fn has_ended(&self) -> bool {
        let state = self.state.lock();
        state.stop.is_some() || matches!(state.phase, Phase::Closing | Phase::Closed)
    }

    /// Waits until the engine has let go of the file.
    pub(super) fn wait_closed(&self) {
        let mut state = self.state.lock();
        while !matches!(state.phase, Phase::Closed) {
            self.changed.wait(&mut state);
        }
    }

    // What follows is for the file's thread.

    /// Waits for work, at most this long.
    pub(super) fn next(&self, wait: Duration) -> Next {
        let until = Instant::now() + wait;
        let mut state = self.state.lock();
        loop {
            // First, since under load the queue is never empty. A file that ends is not replaced before.
            if let Some(replacing) = state.replacing.take()
                && state.stop.is_none()
            {
                return Next::Replace(replacing);
            }
            if !state.queue.is_empty() {
                state.queued_payloads = 0;
                return Next::Write(state.queue.drain(..).map(|waiting| *waiting).collect());
            }
            if state.stop.is_some() {
                return Next::Stop;
            }
            if self.changed.wait_until(&mut state, until).timed_out() {
                return Next::Idle;
            }
        }
    }

    /// Whether nothing waits for the writer right now.
    pub(super) fn is_quiet(&self) -> bool {
        self.state.lock().queue.is_empty()
    }

    /// Lets readers in.
    pub(super) fn opened(&self, template: Connection) {
        self.set_phase(Phase::Open(template));
    }

    /// Answers everyone with an error from now on.
    pub(super) fn failed(&self, error: &EventError) {
        let mut state = self.state.lock();
        refuse(&mut state, error);
        state.phase = Phase::Failed(error.clone());
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the readers' connections away and waits until the last reader is gone: the engine closes the file with
    /// its last connection. `finally` says whether new ones may come later.
    pub(super) fn let_go(&self, finally: bool) {
        self.let_go_within(finally, Duration::ZERO);
    }

    /// The same, with some time for readers to end by themselves.
    pub(super) fn let_go_within(&self, finally: bool, patience: Duration) {
        let until = Instant::now() + patience;
        let mut state = self.state.lock();
        state.phase = if finally { Phase::Closing } else { Phase::Opening };
        state.idle_readers.clear();
        while !state.active_readers.is_empty() && state.stop != Some(Stop::Delete) {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        while !state.active_readers.is_empty() {
            // A reader may have been between two queries, where an interrupt is lost: so again and again.
            for reader in state.active_readers.values() {
                reader.interrupt();
            }
            self.changed.wait_for(&mut state, Duration::from_millis(10));
        }
    }

    /// The engine has let go of the file. Refuses what may still wait, which is nothing unless the thread failed.
    pub(super) fn closed(&self) {
        let mut state = self.state.lock();
        state.idle_readers.clear();
        refuse(&mut state, &EventError::Unavailable("the writer of this server has ended".to_owned()));
        state.phase = Phase::Closed;
        drop(state);
        self.changed.notify_all();
    }

    fn set_phase(&self, phase: Phase) {
        self.state.lock().phase = phase;
        self.changed.notify_all();
    }
}

/// Payloads count, and a batch of none still costs something.
fn weight(batch: &NewBatch) -> usize {
    batch.payloads.len().max(1)
}

fn unused(state: &MutexGuard<'_, State>) -> bool {
    matches!(state.phase, Phase::Open(_))
        && state.stop.is_none()
        && state.queue.is_empty()
        && state.replacing.is_none()
        && state.active_readers.is_empty()
}

fn refuse(state: &mut MutexGuard<'_, State>, error: &EventError) {
    state.queued_payloads = 0;
    // Its answer is dropped, which its asker hears.
    state.replacing = None;
    for waiting in state.queue.drain(..) {
        // Whoever asked may have gone.
        drop(waiting.answer.send(Err(error.clone())));
    }
}

/// A reader's connection; it goes back when the reader is done.
pub(super) struct Reader {
    file: Arc<EventFile>,
    number: u64,
    conn: Option<Connection>,
}

impl Reader {
    /// Where it reads.
    pub(super) fn file(&self) -> &Arc<EventFile> {
        &self.file
    }

    /// Runs queries that all see one state of the file and can change nothing in it.
    pub(super) fn run<T>(
        mut self,
        query: impl FnOnce(&Connection) -> Result<T, EventError>,
    ) -> Result<T, EventError> {
        let Some(conn) = self.conn.take() else { return Err(EventError::Engine("no connection".to_owned())) };
        conn.execute_batch("BEGIN TRANSACTION READ ONLY")?;
        let answer = query(&conn);
        // A connection that does not even end its transaction is not used again.
        if conn.execute_batch("ROLLBACK").is_ok() {
            self.conn = Some(conn);
        }
        answer
    }
}

impl Reader {
    /// Does something that needs more than a transaction that only reads. The connection is not used again.
    pub(super) fn work<T>(
        mut self,
        work: impl FnOnce(&Connection) -> Result<T, EventError>,
    ) -> Result<T, EventError> {
        let Some(conn) = self.conn.take() else { return Err(EventError::Engine("no connection".to_owned())) };
        work(&conn)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.file.state.lock();
        state.active_readers.remove(&self.number);
        let is_open = matches!(state.phase, Phase::Open(_));
        if let Some(conn) = self.conn.take()
            && is_open
            && state.idle_readers.len() < IDLE_READERS
        {
            state.idle_readers.push(conn);
        }
        drop(state);
        self.file.changed.notify_all();
    }
}
