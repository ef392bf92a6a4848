//! The wire crate: hashes of arguments and sizes of results.

mod inputs;

use mcpulse_wire::hash::{args_hash, args_hash_raw};
use mcpulse_wire::size::{json_units, json_units_raw};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::harness::{Outcome, compare, peer};

/// A goal: at least so many times as fast as a peer, or at most so many times as slow as the floor.
struct Goal {
    what: String,
    reached: bool,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let mut goals = Vec::new();
    for (name, arguments) in inputs::arguments() {
        arguments_as_value(&name, &arguments, &mut goals)?;
        arguments_as_text(&name, &arguments, &mut goals)?;
    }
    for (name, result) in inputs::results() {
        sizes(&name, &result, &mut goals)?;
    }
    println!("Goals");
    for goal in &goals {
        println!("  {} {}", if goal.reached { "reached" } else { "MISSED " }, goal.what);
    }
    println!();
    Ok(())
}

fn at_least(goals: &mut Vec<Goal>, what: &str, outcome: &Outcome, index: usize, times: f64) {
    let ratio = outcome.ratio(index);
    goals.push(Goal { what: format!("{what}: {ratio:.2}×, wanted ≥ {times}×"), reached: ratio >= times });
}

fn within(goals: &mut Vec<Goal>, what: &str, outcome: &Outcome, floor: usize, times: f64) {
    let ratio = 1.0 / outcome.ratio(floor);
    goals.push(Goal {
        what: format!("{what}: {ratio:.2}× the floor, wanted ≤ {times}×"),
        reached: ratio <= times,
    });
}

fn arguments_as_value(name: &str, arguments: &Value, goals: &mut Vec<Goal>) -> anyhow::Result<()> {
    let canonical = mcpulse_wire::canonical::canonicalize(arguments)?;
    let outcome = compare(
        &format!("args_hash of a value, {name} ({} B)", canonical.len()),
        &[
            peer("mcpulse-wire", || args_hash(Some(arguments))),
            peer("mcpulse 0.1.0 (published)", || published::args_hash(Some(arguments))),
            peer("serde_json_canonicalizer + SHA-256", || {
                serde_json_canonicalizer::to_vec(arguments).map(Sha256::digest)
            }),
            peer("floor: SHA-256 of the ready bytes", || Sha256::digest(canonical.as_bytes())),
        ],
    );
    at_least(goals, &format!("args_hash, {name}, over mcpulse 0.1.0"), &outcome, 1, 5.0);
    if name.contains("2 KB") {
        within(goals, &format!("args_hash, {name}"), &outcome, 3, 3.0);
    }
    Ok(())
}

fn arguments_as_text(name: &str, arguments: &Value, goals: &mut Vec<Goal>) -> anyhow::Result<()> {
    let canonical = mcpulse_wire::canonical::canonicalize(arguments)?;
    for (form, text) in [("compact", inputs::compact(arguments)), ("spaced", inputs::spaced(arguments))] {
        let bytes = text.as_bytes();
        let outcome = compare(
            &format!("args_hash of text, {name}, {form} ({} B)", bytes.len()),
            &[
                peer("mcpulse-wire", || args_hash_raw(Some(bytes))),
                peer("mcpulse 0.1.0 (published)", || published::args_hash_raw(bytes)),
                peer("serde_json, parsing alone", || serde_json::from_slice::<Value>(bytes)),
                peer("floor: SHA-256 of the ready bytes", || Sha256::digest(canonical.as_bytes())),
            ],
        );
        at_least(goals, &format!("raw args_hash, {name}, {form}, over mcpulse 0.1.0"), &outcome, 1, 5.0);
        at_least(goals, &format!("raw args_hash, {name}, {form}, over parsing alone"), &outcome, 2, 1.0);
        if name.contains("2 KB") {
            within(goals, &format!("raw args_hash, {name}, {form}"), &outcome, 3, 3.0);
        }
    }
    Ok(())
}

fn sizes(name: &str, result: &Value, goals: &mut Vec<Goal>) -> anyhow::Result<()> {
    let text = serde_json::to_string(result)?;
    let outcome = compare(
        &format!("size, {name} ({} B)", text.len()),
        &[
            peer("mcpulse-wire, value", || json_units(result)),
            peer("mcpulse-wire, text", || json_units_raw(text.as_bytes())),
            peer("to_string + encode_utf16 (published)", || {
                serde_json::to_string(result).map(|text| text.encode_utf16().count())
            }),
        ],
    );
    at_least(goals, &format!("size, {name}, over to_string + encode_utf16"), &outcome, 2, 5.0);
    Ok(())
}
