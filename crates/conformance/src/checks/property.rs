//! Random documents against ECMAScript itself.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use mcpulse_wire::{canonical, hash, size};
use serde_json::{Value, json};

use super::text::{ask, one_line};
use crate::documents::{Random, document};
use crate::kit::Context;
use crate::verdict::{Fault, fail, skip};

const REFERENCE: &str = include_str!("../reference.mjs");

/// A canonical form, its hash and its size; `None` for what is not representable.
type Known = Option<(String, String, u64)>;

pub(super) fn documents(context: &Context<'_>) -> Result<(), Fault> {
    let options = &context.kit.options;
    let mut random = Random::new(options.seed);
    let documents: Vec<String> = (0..options.documents).map(|_| document(&mut random)).collect();
    let known = ecmascript(&documents)?.unwrap_or_else(|| documents.iter().map(|one| ours(one)).collect());
    let lines: Vec<Value> = documents
        .iter()
        .flat_map(|text| [json!({ "op": "args", "json": text }), json!({ "op": "size", "json": text })])
        .collect();
    let answers = ask(context, &lines)?;
    if let Some(reason) = answers.iter().find_map(|answer| answer.get("unsupported")?.as_str()) {
        return skip(reason);
    }
    for (at, (text, known)) in documents.iter().zip(&known).enumerate() {
        let (Some(args), Some(sizes)) = (answers.get(2 * at), answers.get(2 * at + 1)) else { continue };
        let (form, units) = match known {
            // As arguments, `null` stands for none.
            Some((form, ..)) if form == "null" => (Some(("{}".to_owned(), "44136fa355b3".to_owned())), 4),
            Some((form, hash, units)) => (Some((form.clone(), hash.clone())), *units),
            None => (None, 0),
        };
        let expected = match form {
            Some((form, hash)) => json!({ "canonical": form, "args_hash": hash }),
            None => json!({ "canonical": null, "args_hash": "000000000000" }),
        };
        for member in ["canonical", "args_hash"] {
            let (seen, expected) = (args.get(member), expected.get(member));
            if seen != expected {
                return fail(format!(
                    "document {at}: {member} of {text:?} is {seen:?}, expected {expected:?}"
                ));
            }
        }
        if sizes.get("units").and_then(Value::as_u64) != Some(units) {
            return fail(format!("document {at}: size of {text:?} is {sizes}, expected {units}"));
        }
    }
    Ok(())
}

/// What `JSON.parse` and `JSON.stringify` say, where Node is installed.
fn ecmascript(documents: &[String]) -> Result<Option<Vec<Known>>, Fault> {
    let mut command = Command::new("node");
    command.args(["--input-type=module", "--eval", REFERENCE]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut node) = command.spawn() else { return Ok(None) };
    let Some(mut stdin) = node.stdin.take() else { return fail("node has no standard input") };
    let input: String = documents.iter().map(|text| one_line(&Value::from(text.as_str()))).collect();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = node.wait_with_output()?;
    if !matches!(writer.join(), Ok(Ok(()))) || !output.status.success() {
        return fail("the reference in ECMAScript ended early");
    }
    let answers = String::from_utf8_lossy(&output.stdout);
    let known: Vec<Known> = answers
        .split_terminator('\n')
        .map(|line| {
            let mut parts = line.split('\t');
            let (form, units, hash) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
            Some((form.to_owned(), hash.to_owned(), units))
        })
        .collect();
    if known.len() == documents.len() { Ok(Some(known)) } else { fail("the reference answered too little") }
}

fn ours(text: &str) -> Known {
    let form = canonical::canonicalize_raw(text.as_bytes()).ok()?;
    let units = size::utf16_length(&form) as u64;
    Some((form, hash::canonical_hash_raw(text.as_bytes()).to_string(), units))
}
