//! `fixtures`: right, or wrong in one way.

use std::io::{self, BufRead, Write};

use mcpulse_wire::{canonical, empty, hash, normalize, size, tools};
use serde_json::{Value, json};

use crate::faults::has;

pub(crate) fn answer() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", one(&line))?;
    }
    out.flush()
}

/// Members sorted by bytes and numbers as Rust has them: what a serialiser does by itself.
pub(crate) fn naive(text: &str) -> Option<String> {
    serde_json::from_str::<Value>(text).ok().map(|value| value.to_string())
}

/// The first of two equal keys instead of the last.
fn first_of_two(text: &str) -> Option<String> {
    let last = canonical::canonicalize_raw(text.as_bytes()).ok()?;
    Some(if text.contains(r#""a":1,"b":2,"a":3"#) { last.replace(r#""a":3"#, r#""a":1"#) } else { last })
}

fn one(line: &Value) -> Value {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let bytes = |name: &str| text(name).map(str::as_bytes);
    match text("op") {
        Some("args") => {
            let given = text("json").filter(|json| !matches!(json.trim_ascii(), "" | "null")).unwrap_or("{}");
            let form = if has("canonical-naive") {
                naive(given)
            } else if has("canonical-first-key") {
                first_of_two(given)
            } else {
                canonical::canonicalize_raw(given.as_bytes()).ok()
            };
            let hash = form.as_ref().map_or_else(
                || hash::UNREPRESENTABLE.to_string(),
                |form| hash::Hash12::of_bytes(form.as_bytes()).to_string(),
            );
            json!({ "canonical": form, "args_hash": hash })
        }
        Some("size") => {
            let form = canonical::canonicalize_raw(bytes("json").unwrap_or_default()).unwrap_or_default();
            let units = if has("size-in-bytes") { form.len() } else { size::utf16_length(&form) };
            json!({ "units": units })
        }
        Some("empty") => {
            let wide =
                has("blank-in-unicode").then(|| text("result").map(|text| text.replace('\u{a0}', " ")));
            let result = wide.flatten().or_else(|| text("result").map(str::to_owned));
            json!({ "is_empty": empty::is_empty_raw(result.as_deref().map(str::as_bytes)) })
        }
        Some("result") => {
            let result = bytes("result");
            let all = size::json_units_raw(result.unwrap_or_default());
            json!({ "units": if has("result-whole") { all } else { size::response_units_raw(result) } })
        }
        Some("tool") => {
            let mut entry: Value =
                serde_json::from_str(text("entry").unwrap_or_default()).unwrap_or_default();
            let units = size::json_units(&entry);
            if has("schema-without-output")
                && let Some(members) = entry.as_object_mut()
            {
                members.remove("outputSchema");
            }
            let tool = tools::tool_from_entry(&entry);
            json!({
                "schema_bytes": units,
                "schema_hash": tool.schema_hash,
                "description_hash": tool.description_hash,
                "description_norm": tool.description_norm,
            })
        }
        Some("description") => {
            let description = text("text").unwrap_or_default();
            let mut tokens = normalize::tokens(description);
            if has("norm-without-repeats") {
                tokens.dedup();
            }
            json!({
                "tokens": tokens,
                "description_hash": normalize::description_hash(Some(description)),
                "description_norm": normalize::description_norm(Some(description)),
            })
        }
        Some("stem") => {
            let word = text("word").unwrap_or_default();
            let stem = if has("stem-plurals-only") {
                word.trim_end_matches('s').into()
            } else {
                normalize::stem(word)
            };
            json!({ "stem": stem })
        }
        _ => json!({ "unsupported": "no such op" }),
    }
}
