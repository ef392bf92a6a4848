//! The state of one stream as a machine without a clock: every step is told what time it is, so that tests
//! need no waiting.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpulse_wire::hash::Hash12;

use crate::event::{Event, Surface};
use crate::losses::Losses;

/// Payloads that make a batch due at once.
pub(crate) const BATCH_AT: usize = 30;
/// Age that makes a batch due.
pub(crate) const BATCH_AGE: Duration = Duration::from_secs(5);
/// Payloads in one request.
pub(crate) const BATCH_MAX: usize = 500;
/// Payloads kept while nothing takes them.
pub(crate) const RING: usize = 1_000;
/// Least time between two tries.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Longest `Retry-After` that is believed: a typing error at the other end must not silence us for good.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);
/// Surfaces remembered as sent. A server that makes up a new one for every user would grow without end.
const SURFACES_MAX: usize = 1_000;

/// What the sender should do next.
#[derive(Debug)]
pub(crate) enum Step {
    /// Nothing is due. Wait for a change, or until then.
    Wait(Option<Instant>),
    /// Make a batch of these and call [`Core::adopt`].
    Assemble(Draft),
    /// Send the adopted batch and call [`Core::settle`].
    Send(Arc<Batch>),
}

/// What goes into the next batch.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) startup: Option<Arc<Surface>>,
    pub(crate) events: Vec<(Instant, Event)>,
}

/// A batch ready to be sent, the same bytes at every try.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) idempotency_key: String,
    pub(crate) body: Arc<[u8]>,
    /// Payloads that came from the ring.
    pub(crate) events: usize,
    pub(crate) startup: Option<Arc<Surface>>,
    /// Surfaces among `events` that were replaced before they were taken.
    pub(crate) replaced: Vec<Arc<Surface>>,
}

impl Batch {
    fn payloads(&self) -> u64 {
        (self.events + usize::from(self.startup.is_some())) as u64
    }
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Taken,
    /// Nothing, 429 or 503.
    Later(Option<Duration>),
    Refused,
}

#[derive(Debug)]
struct Pending {
    batch: Arc<Batch>,
    in_flight: bool,
    /// Pushed out of the full ring while it was on its way: not tried again.
    evicted: bool,
}

/// Ring, batch on its way, newest surface, and the counts.
#[derive(Debug, Default)]
pub(crate) struct Core {
    queue: VecDeque<(Instant, Event)>,
    /// Payloads taken out of the queue for a batch that is not adopted yet.
    drafting: usize,
    pending: Option<Pending>,
    startup: Option<Arc<Surface>>,
    /// Set while the newest surface has not had its first try.
    startup_since: Option<Instant>,
    known: HashSet<Hash12>,
    not_before: Option<Instant>,
    urgent: bool,
    losses: Losses,
}

impl Core {
    /// Adds one payload; the oldest makes room. True when the sender has to be woken.
    pub(crate) fn push(&mut self, event: Event, now: Instant) -> bool {
        self.losses.recorded += 1;
        if self.held() >= RING {
            self.evict();
        }
        self.queue.push_back((now, event));
        self.queue.len() == 1 || self.queue.len() == BATCH_AT
    }

    /// Payloads the ring holds, the batch on its way included.
    fn held(&self) -> usize {
        let pending = self.pending.as_ref().filter(|pending| !pending.evicted);
        self.queue.len() + self.drafting + pending.map_or(0, |pending| pending.batch.events)
    }

    /// Payloads without an end yet: the ring, what left it on a request, and the surface outside it.
    fn waiting(&self) -> u64 {
        let pending = self.pending.as_ref().map_or(0, |pending| {
            pending.batch.events + usize::from(self.lost_startup(&pending.batch).is_some())
        });
        (self.queue.len() + self.drafting + pending + usize::from(self.startup.is_some())) as u64
    }

