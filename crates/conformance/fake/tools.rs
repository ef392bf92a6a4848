//! The kit's tools, in the fewest words.

use serde_json::{Value, json};

/// How a handler ended.
pub(crate) enum Ran {
    Done(Value),
    /// The handler never ran.
    Refused(&'static str),
    Crashed,
    Cancelled,
    /// Wants something from the user first.
    Asks(Value),
}

pub(crate) fn canary() -> String {
    std::env::var("MCPULSE_HARNESS_CANARY").unwrap_or_else(|_| "canary".to_owned())
}

pub(crate) fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// Entries of `tools/list`.
pub(crate) fn entries(late: bool, grown: bool) -> Vec<Value> {
    let plain = [
        "echo",
        "fast",
        "slow",
        "empty",
        "reply",
        "error",
        "crash",
        "strict",
        "huge",
        "unicode",
        "price_a",
        "price_b",
        "never_called",
        "grow",
        "quit",
        "ask",
        "job",
    ];
    let later = [late.then_some("late"), grown.then_some("grown")].into_iter().flatten();
    let mut all: Vec<Value> = plain
        .into_iter()
        .chain(later)
        .map(|name| json!({ "name": name, "description": format!("Búsqueda: the tool {name}."), "inputSchema": { "type": "object" } }))
        .collect();
    let secret = json!({ "type": "string", "description": format!("Such as {}.", canary()) });
    all.push(json!({
        "name": "canary", "description": format!("Keeps a secret: {}.", canary()),
        "inputSchema": { "type": "object", "properties": { "secret": secret }, "required": ["secret"] },
    }));
    all
}

fn strict_fits(args: &Value) -> bool {
    let known =
        args.as_object().is_some_and(|members| members.keys().all(|key| key == "id" || key == "note"));
    let id = args.get("id").and_then(Value::as_u64).is_some_and(|id| id >= 1);
    known && id && args.get("note").is_none_or(Value::is_string)
}

/// Runs one; `wait` says whether the client gave up meanwhile.
pub(crate) fn run(name: &str, args: &Value, inputs: Option<&Value>, wait: impl Fn(u64) -> bool) -> Ran {
    let number = |name: &str| args.get(name).and_then(Value::as_u64);
    Ran::Done(match name {
        "echo" => text(args.to_string()),
        "fast" | "never_called" => text("done"),
        "slow" => match number("ms") {
            Some(ms) if wait(ms) => return Ran::Cancelled,
            Some(_) => text("done"),
            None => return Ran::Refused("ms is required"),
        },
        "empty" => match args.get("kind").and_then(Value::as_str) {
            Some("no_parts") => json!({ "content": [] }),
            Some("blank") => text(" \n\t"),
            Some("null") => text("null"),
            Some("list") => text("[]"),
            Some("object") => text("{}"),
            _ => return Ran::Refused("kind is required"),
        },
        "reply" => args.get("result").cloned().unwrap_or_default(),
        "error" => json!({ "content": [{ "type": "text", "text": "no such order" }], "isError": true }),
        "crash" => return Ran::Crashed,
        "strict" if strict_fits(args) => text("ok"),
        "strict" => return Ran::Refused("not such arguments"),
        "huge" => text("x".repeat(usize::try_from(number("units").unwrap_or(1_000_000)).unwrap_or_default())),
        "unicode" => text("café 🚀 東京"),
        "canary" => {
            text(format!("{} {}", canary(), args.get("secret").and_then(Value::as_str).unwrap_or_default()))
        }
        "price_a" | "price_b" => {
            let structured = json!({ "order": args });
            json!({ "content": [{ "type": "text", "text": structured.to_string() }], "structuredContent": structured })
        }
        "job" => match number("ms") {
            Some(ms) if wait(ms) => return Ran::Cancelled,
            Some(_) => text("done"),
            None => return Ran::Refused("ms is required"),
        },
        "late" | "grow" | "grown" => text(if name == "late" { "late" } else { "grown" }),
        "quit" => text("bye"),
        "ask" => {
            match inputs.and_then(|inputs| inputs.pointer("/who/content/name")).and_then(Value::as_str) {
                Some(name) => text(format!("hello {name}")),
                None => {
                    let params = json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": {} } });
                    let who = json!({ "method": "elicitation/create", "params": params });
                    return Ran::Asks(
                        json!({ "resultType": "input_required", "inputRequests": { "who": who } }),
                    );
                }
            }
        }
        _ => return Ran::Refused("no such tool"),
    })
}
