//! What the agents saw, for the person who watches.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Prints a line. Nobody may be listening; that is no reason to stop.
pub(super) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// Counts as the agents see them: the dashboard's come from the producer.
#[derive(Debug)]
pub(super) struct Tally {
    began: Instant,
    pub(super) conversations: AtomicU64,
    pub(super) answers: AtomicU64,
    pub(super) empties: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) silences: AtomicU64,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            conversations: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            empties: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            silences: AtomicU64::new(0),
        }
    }
}

impl Tally {
    pub(super) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn summary(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (answers, empties) = (get(&self.answers), get(&self.empties));
        let (failures, silences) = (get(&self.failures), get(&self.silences));
        format!(
            "── {} s: {} conversations, {} calls: {answers} answered, {empties} empty, {failures} failed, {silences} without a reply ──",
            self.began.elapsed().as_secs(),
            get(&self.conversations),
            answers + empties + failures + silences,
        )
    }
}
