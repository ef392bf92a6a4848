//! Which streams there are.

use std::collections::HashMap;
use std::process;
use std::sync::{Arc, Mutex, OnceLock, TryLockError, Weak};
use std::time::{Duration, Instant};

use super::{Carrier, Destination, Stream};
use crate::debug;
use crate::guard::{lock, lock_until};

/// Time for the final flush, whatever the number of streams.
const LAST_FLUSH: Duration = Duration::from_secs(1);

/// What keeps a stream reachable. When the last is gone, its sender ends.
pub(crate) struct Handle {
    stream: Arc<Stream>,
}

impl Handle {
    pub(crate) fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stream.close();
    }
}

/// Destination, and the address of a transport of the user's own.
type Name = (Destination, Option<usize>);

/// The streams of one process; a forked child has a table of its own.
struct Registry {
    pid: u32,
    streams: Mutex<HashMap<Name, Entry>>,
    child: OnceLock<Box<Registry>>,
}

#[derive(Clone)]
enum Entry {
    /// The process keeps what goes over our own client, so that a server built anew for each request finds it.
    Ours(Arc<Handle>),
    /// A transport of the user's own lives as long as the user keeps a producer with it.
    Theirs(Weak<Handle>),
}

impl Registry {
    fn new(streams: HashMap<Name, Entry>) -> Self {
        Self { pid: process::id(), streams: Mutex::new(streams), child: OnceLock::new() }
    }

    fn of_this_process() -> &'static Self {
        static FIRST: OnceLock<Registry> = OnceLock::new();
        let pid = process::id();
        let mut registry = FIRST.get_or_init(|| Self::new(HashMap::new()));
        while registry.pid != pid {
            registry = registry.child.get_or_init(|| Box::new(Self::new(registry.inherited())));
        }
        registry
    }

    /// What a child takes over: streams have a run of their own in each process.
    fn inherited(&self) -> HashMap<Name, Entry> {
        match self.streams.try_lock() {
            Ok(streams) => streams.clone(),
            Err(TryLockError::Poisoned(streams)) => streams.into_inner().clone(),
            // Taken at the moment of the fork by a thread that does not exist here: it will never be given back.
            Err(TryLockError::WouldBlock) => HashMap::new(),
        }
    }
}

/// The stream to `destination`, made if there is none. `None` when the system gives no random bytes.
pub(crate) fn open(destination: Destination, carrier: Carrier) -> Option<Arc<Handle>> {
    let identity = match &carrier {
        #[cfg(feature = "http")]
        Carrier::Http => None,
        Carrier::Custom(transport) => Some(Arc::as_ptr(transport).cast::<()>() as usize),
    };
    let mut streams = lock(&Registry::of_this_process().streams);
    let name = (destination, identity);
    let found = match streams.get(&name) {
        Some(Entry::Ours(handle)) => Some(Arc::clone(handle)),
        Some(Entry::Theirs(handle)) => handle.upgrade(),
        None => None,
    };
    if found.is_some() {
        return found;
    }
    streams.retain(|_, entry| !matches!(entry, Entry::Theirs(handle) if handle.strong_count() == 0));
    let stream = Stream::new(name.0.clone(), carrier)?;
    let handle = Arc::new(Handle { stream: Arc::new(stream) });
    let entry = match identity {
        None => Entry::Ours(Arc::clone(&handle)),
        Some(_) => Entry::Theirs(Arc::downgrade(&handle)),
    };
    streams.insert(name, entry);
    Some(handle)
}

/// The final flush: all streams at once, one second in total.
pub(crate) fn flush_all() {
    let deadline = Instant::now() + LAST_FLUSH;
    let registry = Registry::of_this_process();
    let Some(streams) = lock_until(&registry.streams, deadline) else { return };
    let handles: Vec<_> = streams
        .values()
        .filter_map(|entry| match entry {
            Entry::Ours(handle) => Some(Arc::clone(handle)),
            Entry::Theirs(handle) => handle.upgrade(),
        })
        .collect();
    drop(streams);
    let asked: Vec<_> = handles.into_iter().filter(|handle| handle.stream.hurry_at_exit(deadline)).collect();
    for handle in asked {
        handle.stream.flush(deadline);
        if handle.stream.debugs() {
            debug::line(&format!("at exit: {}", handle.stream.losses()));
        }
    }
}
