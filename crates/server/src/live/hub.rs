//! What ingest has just stored, for those who watch.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcpulse_store::events::{NewBatch, NewPayload, Rejected};
use mcpulse_store::id::{KeyId, ServerId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Batches that are kept of each server that is watched.
const KEPT: usize = 256;
/// Rejected payloads that are named of each batch.
const NAMED: usize = 20;
/// How long a server's batches are kept after the last watcher has gone: it may come back.
const LINGER: Duration = Duration::from_secs(120);
/// Watchers at the same time.
const MAX_WATCHERS: usize = 512;

/// One ingest request: what was stored and what was not.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) received_ms: i64,
    pub(crate) key: KeyId,
    pub(crate) producer: String,
    pub(crate) calls: u32,
    pub(crate) startups: u32,
    pub(crate) agreements: u32,
    /// Number of rejected payloads; the first of them are named.
    pub(crate) rejected_count: u32,
    pub(crate) rejected: Vec<Rejected>,
    /// From the end of the newest call to its arrival.
    pub(crate) lag_ms: Option<i64>,
}

impl From<&NewBatch> for Arrived {
    fn from(batch: &NewBatch) -> Self {
        let mut arrived = Self {
            received_ms: batch.received_ms,
            key: batch.key,
            producer: batch.producer.clone(),
            calls: 0,
            startups: 0,
            agreements: 0,
            rejected_count: u32::try_from(batch.rejected.len()).unwrap_or(u32::MAX),
            rejected: batch.rejected.iter().take(NAMED).cloned().collect(),
            lag_ms: None,
        };
        for payload in &batch.payloads {
            match payload {
                NewPayload::Call(call) => {
                    arrived.calls += 1;
                    let lag = batch.received_ms - call.started_ms - i64::from(call.call.duration_ms);
                    arrived.lag_ms = Some(arrived.lag_ms.map_or(lag, |least| least.min(lag)));
                }
                NewPayload::Startup(_) => arrived.startups += 1,
                NewPayload::Agreement(_) => arrived.agreements += 1,
            }
        }
        arrived
    }
}

/// The servers that are watched.
pub(crate) struct Hub {
    /// Tells numbers of this run of the program from those of another.
    run: u64,
    places: Arc<Semaphore>,
    servers: Mutex<HashMap<ServerId, Watched>>,
}

struct Watched {
    /// Of the newest batch.
    number: u64,
    ring: VecDeque<Arc<Arrived>>,
    /// Changes with each batch; ends when the server is deleted.
    changed: watch::Sender<u64>,
    unwatched_since: Option<Instant>,
}

impl Hub {
    pub(crate) fn new(run: u64) -> Self {
        Self { run, places: Arc::new(Semaphore::new(MAX_WATCHERS)), servers: Mutex::default() }
    }

    /// Which run of the program this is.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    /// Says what was stored, if anybody watches.
    pub(crate) fn publish(&self, server: ServerId, batch: impl FnOnce() -> Arrived) {
        let mut servers = self.lock();
        let Some(watched) = servers.get_mut(&server) else { return };
        if watched.changed.receiver_count() == 0 {
            let since = *watched.unwatched_since.get_or_insert_with(Instant::now);
            if since.elapsed() > LINGER {
                servers.remove(&server);
                return;
            }
        }
        watched.number += 1;
        watched.ring.push_back(Arc::new(batch()));
        if watched.ring.len() > KEPT {
            watched.ring.pop_front();
        }
        watched.changed.send_replace(watched.number);
    }

    /// Begins to watch a server. `None` when too many do.
    pub(crate) fn watch(&self, server: ServerId) -> Option<Watcher> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let mut servers = self.lock();
        // Whoever comes clears away what nobody came back to.
        servers.retain(|id, watched| {
            *id == server
                || watched.changed.receiver_count() > 0
                || watched.unwatched_since.is_none_or(|since| since.elapsed() <= LINGER)
        });
        let watched = servers.entry(server).or_insert_with(|| Watched {
            number: 0,
            ring: VecDeque::new(),
            changed: watch::Sender::new(0),
            unwatched_since: None,
        });
        watched.unwatched_since = None;
        Some(Watcher { changed: watched.changed.subscribe(), number: watched.number, _place: place })
    }

    /// The batches after that one, and how many of them are no longer kept.
    pub(crate) fn after(&self, server: ServerId, number: u64) -> (u64, Vec<Arc<Arrived>>) {
        let servers = self.lock();
        let Some(watched) = servers.get(&server) else { return (0, Vec::new()) };
        let behind = watched.number.saturating_sub(number);
        let kept = usize::try_from(behind).unwrap_or(usize::MAX).min(watched.ring.len());
        let batches: Vec<_> = watched.ring.iter().skip(watched.ring.len() - kept).cloned().collect();
        (behind - batches.len() as u64, batches)
    }

    /// Ends what watches a server that is deleted.
    pub(crate) fn end(&self, server: ServerId) {
        self.lock().remove(&server);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ServerId, Watched>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who watches a server.
pub(crate) struct Watcher {
    pub(super) changed: watch::Receiver<u64>,
    /// Of the newest batch when it began.
    pub(super) number: u64,
    _place: OwnedSemaphorePermit,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn arrived(received_ms: i64) -> Arrived {
        let (key, producer) = (KeyId::new(), String::new());
        let batch = NewBatch {
            key,
            producer,
            idempotency_key: None,
            received_ms,
            payloads: Vec::new(),
            rejected: Vec::new(),
        };
        Arrived::from(&batch)
    }

    #[test]
    fn only_what_is_watched_is_kept_and_no_more_than_that() {
        let (hub, server) = (Hub::new(1), ServerId::new());
        hub.publish(server, || unreachable!("nobody watches"));
        let watcher = hub.watch(server).unwrap();
        for number in 1..=300 {
            hub.publish(server, || arrived(number));
        }
        let (missed, batches) = hub.after(server, watcher.number);
        assert_eq!((missed, batches.len()), (44, KEPT));
        assert_eq!(batches.last().unwrap().received_ms, 300);
        let (missed, batches) = hub.after(server, 299);
        assert_eq!((missed, batches.len()), (0, 1));
        assert_eq!(hub.after(server, 300).1.len(), 0);
    }

    #[test]
    fn watchers_are_bounded_and_leave_their_place() {
        let hub = Hub::new(1);
        let all: Vec<_> = (0..MAX_WATCHERS).map(|_| hub.watch(ServerId::new()).unwrap()).collect();
        assert!(hub.watch(ServerId::new()).is_none());
        drop(all);
        assert!(hub.watch(ServerId::new()).is_some());
    }

    #[test]
    fn a_deleted_server_ends_its_watchers() {
        let (hub, server) = (Hub::new(1), ServerId::new());
        let watcher = hub.watch(server).unwrap();
        hub.end(server);
        assert!(watcher.changed.has_changed().is_err());
    }
}
