//! The canonical form against ECMAScript itself, where Node is installed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]
#![allow(clippy::print_stderr, reason = "a test that is skipped must say so")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the other implementation is a program"
)]

mod support;

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

use mcpulse_wire::canonical::canonicalize_raw;
use mcpulse_wire::{hash, size};
use support::documents::{Random, document};

const DOCUMENTS: usize = 20_000;

#[test]
fn documents_agree_with_ecmascript() {
    let mut random = Random::new(0x6d63_7075_6c73_6521);
    let documents: Vec<String> = (0..DOCUMENTS).map(|_| document(&mut random)).collect();
    let mut input = String::new();
    for document in &documents {
        writeln!(input, "{}", serde_json::Value::from(document.as_str())).unwrap();
    }

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/canonical.mjs");
    let spawned = Command::new("node").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut node = match spawned {
        Ok(node) => node,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("skipped: documents_agree_with_ecmascript needs node, which is not installed");
            return;
        }
        Err(error) => panic!("node: {error}"),
    };
    let mut stdin = node.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());

    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = answers.split_terminator('\n').collect();
    assert_eq!(answers.len(), DOCUMENTS);
    let mut representable = 0;
    for (document, answer) in documents.iter().zip(answers) {
        let bytes = document.as_bytes();
        let ours = match canonicalize_raw(bytes) {
            Ok(canonical) => {
                representable += 1;
                format!("{canonical}\t{}\t{}", size::json_units_raw(bytes), hash::canonical_hash_raw(bytes))
            }
            Err(_) => "!".to_owned(),
        };
        assert_eq!(ours, answer, "{document}");
    }
    assert!(representable > DOCUMENTS / 2 && representable < DOCUMENTS, "{representable} of {DOCUMENTS}");
}
