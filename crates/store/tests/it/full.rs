//! A disk that is full: what was answered stays, the rest is refused, and it goes on once there is room.

use std::path::Path;
use std::process::Command;

use mcpulse_store::duckdb::DuckEvents;
use mcpulse_store::events::{EventError, EventStore};
use mcpulse_store::id::{KeyId, ServerId};

use crate::help::{calls, small, stored};

/// A small file system in memory; unmounted when dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// `None` where mounting is not allowed.
    fn mount(at: &'a Path) -> Option<Self> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"]).arg(at).output();
        mount.is_ok_and(|done| done.status.success()).then_some(Self(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let done = Command::new("umount").arg("-l").arg(self.0).status();
        assert!(done.is_ok_and(|status| status.success()), "the small disk stays mounted");
    }
}

#[tokio::test]
async fn what_was_answered_outlives_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(dir.path()) else {
        let all = std::env::var_os("MCPULSE_REQUIRE_ALL").is_some();
        assert!(!all, "a file system cannot be mounted here");
        return;
    };
    let server = ServerId::new();
    let store = DuckEvents::open(dir.path(), small()).unwrap();
    let mut answered = Vec::new();
    let mut refusals = 0;
    let batch = |number: usize| (0..500).map(move |call| format!("{number}-{call}"));
    for number in 0..400 {
        match store.append(server, calls(KeyId::new(), batch(number))).await {
            Ok(_) => answered.extend(batch(number)),
            Err(EventError::Unavailable(_)) => refusals += 1,
            Err(other) => panic!("{other}"),
        }
        if refusals > 5 {
            break;
        }
    }
    assert!(refusals > 0, "the disk was never full");
    drop(store);

    // Room again: everything answered is there, and more can come.
    let more = Command::new("mount").args(["-o", "remount,size=64m"]).arg(dir.path()).status().unwrap();
    assert!(more.success());
    let store = DuckEvents::open(dir.path(), small()).unwrap();
    store.append(server, calls(KeyId::new(), ["after".to_owned()])).await.unwrap();
    let stored = stored(&store, server).await.unwrap();
    answered.push("after".to_owned());
    assert_eq!(stored.len(), answered.len());
    assert!(stored == answered);
}
