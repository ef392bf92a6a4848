//! What every engine must do with appends.

use std::collections::HashSet;
use std::sync::Arc;

use mcpulse_store::events::{EventError, EventStore, NewBatch, NewPayload, Rejected};
use mcpulse_store::id::{KeyId, ServerId};
use mcpulse_store::testing::{TempEvents, agreement, batch, call, startup};

use crate::help::{HOUR, NOON, append_one, calls, keyed, open, stored};

#[tokio::test]
async fn an_append_answers_how_many_it_stored() {
    let events = TempEvents::open().unwrap();
    let payloads = vec![
        NewPayload::Startup(startup("s_1", &["search", "orders"])),
        NewPayload::Call(call("s_1", "search", 1_000)),
        NewPayload::Agreement(agreement("s_1", "price", ["orders", "search"], true, 2_000)),
    ];
    let answer = events.append(3_000, payloads).await.unwrap();
    assert_eq!(answer.accepted, 3);
    assert!(!answer.replayed);
}

#[tokio::test]
async fn rejections_are_answered_up_to_twenty() {
    let events = TempEvents::open().unwrap();
    let rejected: Vec<_> = (0..25)
        .map(|index| Rejected { index, path: "/duration_ms".to_owned(), rule: "type".to_owned() })
        .collect();
    let batch = NewBatch { rejected: rejected.clone(), ..batch(events.key, NOON, Vec::new()) };
    let answer = events.store.append(events.server, batch).await.unwrap();
    assert_eq!(answer.accepted, 0);
    assert_eq!(answer.rejected, rejected[..20]);
}

#[tokio::test]
async fn a_name_may_hold_any_character() {
    let events = TempEvents::open().unwrap();
    let odd = ["\u{0}", "a\u{0}b", "'; DROP TABLE calls; --", "名前 🚀", "\u{feff}x\r\n"];
    let answer = events.store.append(events.server, calls(events.key, odd.map(str::to_owned))).await.unwrap();
    assert_eq!(answer.accepted, 5);
    assert_eq!(stored(&*events.store, events.server).await.unwrap(), odd);
}

#[tokio::test]
async fn a_repeated_idempotency_key_stores_nothing() {
    let events = TempEvents::open().unwrap();
    let (store, server) = (&events.store, events.server);
    let first = keyed(calls(events.key, ["a".to_owned(), "b".to_owned()]), "once");
    assert_eq!(store.append(server, first.clone()).await.unwrap().accepted, 2);
    // The answer is that of the first, whatever the second brings.
    let again = store.append(server, keyed(calls(events.key, ["c".to_owned()]), "once")).await.unwrap();
    assert_eq!((again.accepted, again.replayed), (2, true));
    // The same word of another ingest key is another key.
    let other = store.append(server, keyed(calls(KeyId::new(), ["d".to_owned()]), "once")).await.unwrap();
    assert_eq!((other.accepted, other.replayed), (1, false));
    assert_eq!(stored(&**store, server).await.unwrap(), ["a", "b", "d"]);
}

#[tokio::test]
async fn idempotency_keys_outlive_the_process_and_last_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let (server, key) = (ServerId::new(), KeyId::new());
    let at = |received_ms: i64, session: &str| NewBatch {
        received_ms,
        ..keyed(calls(key, [session.to_owned()]), "once")
    };
    let store = open(dir.path());
    assert!(!store.append(server, at(NOON, "first")).await.unwrap().replayed);
    store.close().await.unwrap();
    drop(store);

    let store = open(dir.path());
    assert!(store.append(server, at(NOON + 24 * HOUR - 1, "within a day")).await.unwrap().replayed);
    assert!(!store.append(server, at(NOON + 24 * HOUR, "after a day")).await.unwrap().replayed);
    assert!(store.append(server, at(NOON + 25 * HOUR, "repeats the second")).await.unwrap().replayed);
    assert_eq!(stored(&*store, server).await.unwrap(), ["first", "after a day"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn appends_at_the_same_time_are_all_stored_once() {
    const WRITERS: usize = 32;
    const BATCHES: usize = 10;
    let events = TempEvents::open().unwrap();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, server, key) = (Arc::clone(&events.store), events.server, events.key);
            tokio::spawn(async move {
                let mut new = 0;
                for number in 0..BATCHES {
                    // Two writers send each batch, as a producer does whose connection broke.
                    let name = format!("{}-{number}", writer / 2);
                    let batch = keyed(calls(key, [format!("{name}-a"), format!("{name}-b")]), &name);
                    new += usize::from(!store.append(server, batch).await.unwrap().replayed);
                }
                new
            })
        })
        .collect();
    let mut new = 0;
    for writer in writers {
        new += writer.await.unwrap();
    }
    let stored = stored(&*events.store, events.server).await.unwrap();
    assert_eq!(new, WRITERS / 2 * BATCHES);
    assert_eq!(stored.len(), 2 * new);
    assert_eq!(stored.iter().collect::<HashSet<_>>().len(), stored.len());
}

#[tokio::test]
async fn servers_do_not_see_each_other() {
    let events = TempEvents::open().unwrap();
    let other = ServerId::new();
    append_one(&events.store, events.server, "mine").await.unwrap();
    append_one(&events.store, other, "theirs").await.unwrap();
    assert_eq!(stored(&*events.store, events.server).await.unwrap(), ["mine"]);
    assert_eq!(stored(&*events.store, other).await.unwrap(), ["theirs"]);
    assert!(stored(&*events.store, ServerId::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_deleted_server_is_gone_for_good() {
    let events = TempEvents::open().unwrap();
    let (store, server) = (&events.store, events.server);
    append_one(store, server, "gone").await.unwrap();
    store.delete_server(server).await.unwrap();
    assert_eq!(append_one(store, server, "late").await, Err(EventError::Deleted));
    assert!(stored(&**store, server).await.is_err());
    // Deleting what is not there is no error: a deletion that was interrupted can be repeated.
    store.delete_server(server).await.unwrap();
    store.delete_server(ServerId::new()).await.unwrap();
}

#[tokio::test]
async fn a_closed_store_keeps_what_it_was_given_and_takes_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let server = ServerId::new();
    let store = open(dir.path());
    append_one(&store, server, "kept").await.unwrap();
    store.close().await.unwrap();
    assert!(matches!(append_one(&store, server, "late").await, Err(EventError::Unavailable(_))));
    assert!(stored(&*store, server).await.is_err());
    drop(store);
    assert_eq!(stored(&*open(dir.path()), server).await.unwrap(), ["kept"]);
}
