//! `mcpulse serve`, and the commands that work beside it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::support::{Serve, call, json, mcpulse, stderr, stdout, track};

#[test]
fn the_first_start_makes_an_owner_who_can_sign_in() {
    let data = tempfile::tempdir().unwrap();
    let server = Serve::start(data.path());
    assert!(server.link.starts_with(&format!("{}/sign-in#mp_link_", server.url)));
    let me = server.sign_in().get("/v1/me");
    assert_eq!(me["user"]["email"], "owner@localhost");
    assert_eq!(me["memberships"][0]["role"], "owner");
}

#[test]
fn a_second_start_keeps_the_owner_and_the_data() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Serve::start(data.path());
    let user = server.sign_in().get("/v1/me")["user"].clone();
    let (id, _, secret) = track(data.path());
    assert_eq!(server.send(&secret, &[call("s")]), 202);
    assert!(server.terminate());
    assert!(!data.path().join("server.url").exists());
    let server = Serve::start(data.path());
    let reader = server.sign_in();
    assert_eq!(reader.get("/v1/me")["user"], user);
    assert_eq!(reader.get(&format!("/v1/servers/{id}/ingest-health"))["accepted"], 1);
}

#[test]
fn a_key_revoked_by_another_process_is_refused_at_once() {
    let data = tempfile::tempdir().unwrap();
    let server = Serve::start(data.path());
    let (id, key, secret) = track(data.path());
    assert_eq!(server.send(&secret, &[call("s")]), 202);
    assert!(json(data.path(), &["keys", "revoke", &key])["revoked_ms"].is_i64());
    assert_eq!(server.send(&secret, &[call("s")]), 401);
    assert_eq!(server.sign_in().get(&format!("/v1/servers/{id}/ingest-health"))["accepted"], 1);
}

#[test]
fn login_link_works_beside_the_running_server() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Serve::start(data.path());
    let said = json(data.path(), &["login-link"]);
    let link = said["sign_in"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/sign-in#", server.url)), "{link}");
    server.link = link.to_owned();
    server.sign_in().get("/v1/me");
    assert_eq!(said["expires_in_minutes"], json!(15));
}

#[test]
fn login_link_needs_a_server_that_runs_and_finds_its_owner() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Serve::with(data.path(), &["--owner-email", "ann@example.org"]);
    let said = json(data.path(), &["login-link"]);
    server.link = said["sign_in"].as_str().unwrap().to_owned();
    assert_eq!(server.sign_in().get("/v1/me")["user"]["email"], "ann@example.org");
    // Killed, it leaves its address behind, which leads nowhere.
    server.kill();
    assert!(data.path().join("server.url").exists());
    let refused = mcpulse().arg("--data").arg(data.path()).arg("login-link").output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("no server runs"), "{}", stderr(&refused));
    let named = json(data.path(), &["login-link", "--public-url", "https://stats.example.org"]);
    assert!(named["sign_in"].as_str().unwrap().starts_with("https://stats.example.org/sign-in#"));
}

#[test]
fn a_second_server_on_one_data_directory_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let server = Serve::start(data.path());
    let (_, _, secret) = track(data.path());
    let mut second = mcpulse()
        .arg("--data")
        .arg(data.path())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A line here would be the address of a second server, which would go on for ever.
    let mut line = String::new();
    BufReader::new(second.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if !line.is_empty() {
        second.kill().unwrap();
    }
    let second = second.wait_with_output().unwrap();
    assert_eq!(second.status.code(), Some(3), "{line}{}", stderr(&second));
    assert!(stderr(&second).contains("in use"), "{}", stderr(&second));
    assert_eq!(server.send(&secret, &[call("s")]), 202);
    // And it has not told the other commands that it is the server.
    let link = json(data.path(), &["login-link"]);
    assert!(link["sign_in"].as_str().unwrap().starts_with(&server.url));
}

/// What `serve` says, and how it ends, when it cannot start.
fn refused(data: &std::path::Path, flags: &[&str]) -> (Option<i32>, String) {
    let mut serve = mcpulse();
    serve.arg("--data").arg(data).args(["serve", "--listen", "127.0.0.1:0"]).args(flags);
    let done = serve.output().unwrap();
    (done.status.code(), stderr(&done))
}

#[test]
fn a_lost_or_damaged_control_store_is_reported_and_not_replaced() {
    let data = tempfile::tempdir().unwrap();
    let control = data.path().join("control.sqlite");
    let mut server = Serve::start(data.path());
    let (_, _, secret) = track(data.path());
    assert_eq!(server.send(&secret, &[call("s")]), 202);
    assert!(server.terminate());
    let whole = std::fs::read(&control).unwrap();
    let mut damaged = whole.clone();
    for byte in damaged.iter_mut().skip(4_096) {
        *byte = 0xff;
    }
    std::fs::write(&control, &damaged).unwrap();
    let (code, said) = refused(data.path(), &[]);
    assert_eq!(code, Some(3), "{said}");
    for gone in [Some(Vec::new()), None] {
        match gone {
            Some(empty) => std::fs::write(&control, empty).unwrap(),
            None => std::fs::remove_file(&control).unwrap(),
        }
        let (code, said) = refused(data.path(), &[]);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("control.sqlite is missing or empty"), "{said}");
    }
    std::fs::write(&control, whole).unwrap();
    assert_eq!(Serve::start(data.path()).send(&secret, &[call("s")]), 202);
}

#[test]
fn settings_out_of_bounds_are_wrong_usage() {
    let data = tempfile::tempdir().unwrap();
    for flags in [
        ["--header-timeout", "18446744073709551615"],
        ["--body-timeout", "0"],
        ["--max-connections", "18446744073709551615"],
        ["--max-requests", "0"],
        ["--query-threads", "100000"],
        ["--owner-email", "nobody"],
    ] {
        let (code, said) = refused(data.path(), &flags);
        assert_eq!(code, Some(2), "{flags:?}: {said}");
        assert!(said.contains(flags[0]), "{flags:?}: {said}");
    }
}

#[test]
fn tables_are_for_people() {
    let data = tempfile::tempdir().unwrap();
    let _server = Serve::start(data.path());
    let (id, _, secret) = track(data.path());
    let table = mcpulse().arg("--data").arg(data.path()).args(["keys", "list", &id]).output().unwrap();
    let text = stdout(&table);
    assert!(text.starts_with("key "), "{text}");
    assert_eq!(text.lines().count(), 2);
    assert!(text.contains(&secret[..12]) && !text.contains(&secret[12..]));
    let servers = mcpulse().arg("--data").arg(data.path()).args(["servers", "list"]).output().unwrap();
    assert!(stdout(&servers).contains(&id));
}

#[test]
fn secrets_are_in_no_log() {
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let mut command = mcpulse();
    command.arg("--json").arg("--data").arg(data.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "trace"]);
    let server = Serve::spawn(command.stderr(std::fs::File::create(&log).unwrap()));
    let (_, _, secret) = track(data.path());
    let token = server.link.split('#').nth(1).unwrap().to_owned();
    server.sign_in().get("/v1/me?token=canary");
    assert_eq!(server.send(&secret, &[call("canary-session")]), 202);
    drop(server);
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("/v1/ingest"), "the log is empty");
    for word in [secret[8..].to_owned(), token[8..].to_owned(), "mp_login_".to_owned(), "canary".to_owned()] {
        assert!(!text.contains(&word), "{word} is in the log");
    }
}
