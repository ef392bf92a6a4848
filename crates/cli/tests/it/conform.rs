//! `mcpulse conform`, without a producer: those have tests of their own.

use serde_json::Value;

use crate::support::{run, stderr, stdout};

#[test]
fn the_checks_are_listed_with_their_rules() {
    let output = run(&["conform", "--list"]);
    assert!(output.status.success());
    assert!(stdout(&output).lines().any(|line| line.starts_with("K-101 ") && line.contains("C-001")));
}

#[test]
fn a_check_that_there_is_not_is_wrong_usage() {
    let output = run(&["conform", "--only", "K-000", "--", "true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("K-000"));
    assert_eq!(run(&["conform"]).status.code(), Some(2));
}

#[test]
fn a_program_that_is_no_harness_fails_and_the_report_says_why() {
    let output = run(&["conform", "--only", "K-101", "--report", "json", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["failed"], &report["passed"]), (&1.into(), &0.into()));
    assert_eq!(report["checks"][0]["verdict"], "failed");
    let junit = run(&["conform", "--only", "K-101", "--report", "junit", "--", "true"]);
    assert!(stdout(&junit).contains("<failure message="));
}

#[test]
fn a_failure_that_is_known_fails_no_run_but_nothing_was_shown_either() {
    let dir = tempfile::tempdir().unwrap();
    let known = dir.path().join("known.json");
    std::fs::write(&known, r#"[{"id":"K-101","link":null,"reason":"no harness"}]"#).unwrap();
    let known = known.to_str().unwrap();
    let output = run(&["conform", "--known", known, "--only", "K-101", "--report", "json", "--", "true"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["known_failures"], &report["failed"]), (&1.into(), &0.into()));
    assert_eq!(output.status.code(), Some(1), "nothing passed");
    std::fs::write(known, "[{}]").unwrap();
    assert_eq!(run(&["conform", "--known", known, "--", "true"]).status.code(), Some(2));
}
