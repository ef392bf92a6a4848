//! One session and one ring for each process and destination.

mod batch;
mod core;
mod registry;
mod sender;

#[cfg(test)]
mod tests;

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Instant;

pub(crate) use batch::{BODY_MAX, session_id};
pub(crate) use registry::{Handle, flush_all, open};

use self::core::Core;
use crate::agreements::Latest;
use crate::conversations::Conversations;
use mcpulse_wire::hash::Hash12;

use crate::event::{Event, Surface};
use crate::guard::{lock, lock_until};
use crate::losses::Losses;
#[cfg(feature = "rmcp")]
use crate::rmcp::Memory;
use crate::transport::Transport;

/// Where payloads go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Destination {
    pub(crate) endpoint: String,
    pub(crate) key: String,
}

/// How they get there.
#[derive(Clone)]
pub(crate) enum Carrier {
    /// A client of our own, made anew in each process: a connection must not be shared across a fork.
    #[cfg(feature = "http")]
    Http,
    Custom(Arc<dyn Transport>),
}

/// Everything that calls to one destination share, followed across forks.
pub(crate) struct Stream {
    destination: Destination,
    carrier: Carrier,
    debug: AtomicBool,
    closed: AtomicBool,
    first: Run,
}

/// The part of a stream that belongs to one process.
pub(crate) struct Run {
    pid: u32,
    session: Arc<str>,
    core: Mutex<Core>,
    /// Wakes the sender.
    work: Condvar,
    /// Wakes who waits in [`Stream::flush`].
    progress: Condvar,
    has_sender: AtomicBool,
    /// Random ids of conversations.
    pub(crate) conversations: Conversations,
    /// Latest values of fields declared to agree.
    pub(crate) latest: Latest,
    /// What the adapter for an MCP SDK has to remember between requests.
    #[cfg(feature = "rmcp")]
    pub(crate) memory: Memory,
    /// The same in a forked child. A lock taken by another thread at the moment of the fork stays taken in the
    /// child for ever, so the child never touches its parent's: it makes its own here.
    child: OnceLock<Option<Box<Run>>>,
}

impl Run {
    fn new() -> Option<Self> {
        Some(Self {
            pid: process::id(),
            session: batch::session_id()?,
            core: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            has_sender: AtomicBool::new(false),
            conversations: Conversations::default(),
            latest: Latest::default(),
            #[cfg(feature = "rmcp")]
            memory: Memory::default(),
            child: OnceLock::new(),
        })
    }

    /// The id that everything carries which belongs to no named conversation.
    pub(crate) fn session(&self) -> &Arc<str> {
        &self.session
    }
}

impl Stream {
    fn new(destination: Destination, carrier: Carrier) -> Option<Self> {
        Some(Self {
            destination,
            carrier,
            debug: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            first: Run::new()?,
        })
    }

    /// The run of this process. `None` in a forked child that gets no random bytes.
    pub(crate) fn run(&self) -> Option<&Run> {
        let pid = process::id();
        let mut run = &self.first;
        while run.pid != pid {
            run = run.child.get_or_init(|| Run::new().map(Box::new)).as_deref()?;
        }
        Some(run)
    }

    /// Adds a payload to the ring. Returns at once.
    pub(crate) fn push(self: &Arc<Self>, event: Event) {
        let Some(run) = self.run() else { return };
        let wake = lock(&run.core).push(event, Instant::now());
        self.wake(run, wake);
    }

    /// Makes `surface` the newest, unless this session has sent it.
    pub(crate) fn surface(self: &Arc<Self>, surface: Surface) {
        let Some(run) = self.run() else { return };
        let wake = lock(&run.core).surface(surface, Instant::now());
        self.wake(run, wake);
    }

    /// Whether this session has this surface already.
    pub(crate) fn knows(&self, fingerprint: &Hash12) -> bool {
        self.run().is_none_or(|run| lock(&run.core).knows(fingerprint))
    }

    fn wake(self: &Arc<Self>, run: &Run, wake: bool) {
        if !run.has_sender.load(Ordering::Relaxed) {
            sender::start(self, run);
        }
        if wake {
            run.work.notify_one();
        }
    }

    /// The counts so far.
    pub(crate) fn losses(&self) -> Losses {
        self.run().map(|run| *lock(&run.core).losses()).unwrap_or_default()
    }

    /// Counts something that was not recorded.
    pub(crate) fn count(&self, add: impl FnOnce(&mut Losses)) {
        if let Some(run) = self.run() {
            add(lock(&run.core).losses());
        }
    }

    /// Sends what there is and waits until it has been tried, at most until `deadline`. True when nothing is
    /// left to be sent.
    pub(crate) fn flush(self: &Arc<Self>, deadline: Instant) -> bool {
        let Some(run) = self.run() else { return false };
        let mut core = lock(&run.core);
        if !core.is_drained(Instant::now()) {
            core.hurry();
            self.wake(run, true);
        }
        loop {
            let now = Instant::now();
            if core.is_drained(now) {
                return core.losses().waiting == 0;
            }
            let Some(left) = deadline.checked_duration_since(now).filter(|left| !left.is_zero()) else {
                return false;
            };
            core = match run.progress.wait_timeout(core, left) {
                Ok((core, _)) => core,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Asks for everything to be sent, at the end of the process. A signal handler that ends the process may
    /// have interrupted the very thread that holds the lock, so this gives up rather than waits.
    fn hurry_at_exit(self: &Arc<Self>, deadline: Instant) -> bool {
        let Some(run) = self.run() else { return false };
        let Some(mut core) = lock_until(&run.core, deadline) else { return false };
        if !core.is_drained(Instant::now()) {
            core.hurry();
            self.wake(run, true);
        }
        true
    }

    /// Ends the sender once it has tried what is left. Only for streams that nothing can reach any more.
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(run) = self.run() {
            lock(&run.core).hurry();
            run.work.notify_one();
        }
    }

    /// `debug` of any producer to this destination makes all of it visible.
    pub(crate) fn set_debug(&self, debug: bool) {
        if debug {
            self.debug.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn debugs(&self) -> bool {
        self.debug.load(Ordering::Relaxed)
    }
}
