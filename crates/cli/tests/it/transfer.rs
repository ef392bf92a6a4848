//! `mcpulse backup`, `restore` and `export` beside a running server.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::blocking::Client;
use serde_json::Value;

use crate::support::{Reader, Serve, call, json, mcpulse, send, stderr, stdout, track};

fn in_dir(data: &Path, arguments: &[&str]) -> std::process::Output {
    mcpulse().arg("--data").arg(data).args(arguments).output().unwrap()
}

fn accepted(reader: &Reader, id: &str) -> u64 {
    reader.get(&format!("/v1/servers/{id}/ingest-health"))["accepted"].as_u64().unwrap()
}

/// Ends the senders when it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[test]
fn a_backup_under_load_holds_what_was_answered_before() {
    let (data, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Serve::start(data.path());
    let (id, key, secret) = track(data.path());
    let limit = serde_json::json!({"limit_per_minute": 100_000_000});
    let reader = server.sign_in();
    reader.patch(&format!("/v1/keys/{key}"), &limit);
    let archive = elsewhere.path().join("backup.tar");
    let running = AtomicBool::new(true);
    let mut before = 0;
    std::thread::scope(|scope| {
        // However this ends, the senders do.
        let _end = End(&running);
        for sender in 0..3 {
            let (running, url, secret) = (&running, &server.url, &secret);
            scope.spawn(move || {
                let client = Client::new();
                for number in 0.. {
                    if !running.load(Ordering::Relaxed) {
                        return;
                    }
                    let batch: Vec<Value> =
                        (0..20).map(|at| call(&format!("{sender}-{number}-{at}"))).collect();
                    assert_eq!(send(&client, url, secret, "", &batch), Some(202));
                }
            });
        }
        while before < 2_000 {
            before = accepted(&reader, &id);
        }
        let said = json(data.path(), &["backup", archive.to_str().unwrap()]);
        assert_eq!(said["bytes"], archive.metadata().unwrap().len());
    });
    let mode = std::os::unix::fs::PermissionsExt::mode(&archive.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let after = accepted(&reader, &id);

    // It is not overwritten, and what it becomes does not overwrite either.
    assert_eq!(in_dir(data.path(), &["backup", archive.to_str().unwrap()]).status.code(), Some(2));
    let refused = in_dir(data.path(), &["restore", archive.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    let restored = elsewhere.path().join("data");
    assert_eq!(json(&restored, &["restore", archive.to_str().unwrap()])["files"], 2);
    let second = Serve::start(&restored);
    let reader = second.sign_in();
    let held = accepted(&reader, &id);
    assert!((before..=after).contains(&held), "{before} {held} {after}");
    // The key works there as it did.
    assert_eq!(second.send(&secret, &[call("s")]), 202);
    assert_eq!(accepted(&reader, &id), held + 1);
}

#[test]
fn without_a_server_a_backup_is_made_all_the_same() {
    let (data, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut server = Serve::start(data.path());
    let (id, _, secret) = track(data.path());
    assert_eq!(server.send(&secret, &[call("s")]), 202);
    server.kill();
    // To standard output, and from standard input.
    let made = in_dir(data.path(), &["backup", "-"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let restored = elsewhere.path().join("data");
    let mut child = mcpulse()
        .arg("--data")
        .arg(&restored)
        .args(["restore", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&made.stdout).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let server = Serve::start(&restored);
    assert_eq!(accepted(&server.sign_in(), &id), 1);
}

#[test]
fn what_is_no_backup_is_refused() {
    let (data, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = elsewhere.path().join("file");
    std::fs::write(&file, "nothing of the kind").unwrap();
    let target = data.path().join("data");
    let refused = in_dir(&target, &["restore", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("no whole backup"), "{}", stderr(&refused));
    assert!(!target.exists());
    // One that was killed in the middle is no data directory.
    std::fs::create_dir_all(target.join("restoring")).unwrap();
    let refused = in_dir(&target, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("not wholly restored"), "{}", stderr(&refused));
}

#[test]
fn calls_are_exported_beside_the_server_and_with_a_token() {
    let (data, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Serve::start(data.path());
    let (id, _, secret) = track(data.path());
    assert_eq!(server.send(&secret, &[call("a"), call("b")]), 202);
    let csv = in_dir(data.path(), &["export", &id, "--last-days", "2"]);
    assert!(csv.status.success(), "{}", stderr(&csv));
    assert_eq!(stdout(&csv).lines().count(), 3);
    let none = in_dir(data.path(), &["export", &id, "--format", "ndjson", "--tools", "none"]);
    assert_eq!(stdout(&none), "");
    let file = elsewhere.path().join("calls.parquet");
    let flags = ["export", &id, "--format", "parquet", "--output", file.to_str().unwrap()];
    assert_eq!(json(data.path(), &flags)["bytes"], file.metadata().unwrap().len());
    assert_eq!(in_dir(data.path(), &flags).status.code(), Some(2));

    let reader = server.sign_in();
    let account = reader.get("/v1/me")["memberships"][0]["account"]["id"].as_str().unwrap().to_owned();
    let token = reader.post(
        &format!("/v1/accounts/{account}/tokens"),
        &serde_json::json!({"name": "export", "scopes": ["read"]}),
    );
    let far = mcpulse()
        .args(["export", &id, "--url", &server.url, "--last-days", "2", "--format", "ndjson"])
        .env("MCPULSE_TOKEN", token["secret"].as_str().unwrap())
        .output()
        .unwrap();
    assert_eq!(stdout(&far).lines().count(), 2, "{}", stderr(&far));

    for (arguments, code, says) in [
        (vec!["export", "srv_01890a5d-ac96-774b-bcce-b302099a8057"], 1, "Not found"),
        (vec!["export", &id, "--from", "yesterday"], 2, "from must"),
        (vec!["export", "../x"], 2, "srv_"),
    ] {
        let refused = in_dir(data.path(), &arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(says), "{arguments:?}: {}", stderr(&refused));
    }
    drop(server);
    let refused = in_dir(data.path(), &["export", &id]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("no server runs"), "{}", stderr(&refused));
}
