//! Retention: what is old leaves the disk, what is not stays, and ingest goes on meanwhile.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcpulse_store::events::{EventError, EventStore, Forgotten, NewBatch, NewPayload};
use mcpulse_store::id::{KeyId, ServerId};
use mcpulse_store::testing::{agreement, batch, call, startup};

use crate::help::{HOUR, NOON, append_one, calls, holds, keyed, open, stored};

/// A batch that arrived at some time: a session that registers one tool and calls it, and a verdict about it.
fn session(session: &str, tool: &str, at_ms: i64) -> NewBatch {
    let payloads = vec![
        NewPayload::Startup(startup(session, &[tool])),
        NewPayload::Call(call(session, tool, at_ms)),
        NewPayload::Agreement(agreement(session, "field", [tool, "other"], true, at_ms)),
    ];
    batch(KeyId::new(), at_ms, payloads)
}

fn inode(dir: &Path, server: ServerId) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(dir.join("events").join(format!("{server}.duckdb"))).unwrap().ino()
}

#[tokio::test]
async fn what_is_old_is_in_no_byte_and_the_rest_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    store.append(server, session("s-old-canary", "tool-old-canary", NOON - 20 * HOUR)).await.unwrap();
    store.append(server, session("s-new", "tool-new", NOON)).await.unwrap();
    let repeated = keyed(calls(KeyId::new(), ["s-keyed".to_owned()]), "once");
    store.append(server, repeated.clone()).await.unwrap();
    // Also once it is no longer in the log alone.
    drop(store);
    for canary in ["s-old-canary", "tool-old-canary"] {
        assert!(holds(dir.path(), canary), "{canary}");
    }

    let store = open(dir.path());
    let gone = store.forget_before(server, NOON - HOUR).await.unwrap();
    assert_eq!(gone, Forgotten { calls: 1, agreements: 1, startups: 1, rejections: 0 });
    assert_eq!(stored(&*store, server).await.unwrap(), ["s-new", "s-keyed"]);
    for canary in ["s-old-canary", "tool-old-canary"] {
        assert!(!holds(dir.path(), canary), "{canary}");
    }
    // What the file remembers goes on: answers, the order of arrival, and surfaces.
    assert!(store.append(server, repeated).await.unwrap().replayed);
    store.append(server, session("s-third", "tool-third", NOON)).await.unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!(stored(&*store, server).await.unwrap(), ["s-new", "s-keyed", "s-third"]);
    assert!(!dir.path().join("events").join(format!("{server}.work")).exists());
}

#[tokio::test]
async fn a_call_that_is_kept_keeps_its_startup_however_old() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    let early = batch(KeyId::new(), NOON - 20 * HOUR, vec![NewPayload::Startup(startup("s", &["search"]))]);
    store.append(server, early).await.unwrap();
    append_one(&store, server, "s").await.unwrap();
    append_one(&store, server, "t").await.unwrap();
    assert_eq!(store.forget_before(server, NOON).await.unwrap(), Forgotten::default());
    let old = batch(KeyId::new(), NOON, vec![NewPayload::Call(call("u", "search", NOON - HOUR))]);
    store.append(server, old).await.unwrap();
    let gone = store.forget_before(server, NOON).await.unwrap();
    assert_eq!((gone.calls, gone.startups), (1, 0));
    assert!(holds(dir.path(), "mcpulse-rust"));
}

#[tokio::test]
async fn when_everything_goes_the_order_of_arrival_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    store.append(server, session("a", "one", NOON)).await.unwrap();
    store.forget_before(server, NOON + HOUR).await.unwrap();
    assert!(stored(&*store, server).await.unwrap().is_empty());
    store.append(server, session("b", "two", NOON)).await.unwrap();
    // Twice in a row, and with what was remembered read again from the file.
    store.forget_before(server, NOON + HOUR).await.unwrap();
    drop(store);
    let store = open(dir.path());
    append_one(&store, server, "c").await.unwrap();
    assert_eq!(crate::help::seqs(&*store, server).await, [7]);
}

#[tokio::test]
async fn a_file_without_old_rows_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    append_one(&store, server, "s").await.unwrap();
    let before = inode(dir.path(), server);
    assert_eq!(store.forget_before(server, NOON).await.unwrap(), Forgotten::default());
    assert_eq!(inode(dir.path(), server), before);
    // And a server without a file has nothing to forget.
    assert_eq!(store.forget_before(ServerId::new(), NOON).await.unwrap(), Forgotten::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn ingest_and_questions_go_on_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    let running = Arc::new(AtomicBool::new(true));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (store, running) = (Arc::clone(&store), Arc::clone(&running));
            tokio::spawn(async move {
                let mut sessions = Vec::new();
                while running.load(Ordering::Relaxed) {
                    let session = format!("{writer}-{}", sessions.len());
                    append_one(&store, server, &session).await.unwrap();
                    sessions.push(session);
                }
                sessions
            })
        })
        .collect();
    let reader = {
        let (store, running) = (Arc::clone(&store), Arc::clone(&running));
        tokio::spawn(async move {
            let mut questions = 0;
            while running.load(Ordering::Relaxed) {
                stored(&*store, server).await.unwrap();
                questions += 1;
            }
            questions
        })
    };
    for round in 0..10 {
        let sessions = (0..50).map(|number| format!("old-canary-{round}-{number}"));
        let old = sessions.map(|session| NewPayload::Call(call(&session, "search", NOON - HOUR))).collect();
        store.append(server, batch(KeyId::new(), NOON, old)).await.unwrap();
        let gone = store.forget_before(server, NOON).await.unwrap();
        assert_eq!(gone.calls, 50);
    }
    running.store(false, Ordering::Relaxed);
    let mut written = Vec::new();
    for writer in writers {
        written.extend(writer.await.unwrap());
    }
    assert!(reader.await.unwrap() > 0);
    let mut kept = stored(&*store, server).await.unwrap();
    kept.sort();
    written.sort();
    assert_eq!(kept, written);
    assert!(!holds(dir.path(), "old-canary"));
}

#[tokio::test]
async fn what_a_process_left_behind_is_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let server = ServerId::new();
    append_one(&open(dir.path()), server, "s").await.unwrap();
    let work = dir.path().join("events").join(format!("{server}.work"));
    fs::create_dir(&work).unwrap();
    // As a process leaves it that ends before the new file took the place of the old one.
    fs::write(work.join("kept.duckdb"), "half a file").unwrap();
    fs::write(work.join("kept.duckdb.wal"), "half a log").unwrap();
    let store = open(dir.path());
    assert_eq!(stored(&*store, server).await.unwrap(), ["s"]);
    assert!(!work.exists());
    assert_eq!(store.forget_before(server, NOON + 1).await.unwrap().calls, 1);
    assert!(stored(&*store, server).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_deleted_server_has_nothing_to_forget() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    append_one(&store, server, "s").await.unwrap();
    store.delete_server(server).await.unwrap();
    assert_eq!(store.forget_before(server, NOON + 1).await, Err(EventError::Deleted));
    assert!(!holds(dir.path(), &server.to_string()));
}
