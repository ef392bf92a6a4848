//! A wrapper must forward every method of the trait: what it does not forward answers with the default.

#![cfg(feature = "rmcp")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Where the `rmcp` that this was built with keeps its source.
fn source_of_rmcp() -> PathBuf {
    // Without the filter it asks for packages of other systems, which building here has not fetched.
    let host = output_of(Command::new("rustc").args(["--print", "host-tuple"]));
    let metadata = output_of(
        Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--offline", "--filter-platform", host.trim()])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]),
    );
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let rmcp = packages.iter().find(|package| package["name"] == "rmcp").unwrap();
    PathBuf::from(rmcp["manifest_path"].as_str().unwrap()).with_file_name("src/handler/server.rs")
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn functions(source: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let rest = line.trim_start();
        let rest = rest.strip_prefix("async fn ").or_else(|| rest.strip_prefix("fn "))?;
        Some(rest.split(['(', '<']).next()?.to_owned())
    };
    source.lines().filter_map(name).collect()
}

#[test]
fn every_method_of_the_trait_is_forwarded() {
    let server = std::fs::read_to_string(source_of_rmcp()).unwrap();
    let (_, body) = server.split_once("macro_rules! server_handler_methods").unwrap();
    let (body, _) = body.split_once("pub trait ServerHandler").unwrap();
    let declared = functions(body);
    assert!(declared.len() >= 30, "the trait was not found: {declared:?}");
    let (_, ours) = include_str!("../src/rmcp/watched.rs").split_once("ServerHandler for Watched").unwrap();
    let forwarded = functions(ours);
    assert_eq!(declared.difference(&forwarded).collect::<Vec<_>>(), Vec::<&String>::new());
}
