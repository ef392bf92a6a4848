//! A server that runs already, its producer sending to the kit.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mcpulse_conformance::{Options, Remote, Report, Transport, Verdict, run};
use serde_json::Value;

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn conform(fault: &str, only: &[&str]) -> Report {
    let remote = Remote::listen("127.0.0.1:0".parse().unwrap(), None).unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_fake-harness"))
        .args(["--fault", fault, "--age", "500", "--transport", "http"])
        .envs(remote.environment())
        .stdout(Stdio::piped())
        .spawn()
        .map(Server)
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let listening: Value = serde_json::from_str(&line).unwrap();
    let remote = remote.serving(listening["url"].as_str().unwrap());
    assert!(remote.wait(Duration::from_secs(60)));
    let mut options = Options::new(vec!["--url".to_owned()]);
    options.remote = Some(remote);
    options.transports = vec![Transport::Http];
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    options.patience = Duration::from_secs(30);
    run(options, &[], |_| {}).unwrap()
}

#[test]
fn what_needs_only_a_running_server_is_checked_and_the_rest_says_what_it_lacks() {
    let report = conform("none", &[]);
    let bad: Vec<_> =
        report.checks.iter().filter(|check| check.verdict.is_bad()).map(|check| check.line()).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    let of = |id: &str, verdict| report.checks.iter().any(|check| check.id == id && check.verdict == verdict);
    for id in ["K-201", "K-203", "K-302", "K-501", "K-503", "K-601", "K-603", "K-910", "K-921"] {
        assert!(of(id, Verdict::Passed), "{id} was not made");
    }
    for id in ["K-101", "K-401", "K-502", "K-701", "K-902"] {
        assert!(of(id, Verdict::Skipped), "{id} was made");
    }
    let skipped = report.checks.iter().filter(|check| check.verdict == Verdict::Skipped);
    assert!(skipped.clone().all(|check| check.detail.is_some()));
}

#[test]
fn faults_of_a_running_server_are_caught() {
    for (fault, id) in
        [("bad-args-as-tool-error", "K-203"), ("sends-canary", "K-501"), ("client-of-the-last", "K-302")]
    {
        let report = conform(fault, &[id]);
        let caught = report.checks.iter().any(|check| check.id == id && check.verdict == Verdict::Failed);
        assert!(caught, "{id} misses {fault}");
    }
}
