//! `canonicalize`, `hash` and `normalize` against the fixtures, and as parts of a pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{mcpulse, pipe, stdout};

fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Cases of text that fit on a line, with what they should come to.
fn cases() -> Vec<(String, Option<String>, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let extra = fixture("canonical-extra.json");
    let cases = extra["cases"].as_array().unwrap().iter().filter_map(|case| {
        // A line break inside a document is blank space, and cannot stand inside a line.
        let json = text(&case["json"])?.replace(['\n', '\r'], " ");
        Some((json, text(&case["canonical"]), text(&case["args_hash"]).unwrap()))
    });
    cases.collect()
}

#[test]
fn canonicalize_and_hash_follow_the_fixtures() {
    let cases = cases();
    assert!(cases.len() > 20);
    let input: String = cases.iter().map(|(json, ..)| format!("{json}\n")).collect();
    let canonical = stdout(&pipe(&["canonicalize"], input.as_bytes()));
    let hashes = stdout(&pipe(&["hash"], input.as_bytes()));
    assert_eq!((canonical.lines().count(), hashes.lines().count()), (cases.len(), cases.len()));
    for (((json, form, hash), canonical), hashed) in cases.iter().zip(canonical.lines()).zip(hashes.lines()) {
        assert_eq!(hashed, hash, "{json}");
        // No arguments and `null` hash as `{}`, but a line says what it says.
        let expected = match json.trim() {
            "" => "!",
            "null" => "null",
            _ => form.as_deref().unwrap_or("!"),
        };
        assert_eq!(canonical, expected, "{json}");
    }
}

#[test]
fn the_frozen_cases_hold() {
    let fixture = fixture("canonical.json");
    let cases = fixture["cases"].as_array().unwrap();
    for case in cases {
        let line = format!("{}\n", case["input"]);
        assert_eq!(
            stdout(&pipe(&["hash"], line.as_bytes())).trim_end(),
            case["args_hash"].as_str().unwrap(),
            "{case}"
        );
        let canonical = stdout(&pipe(&["canonicalize"], line.as_bytes()));
        assert_eq!(canonical.trim_end_matches('\n'), case["canonical"].as_str().unwrap(), "{case}");
    }
    assert_eq!(cases.len(), 23);
}

#[test]
fn normalize_follows_the_fixtures() {
    let fixture = fixture("description-norm.json");
    let cases = fixture["cases"].as_array().unwrap();
    let input: String = cases.iter().map(|case| format!("{}\n", case["description"])).collect();
    let output = stdout(&pipe(&["normalize"], input.as_bytes()));
    assert_eq!(output.lines().count(), cases.len());
    for (case, line) in cases.iter().zip(output.lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["tokens"], case["tokens"], "{case}");
        assert_eq!(line["hash"], case["description_norm"], "{case}");
    }
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_run() {
    assert_eq!(stdout(&pipe(&["canonicalize"], b"\xff\xfe\n{}\n\n\x00\n1e400\n 7 ")), "!\n{}\n!\n!\n!\n7\n");
    assert_eq!(
        stdout(&pipe(&["hash"], b"\xff\n{}\n\nnull\n1e400")),
        "000000000000\n44136fa355b3\n44136fa355b3\n44136fa355b3\n000000000000\n"
    );
    assert_eq!(stdout(&pipe(&["normalize"], b"\"\xff\"\n{}\n")), "!\n!\n");
    assert_eq!(stdout(&pipe(&["canonicalize"], b"")), "");
}

#[test]
fn a_million_lines_pass() {
    let mut input = String::new();
    for n in 0..1_000_000 {
        input.push_str("{\"b\":[1,2],\"a\":");
        input.push_str(&(n % 1_000).to_string());
        input.push_str("}\n");
    }
    for command in ["canonicalize", "hash"] {
        let output = pipe(&[command], input.as_bytes());
        assert!(output.status.success());
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1_000_000);
    }
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    let mut child = mcpulse()
        .arg("canonicalize")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let line = b"{\"a\":1}\n".repeat(4_096);
    // Ends when the filter has gone and the pipe with it.
    while stdin.write_all(&line).is_ok() {}
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn it_answers_line_by_line() {
    for (command, answer) in [("canonicalize", "{\"a\":1}"), ("hash", "015abd7f5cc5")] {
        let mut child = mcpulse().arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..3 {
            stdin.write_all(b"{ \"a\" : 1 }\n").unwrap();
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line.trim_end(), answer);
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}
