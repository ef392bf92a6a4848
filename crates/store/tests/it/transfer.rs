//! What is taken out of the stores: exports, backups, and what becomes of a backup.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use mcpulse_store::backup::{Backup, RestoreError, restore};
use mcpulse_store::control::{Actor, ControlStore, SqliteControl};
use mcpulse_store::duckdb::DuckEvents;
use mcpulse_store::events::{EventStore, NewPayload};
use mcpulse_store::export::{Exports, Selection};
use mcpulse_store::id::{KeyId, ServerId};
use mcpulse_store::metrics::types::Range;
use mcpulse_store::testing::{batch, call};

use crate::help::{HOUR, NOON, append_one, calls, keyed, open, stored};

fn everything() -> Selection {
    let range = Range { from_ms: NOON - HOUR, to_ms: NOON + HOUR };
    Selection { range, tools: Vec::new(), clients: Vec::new() }
}

/// Rows, first tool and hashes of a Parquet file.
fn read_parquet(bytes: &[u8]) -> (u64, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("calls.parquet");
    fs::write(&path, bytes).unwrap();
    #[allow(clippy::disallowed_methods, reason = "stands for whoever reads the export")]
    let reader = duckdb::Connection::open_in_memory().unwrap();
    let sql = format!(
        "SELECT count(*), coalesce(min_by(tool, seq), ''), coalesce(string_agg(DISTINCT outcome || args_hash), '')
         FROM read_parquet('{}')",
        path.display()
    );
    reader.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
}

async fn parquet(store: &DuckEvents, server: ServerId, selection: &Selection, upto: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.parquet(server, selection, upto).await.unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[tokio::test]
async fn calls_are_exported_as_they_were_selected() {
    let dir = tempfile::tempdir().unwrap();
    let (store, server) = (open(dir.path()), ServerId::new());
    let tools = ["search", "it's", "search"];
    let all = tools.map(|tool| NewPayload::Call(call("s", tool, NOON))).to_vec();
    store.append(server, batch(KeyId::new(), NOON, all)).await.unwrap();
    let late = NewPayload::Call(call("s", "search", NOON + 2 * HOUR));
    store.append(server, batch(KeyId::new(), NOON, vec![late])).await.unwrap();
    assert_eq!(store.newest(server).await.unwrap(), 4);
    for (tools, after, upto, expected) in [
        (vec![], 0, 4, vec![1, 2, 3]),
        (vec![], 1, 2, vec![2]),
        (vec!["it's".to_owned()], 0, 4, vec![2]),
        (vec!["'); DROP TABLE calls; --".to_owned()], 0, 4, vec![]),
    ] {
        let selection = Selection { tools, ..everything() };
        let calls = store.calls_between(server, &selection, after, upto).await.unwrap();
        assert_eq!(calls.iter().map(|call| call.seq).collect::<Vec<_>>(), expected);
        if after == 0 {
            let read = read_parquet(&parquet(&store, server, &selection, upto).await);
            assert_eq!(read.0, expected.len() as u64);
        }
    }
    let read = read_parquet(&parquet(&store, server, &everything(), 4).await);
    assert_eq!(read, (3, "search".to_owned(), "ok44136fa355b3".to_owned()));
    // Columns without rows are a file too, and nothing is left beside the event file.
    assert_eq!(read_parquet(&parquet(&store, ServerId::new(), &everything(), 0).await).0, 0);
    let files = fs::read_dir(dir.path().join("events")).unwrap();
    let names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| name.contains(".duckdb")), "{names:?}");
}

async fn backup(control: &Arc<SqliteControl>, events: &Arc<DuckEvents>) -> Vec<u8> {
    let mut backup = Backup::begin(control.clone(), events.clone(), NOON).await.unwrap();
    let mut all = Vec::new();
    while let Some(piece) = backup.piece().await.unwrap() {
        all.extend_from_slice(&piece);
    }
    all
}

