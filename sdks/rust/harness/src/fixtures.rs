//! `fixtures`: JSON objects in, JSON objects out, one a line.

use std::io::{self, BufRead, Write};

use mcpulse::wire::{canonical, empty, hash, normalize, size, tools};
use serde_json::{Value, json};

/// Answers until the end of input.
pub(crate) fn answer() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", one(&line))?;
    }
    out.flush()
}

fn one(line: &Value) -> Value {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let bytes = |name: &str| text(name).map(str::as_bytes);
    match text("op") {
        Some("args") => {
            // As arguments, null and no text stand for none.
            let given =
                text("json").filter(|json| !json.trim_ascii().is_empty() && json.trim_ascii() != "null");
            let form = canonical::canonicalize_raw(given.unwrap_or("{}").as_bytes()).ok();
            json!({ "canonical": form, "args_hash": hash::args_hash_raw(bytes("json")).to_string() })
        }
        Some("size") => json!({ "units": size::json_units_raw(bytes("json").unwrap_or_default()) }),
        Some("empty") => json!({ "is_empty": empty::is_empty_raw(bytes("result")) }),
        Some("result") => json!({ "units": size::response_units_raw(bytes("result")) }),
        Some("tool") => {
            let entry = serde_json::from_str(text("entry").unwrap_or_default()).unwrap_or_default();
            let tool = tools::tool_from_entry(&entry);
            json!({
                "schema_bytes": tool.schema_bytes,
                "schema_hash": tool.schema_hash,
                "description_hash": tool.description_hash,
                "description_norm": tool.description_norm,
            })
        }
        Some("description") => {
            let description = text("text").unwrap_or_default();
            json!({
                "tokens": normalize::tokens(description),
                "description_hash": normalize::description_hash(Some(description)),
                "description_norm": normalize::description_norm(Some(description)),
            })
        }
        Some("stem") => json!({ "stem": normalize::stem(text("word").unwrap_or_default()) }),
        _ => json!({ "unsupported": "no such op" }),
    }
}
