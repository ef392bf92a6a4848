//! `mcpulse validate`

use serde_json::{Value, json};

use crate::support::{call, pipe, run, stderr, stdout};

#[test]
fn reasons_and_the_exit_code_say_what_is_wrong() {
    let mut bad = call("s");
    bad["secret_field"] = json!("hunter2");
    let batch = json!({"batch": [call("s"), bad, 7]}).to_string();
    let output = pipe(&["validate", "--json"], batch.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({"payload": 1, "valid": true, "type": "call"}));
    assert_eq!(lines[1], json!({"payload": 2, "valid": false, "path": "", "rule": "additionalProperties"}));
    assert_eq!(lines[2], json!({"payload": 3, "valid": false, "path": "", "rule": "type"}));
    assert!(!stdout(&output).contains("secret_field") && !stdout(&output).contains("hunter2"));
}

#[test]
fn valid_payloads_a_line_each_end_well() {
    let input = format!("{}\n{}\n", call("s"), call("t"));
    let output = pipe(&["validate"], input.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output).lines().count(), 3);
}

#[test]
fn a_file_that_is_not_there_is_wrong_usage() {
    let output = run(&["validate", "/nowhere/batch.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/nowhere/batch.json"));
}

#[test]
fn nothing_is_not_valid() {
    for nothing in [&b""[..], b" \n\n"] {
        let output = pipe(&["validate"], nothing);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("empty"), "{}", stderr(&output));
    }
    assert_eq!(pipe(&["validate"], b"{\"batch\":[]}").status.code(), Some(0));
}
