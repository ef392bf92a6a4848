//! The embedded engine under the suite.

use std::path::Path;
use std::sync::Arc;

use mcpulse_store::duckdb::{DuckEvents, Options};
use tempfile::TempDir;

use crate::definitions::bent;
use crate::suite::{Suite, setting};

/// The embedded store in a directory that goes away, in memory where the machine offers that.
fn duckdb() -> (Suite, TempDir) {
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
    let options = Options { threads: 1, memory_bytes: 512 << 20, concurrent_reads: 4, ..Options::default() };
    (Suite::new(Arc::new(DuckEvents::open(dir.path(), options).unwrap())), dir)
}

#[test]
fn every_metric_is_what_the_oracle_says() {
    let (suite, _dir) = duckdb();
    suite.compare(setting("ORACLE_CASES", 500), setting("ORACLE_SEED", 1));
}

/// A suite that cannot fail proves nothing: definitions that are wrong in one way each have to be noticed.
#[test]
fn definitions_bent_by_hand_are_noticed() {
    let (suite, _dir) = duckdb();
    // Most of these cases are passed over without asking the engine.
    let unnoticed = suite.unnoticed(bent(), 5_000, setting("ORACLE_SEED", 1));
    assert!(unnoticed.is_empty(), "nobody noticed that {unnoticed:?}");
}