/// A control store with a server, which has sent something.
async fn filled(dir: &Path) -> (Arc<SqliteControl>, Arc<DuckEvents>, ServerId) {
    let control = Arc::new(SqliteControl::open(dir).unwrap());
    let (_, account) = control.create_user("ann@example.org", "Ann's", Actor::Operator).await.unwrap();
    let server = control.create_server(account.id, "orders", Actor::Operator).await.unwrap().id;
    control.create_server(account.id, "silent", Actor::Operator).await.unwrap();
    let events = open(dir);
    events.append(server, keyed(calls(KeyId::new(), ["a".to_owned()]), "once")).await.unwrap();
    append_one(&events, server, "b").await.unwrap();
    (control, events, server)
}

#[tokio::test]
async fn a_backup_becomes_the_same_stores() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (control, events, server) = filled(from.path()).await;
    let archive = backup(&control, &events).await;
    // What comes later is not in it, and what is in the way of nothing goes on.
    append_one(&events, server, "later").await.unwrap();
    let target = to.path().join("data");
    let contents = restore(&archive[..], &target).unwrap();
    assert_eq!((contents.files.len(), contents.began_ms), (2, NOON));

    let control = SqliteControl::open(&target).unwrap();
    assert_eq!(control.all_servers().await.unwrap().len(), 2);
    assert!(control.user_by_email("ann@example.org").await.unwrap().is_some());
    let events = open(&target);
    assert_eq!(stored(&*events, server).await.unwrap(), ["a", "b"]);
    append_one(&events, server, "c").await.unwrap();
    assert_eq!(crate::help::seqs(&*events, server).await, [1, 2, 3]);
    assert!(matches!(restore(&archive[..], &target), Err(RestoreError::NotEmpty(_))));
}

#[tokio::test]
async fn a_copy_that_was_left_behind_is_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let control = SqliteControl::open(dir.path()).unwrap();
    let left = dir.path().join("control.copy-log_01890a5d-ac96-774b-bcce-b302099a8057");
    fs::write(&left, "names").unwrap();
    control.clear_copies().unwrap();
    assert!(!left.exists());
    control.ping().await.unwrap();
}

#[tokio::test]
async fn what_is_no_whole_backup_leaves_nothing() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (control, events, _) = filled(from.path()).await;
    let archive = backup(&control, &events).await;
    let target = to.path().join("data");
    let mut damaged = archive.clone();
    // Somewhere in the control store.
    damaged[5_000] ^= 1;
    let cut = &archive[..archive.len() / 2];
    let without_end = &archive[..archive.len() - 1_024];
    let mut trailed = without_end.to_vec();
    trailed.write_all(&archive).unwrap();
    for (what, bad) in [
        ("nothing", &[][..]),
        ("text", b"not an archive at all".as_slice()),
        ("zeros", &[0; 4_096]),
        ("one byte", &damaged),
        ("half", cut),
        ("no end", without_end),
        ("two in one", &trailed),
    ] {
        let refused = restore(bad, &target);
        assert!(matches!(refused, Err(RestoreError::Damaged(_))), "{what}: {refused:?}");
        assert!(!target.exists(), "{what}");
    }
    restore(&archive[..], &target).unwrap();
}

#[tokio::test]
async fn an_archive_reaches_no_further_than_its_directory() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (control, events, _) = filled(from.path()).await;
    let archive = backup(&control, &events).await;
    let mut elsewhere = archive.clone();
    // The name of the first file, and with it the sum of its head.
    let sum = |head: &[u8]| -> u32 { head.iter().map(|byte| u32::from(*byte)).sum() };
    let before = sum(&elsewhere[..148]);
    elsewhere[..14].copy_from_slice(b"../evil.sqlite");
    let known = u32::from_str_radix(std::str::from_utf8(&archive[148..154]).unwrap(), 8).unwrap();
    let known = known + sum(&elsewhere[..148]) - before;
    elsewhere[148..154].copy_from_slice(format!("{known:06o}").as_bytes());
    let refused = restore(&elsewhere[..], &to.path().join("data"));
    assert!(
        matches!(&refused, Err(RestoreError::Damaged(what)) if what.contains("no backup holds")),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0);
}
