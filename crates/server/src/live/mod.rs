//! Live tails: what arrives, as it arrives, to whoever watches.
//!
//! Ingest tells the hub what it has stored and goes on: it never waits for a watcher. A watcher of calls reads them
//! from the event store, so it misses none however slow it is, until it is too far behind. What only ingest knows
//! (rejections one by one) is kept for a while, in a ring of bounded size; a watcher that comes too late is told how
//! many it missed.

mod hub;
mod id;
mod tail;

pub(crate) use self::hub::{Arrived, Hub};
pub(crate) use self::id::LastSeen;
pub(crate) use self::tail::{IngestEvent, Missed, Tails, stream};