    /// The startup of `batch` that no later batch would carry again.
    fn lost_startup<'a>(&self, batch: &'a Batch) -> Option<&'a Arc<Surface>> {
        let newest = self.startup.as_ref();
        batch.startup.as_ref().filter(|carried| !newest.is_some_and(|newest| Arc::ptr_eq(newest, carried)))
    }

    /// Drops the oldest. A batch goes as a whole: a part of it under the same idempotency key would be
    /// answered as the whole, under another it would be stored twice.
    fn evict(&mut self) {
        let held = |pending: &&mut Pending| !pending.evicted && pending.batch.events > 0;
        if let Some(pending) = self.pending.as_mut().filter(held) {
            if pending.in_flight {
                pending.evicted = true;
            } else if let Some(pending) = self.pending.take() {
                self.losses.overflowed += self.abandon(&pending.batch);
            }
            return;
        }
        if let Some((_, event)) = self.queue.pop_front() {
            self.losses.overflowed += 1;
            if let Event::Startup(surface) = event {
                self.known.remove(&surface.fingerprint);
            }
        }
    }

    /// Makes `surface` the newest, unless this session has sent it. True when the sender has to be woken.
    pub(crate) fn surface(&mut self, surface: Surface, now: Instant) -> bool {
        if self.known.contains(&surface.fingerprint) {
            return false;
        }
        if self.known.len() >= SURFACES_MAX {
            self.known.clear();
        }
        self.known.insert(surface.fingerprint);
        self.losses.recorded += 1;
        let in_flight = self.pending.as_ref().and_then(|pending| pending.batch.startup.as_ref());
        let replaced = self.startup.replace(Arc::new(surface));
        // An older surface waits like any other payload, unless a batch carries it already.
        if let Some(replaced) = replaced
            && !in_flight.is_some_and(|carried| Arc::ptr_eq(carried, &replaced))
        {
            self.losses.recorded -= 1;
            self.push(Event::Startup(replaced), now);
        }
        self.startup_since = Some(now);
        true
    }

    /// Whether a surface with this fingerprint has been sent or waits to be.
    pub(crate) fn knows(&self, fingerprint: &Hash12) -> bool {
        self.known.contains(fingerprint)
    }

    /// Sends what there is without waiting for number or age.
    pub(crate) fn hurry(&mut self) {
        self.urgent = true;
    }

    /// Whether everything has been tried, or nothing may be tried now.
    pub(crate) fn is_drained(&self, now: Instant) -> bool {
        let idle = self.queue.is_empty()
            && self.drafting == 0
            && self.pending.is_none()
            && self.startup_since.is_none();
        let resting = self.drafting == 0
            && !self.pending.as_ref().is_some_and(|pending| pending.in_flight)
            && self.not_before.is_some_and(|then| then > now);
        idle || resting
    }

    /// What to do next.
    pub(crate) fn next(&mut self, now: Instant) -> Step {
        if let Some(then) = self.not_before {
            if then > now {
                return Step::Wait(Some(then));
            }
            self.not_before = None;
        }
        if let Some(pending) = &mut self.pending {
            pending.in_flight = true;
            return Step::Send(Arc::clone(&pending.batch));
        }
        let oldest = self.queue.front().map(|(at, _)| *at);
        let since = match (oldest, self.startup_since) {
            (Some(event), Some(startup)) => event.min(startup),
            (Some(at), None) | (None, Some(at)) => at,
            (None, None) => {
                self.urgent = false;
                return Step::Wait(None);
            }
        };
        let due = since + BATCH_AGE;
        if !self.urgent && self.queue.len() < BATCH_AT && due > now {
            return Step::Wait(Some(due));
        }
        let startup = self.startup.clone();
        let room = BATCH_MAX - usize::from(startup.is_some());
        let events: Vec<_> = self.queue.drain(..self.queue.len().min(room)).collect();
        self.drafting = events.len();
        self.startup_since = None;
        Step::Assemble(Draft { startup, events })
    }

    /// Takes the assembled batch; `rest` is what did not fit, oldest first.
    pub(crate) fn adopt(&mut self, batch: Batch, rest: Vec<(Instant, Event)>) {
        self.drafting = 0;
        for event in rest.into_iter().rev() {
            self.queue.push_front(event);
        }
        self.pending = Some(Pending { batch: Arc::new(batch), in_flight: false, evicted: false });
    }

    /// Puts a draft back that could not be assembled, and rests before the next try.
    pub(crate) fn give_back(&mut self, draft: Draft, now: Instant) {
        self.drafting = 0;
        for event in draft.events.into_iter().rev() {
            self.queue.push_front(event);
        }
        if draft.startup.is_some() {
            self.startup_since.get_or_insert(now);
        }
        self.not_before = Some(now + RETRY_AFTER);
    }

    /// Records how a try of the pending batch ended.
    pub(crate) fn settle(&mut self, answer: Answer, now: Instant) {
        let Some(pending) = self.pending.take() else { return };
        let Pending { batch, evicted, .. } = pending;
        match answer {
            Answer::Taken => {
                self.losses.sent += batch.payloads();
                let carried = batch.startup.as_ref();
                if self.startup.as_ref().zip(carried).is_some_and(|(newest, sent)| Arc::ptr_eq(newest, sent))
                {
                    self.startup = None;
                }
            }
            Answer::Later(wait) => {
                let wait = wait.unwrap_or_default().clamp(RETRY_AFTER, RETRY_AFTER_MAX);
                self.not_before = Some(now + wait);
                if evicted {
                    self.losses.overflowed += self.abandon(&batch);
                } else {
                    self.pending = Some(Pending { batch, in_flight: false, evicted: false });
                }
            }
            Answer::Refused => {
                self.losses.refused += self.abandon(&batch);
            }
        }
    }

    /// Gives a batch up and says how many payloads are lost with it. The newest surface is not: it stays and
    /// leads the next batch. Older ones are forgotten, so that they are sent again when clients see them.
    fn abandon(&mut self, batch: &Batch) -> u64 {
        let startup = self.lost_startup(batch);
        let lost = batch.events as u64 + u64::from(startup.is_some());
        for surface in batch.replaced.iter().chain(startup) {
            self.known.remove(&surface.fingerprint);
        }
        lost
    }

    /// After the sender failed: what it was building is lost, what it was sending is tried again.
    pub(crate) fn recover(&mut self) {
        let lost = self.drafting as u64;
        self.losses.recorded -= lost;
        self.losses.failed += lost;
        self.drafting = 0;
        if let Some(pending) = &mut self.pending {
            pending.in_flight = false;
        }
    }

    /// The counts, and the means to add to them.
    pub(crate) fn losses(&mut self) -> &mut Losses {
        self.losses.waiting = self.waiting();
        &mut self.losses
    }
}
