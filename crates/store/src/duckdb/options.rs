//! What the embedded event store may use.

use std::time::Duration;

/// Limits and schedule of the embedded event store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads one query may use.
    pub threads: usize,
    /// Bytes of memory for all open files together.
    pub memory_bytes: u64,
    /// Reads that run at the same time; further ones wait.
    pub concurrent_reads: usize,
    /// Files open at the same time; the longest unused one is closed for another.
    pub max_open_files: usize,
    /// An open file that nothing was asked of for this long is closed.
    pub idle_close: Duration,
    /// Payloads that may wait for one file's writer; more are refused as unavailable.
    pub queue_payloads: usize,
    /// The write-ahead log is folded into the file when it has grown beyond this many bytes.
    pub checkpoint_wal_bytes: u64,
    /// Calls in a range up to which percentiles are exact; beyond, they are within one per cent.
    pub exact_percentiles: u64,
    /// Whether what is settled is kept worked out. Without it every question looks at every call.
    pub settle: bool,
}

impl Default for Options {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            threads: cores.clamp(1, 8),
            memory_bytes: 1 << 30,
            concurrent_reads: cores.clamp(2, 16),
            max_open_files: 64,
            idle_close: Duration::from_secs(300),
            queue_payloads: 50_000,
            checkpoint_wal_bytes: 64 << 20,
            exact_percentiles: 1_000_000,
            settle: true,
        }
    }
}
