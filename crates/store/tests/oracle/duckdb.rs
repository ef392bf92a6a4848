//! The embedded engine under the suite.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::EventError;
use mcpulse_store::id::ServerId;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use tempfile::TempDir;

use crate::definitions::bent;
use crate::suite::{Engine, Suite, cases, rng, setting};

#[async_trait]
impl Engine for DuckEvents {
    async fn settle(&self, server: ServerId, now_ms: i64, most: i64, crash: bool) {
        // A pass that finds nothing to do does not get as far as crashing.
        let before_commit =
            move || if crash { Err(EventError::Engine("a crash".to_owned())) } else { Ok(()) };
        let done = DuckEvents::settle(self, server, now_ms, most, before_commit).await;
        assert!(done.is_ok() || crash, "{done:?}");
    }

    async fn settle_until(
        &self,
        server: ServerId,
        now_ms: i64,
        most: i64,
        before_commit: Box<dyn FnOnce() -> Result<(), EventError> + Send>,
    ) -> Result<(), EventError> {
        DuckEvents::settle(self, server, now_ms, most, before_commit).await.map(drop)
    }
}

/// The embedded store in a directory that goes away, in memory where the machine offers that.
fn duckdb() -> (Suite, TempDir) {
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
    let options = Options {
        threads: 1,
        memory_bytes: 512 << 20,
        concurrent_reads: 4,
        // The suite says when.
        settle: false,
        ..Options::default()
    };
    (Suite::new(Arc::new(DuckEvents::open(dir.path(), options).unwrap())), dir)
}

/// A store with whatever event files a directory holds.
fn store_in(dir: &Path) -> DuckEvents {
    let options = Options { threads: 1, memory_bytes: 512 << 20, settle: false, ..Options::default() };
    DuckEvents::open(dir, options).unwrap()
}

/// What a crash at this moment would leave of the event files.
fn image(dir: &Path) -> TempDir {
    let image = TempDir::new().unwrap();
    std::fs::create_dir(image.path().join("events")).unwrap();
    for entry in std::fs::read_dir(dir.join("events")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), image.path().join("events").join(entry.file_name())).unwrap();
        }
    }
    image
}

/// Cuts the log somewhere in its last so many bytes, as a crash in the middle of writing does.
fn tear(image: &Path, server: ServerId, keep: u64) {
    let log = image.join("events").join(format!("{server}.duckdb.wal"));
    std::fs::OpenOptions::new().write(true).open(log).unwrap().set_len(keep).unwrap();
}

fn log_length(dir: &Path, server: ServerId) -> u64 {
    std::fs::metadata(dir.join("events").join(format!("{server}.duckdb.wal"))).map_or(0, |log| log.len())
}

/// Pulls the plug before a pass commits, in the middle of its commit and after it: whatever is found afterwards answers
/// as the oracle does, and so it does when it has gone on from there.
#[test]
fn a_crash_leaves_what_is_worked_out_before_or_after() {
    let mut runner = TestRunner::new_with_rng(Config::default(), rng(setting("ORACLE_SEED", 1), 9));
    for nth in 0..setting("CRASH_CASES", 6) {
        let case = cases().new_tree(&mut runner).unwrap().current();
        let dir = TempDir::new().unwrap();
        let suite = Suite::new(Arc::new(store_in(dir.path())));
        let (engine, runtime) = suite.engine();
        let server = ServerId::new();
        let crash_after = case.stream.batches.len() / 2;
        let mut now_ms = 0;
        let mut so_far = case.clone();
        so_far.stream.batches.truncate(crash_after + 1);
        for batch in &so_far.stream.batches {
            runtime.block_on(engine.append(server, batch.clone())).unwrap();
            now_ms = batch.received_ms + 400_000;
        }
        if so_far.stream.batches.is_empty() {
            continue;
        }
        let before = log_length(dir.path(), server);
        let store = Arc::new(std::sync::Mutex::new(None));
        let (taken, from) = (Arc::clone(&store), dir.path().to_path_buf());
        runtime
            .block_on(engine.settle_until(
                server,
                now_ms,
                100_000,
                Box::new(move || {
                    *taken.lock().unwrap() = Some(image(&from));
                    Ok(())
                }),
            ))
            .unwrap();
        let after = log_length(dir.path(), server);
        let uncommitted = store.lock().unwrap().take().unwrap();
        let torn = image(dir.path());
        tear(torn.path(), server, before + (after - before) * u64::from(nth % 5) / 5);
        let committed = image(dir.path());
        for (moment, image) in [("before", uncommitted), ("amid", torn), ("after", committed)] {
            let survivor = Suite::new(Arc::new(store_in(image.path())));
            let found = survivor.differences_at(server, &so_far);
            assert!(found.is_empty(), "{moment} the commit: {found:?}\n{so_far:?}");
            let (engine, runtime) = survivor.engine();
            for batch in &case.stream.batches[crash_after + 1..] {
                runtime.block_on(engine.append(server, batch.clone())).unwrap();
            }
            runtime.block_on(engine.settle(server, now_ms + 400_000, 100_000, false));
            let found = survivor.differences_at(server, &case);
            assert!(found.is_empty(), "going on from {moment} the commit: {found:?}\n{case:?}");
        }
    }
}

#[test]
fn every_metric_is_what_the_oracle_says() {
    let (suite, _dir) = duckdb();
    suite.compare(setting("ORACLE_CASES", 300), setting("ORACLE_SEED", 1));
}

/// A suite that cannot fail proves nothing: definitions that are wrong in one way each have to be noticed.
#[test]
fn definitions_bent_by_hand_are_noticed() {
    let (suite, _dir) = duckdb();
    // Most of these cases are passed over without asking the engine.
    let unnoticed = suite.unnoticed(bent(), 5_000, setting("ORACLE_SEED", 1));
    assert!(unnoticed.is_empty(), "nobody noticed that {unnoticed:?}");
}
