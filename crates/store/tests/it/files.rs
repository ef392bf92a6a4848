//! Event files on disk: opened, closed, limited, deleted, and what is said when one cannot be used.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::{EventError, EventStore};
use mcpulse_store::id::{KeyId, ServerId};

use crate::help::{append_one, calls, keyed, open, small, stored, until};

fn file(dir: &Path, server: ServerId) -> PathBuf {
    dir.join("events").join(format!("{server}.duckdb"))
}

fn log(dir: &Path, server: ServerId) -> PathBuf {
    dir.join("events").join(format!("{server}.duckdb.wal"))
}

fn names(dir: &Path) -> Vec<String> {
    let events = fs::read_dir(dir.join("events")).unwrap();
    events.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn one_store_works_on_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path());
    let second = DuckEvents::open(dir.path(), small());
    assert!(matches!(second, Err(EventError::InUse { path }) if path == dir.path()));
    drop(first);
    open(dir.path());
}

#[tokio::test]
async fn a_server_has_a_file_once_it_sent_something() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    assert!(stored(&*store, server).await.unwrap().is_empty());
    assert!(names(dir.path()).is_empty());
    append_one(&store, server, "s").await.unwrap();
    assert!(file(dir.path(), server).exists());
}

#[tokio::test]
async fn more_than_fits_into_the_queue_is_refused_and_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { queue_payloads: 10, ..small() };
    let store = Arc::new(DuckEvents::open(dir.path(), options).unwrap());
    let server = ServerId::new();
    let appends: Vec<_> = (0..40)
        .map(|number| {
            let store = Arc::clone(&store);
            let batch = calls(KeyId::new(), (0..6).map(|call| format!("{number}-{call}")));
            async move { store.append(server, batch).await }
        })
        .map(tokio::spawn)
        .collect();
    let (mut taken, mut refused) = (0, 0);
    for append in appends {
        match append.await.unwrap() {
            Ok(answer) => taken += answer.accepted as usize,
            Err(EventError::Unavailable(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    // On one thread they all come before the first is written: the second would be the eleventh payload.
    assert!(refused > 0);
    assert_eq!(stored(&*store, server).await.unwrap().len(), taken);
}

#[tokio::test]
async fn a_large_group_fits_into_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { memory_bytes: 1, ..small() };
    let store = Arc::new(DuckEvents::open(dir.path(), options).unwrap());
    let server = ServerId::new();
    let appends: Vec<_> = (0..100)
        .map(|number| {
            let store = Arc::clone(&store);
            let sessions = (0..500).map(|call| format!("session-{number}-{call}"));
            let batch = keyed(calls(KeyId::new(), sessions), "once");
            tokio::spawn(async move { store.append(server, batch).await })
        })
        .collect();
    for append in appends {
        assert_eq!(append.await.unwrap().unwrap().accepted, 500);
    }
    drop(store);
    assert_eq!(stored(&*open(dir.path()), server).await.unwrap().len(), 50_000);
}

#[tokio::test]
async fn the_longest_unused_file_makes_room_for_another() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { max_open_files: 2, ..small() };
    let store = DuckEvents::open(dir.path(), options).unwrap();
    let servers: Vec<_> = (0..6).map(|_| ServerId::new()).collect();
    for round in 0..2 {
        for server in &servers {
            append_one(&store, *server, &format!("{round}")).await.unwrap();
        }
    }
    for server in &servers {
        assert_eq!(stored(&store, *server).await.unwrap(), ["0", "1"]);
    }
    // A log is beside an open file only.
    let open = servers.iter().filter(|server| log(dir.path(), **server).exists()).count();
    assert!(open <= 2, "{open}");
}

#[tokio::test]
async fn an_unused_file_is_closed_and_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { idle_close: Duration::ZERO, ..small() };
    let (store, server) = (DuckEvents::open(dir.path(), options).unwrap(), ServerId::new());
    for session in ["a", "b"] {
        append_one(&store, server, session).await.unwrap();
        until(|| !log(dir.path(), server).exists()).await;
    }
    assert_eq!(stored(&store, server).await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn the_log_is_folded_in_when_it_is_long() {
    let dir = tempfile::tempdir().unwrap();
    // What is worked out has a log of its own length.
    let options = Options { checkpoint_wal_bytes: 10_000, settle: false, ..small() };
    let (store, server) = (DuckEvents::open(dir.path(), options).unwrap(), ServerId::new());
    let mut longest = 0;
    for batch in 0..50 {
        let sessions = (0..100).map(|call| format!("{batch}-{call}"));
        store.append(server, calls(KeyId::new(), sessions)).await.unwrap();
        longest = longest.max(fs::metadata(log(dir.path(), server)).map_or(0, |log| log.len()));
    }
    assert_eq!(stored(&store, server).await.unwrap().len(), 5_000);
    // 5 000 calls are over 300 kB of log.
    assert!((1..100_000).contains(&longest), "{longest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn appends_under_way_do_not_bring_a_deleted_file_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for _ in 0..10 {
        let server = ServerId::new();
        append_one(&store, server, "first").await.unwrap();
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    let mut number = 0;
                    loop {
                        number += 1;
                        match append_one(&store, server, &format!("{writer}-{number}")).await {
                            Ok(_) => {}
                            Err(EventError::Deleted) => return,
                            Err(other) => panic!("{other}"),
                        }
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        store.delete_server(server).await.unwrap();
        for writer in writers {
            writer.await.unwrap();
        }
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    }
}

#[tokio::test]
async fn a_damaged_file_is_reported_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (damaged, sound) = (ServerId::new(), ServerId::new());
    let store = open(dir.path());
    append_one(&store, damaged, "s").await.unwrap();
    append_one(&store, sound, "s").await.unwrap();
    drop(store);
    let path = file(dir.path(), damaged);
    let mut bytes = fs::read(&path).unwrap();
    for byte in bytes.iter_mut().take(12_288) {
        *byte ^= 0x5a;
    }
    fs::write(&path, &bytes).unwrap();

    let store = open(dir.path());
    let refused = append_one(&store, damaged, "t").await;
    assert!(
        matches!(&refused, Err(EventError::Unreadable { path: named, .. }) if *named == path),
        "{refused:?}"
    );
    assert!(stored(&*store, damaged).await.is_err());
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // The others are not touched by it.
    append_one(&store, sound, "t").await.unwrap();
    assert_eq!(stored(&*store, sound).await.unwrap(), ["s", "t"]);
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_reported_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let server = ServerId::new();
    drop(append_one(&open(dir.path()), server, "s").await.unwrap());
    let path = file(dir.path(), server);
    #[allow(clippy::disallowed_methods, reason = "stands for a later version of this program")]
    let newer = duckdb::Connection::open(&path).unwrap();
    newer.execute_batch("UPDATE schema_version SET version = 999").unwrap();
    newer.close().unwrap();
    let bytes = fs::read(&path).unwrap();

    let store = open(dir.path());
    match append_one(&store, server, "t").await {
        Err(EventError::Unreadable { reason, .. }) => assert!(reason.contains("999"), "{reason}"),
        other => panic!("{other:?}"),
    }
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[tokio::test]
async fn what_a_stopped_creation_left_behind_is_no_hindrance() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    fs::write(file(dir.path(), server).with_extension("new"), "half a file").unwrap();
    append_one(&store, server, "s").await.unwrap();
    assert_eq!(stored(&*store, server).await.unwrap(), ["s"]);
    assert!(!names(dir.path()).iter().any(|name| name.contains(".new")));
}
