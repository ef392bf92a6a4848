//! Fixtures of text level, through the harness's `fixtures` mode.

use serde_json::{Value, json};

use crate::harness::filter;
use crate::kit::Context;
use crate::mcp::Transport;
use crate::spec;
use crate::verdict::{Fault, fail, skip};

/// A line for the harness, and members that its answer must have.
struct Case {
    name: String,
    line: Value,
    expected: Value,
}

impl Case {
    fn new(name: impl Into<String>, line: Value, expected: Value) -> Self {
        Self { name: name.into(), line, expected }
    }
}

/// Sends lines through the `fixtures` mode.
pub(super) fn ask(context: &Context<'_>, lines: &[Value]) -> Result<Vec<Value>, Fault> {
    let mut input = String::new();
    for line in lines {
        input.push_str(&one_line(line));
    }
    let launch = context.kit.launch(Transport::Stdio, "http://127.0.0.1:9", &[]);
    let output = filter(&launch, &["fixtures"], input)?;
    let text = String::from_utf8_lossy(&output);
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).or_else(|_| fail("a line of the answer is not JSON")))
        .collect::<Result<_, _>>()?;
    if answers.len() != lines.len() {
        return fail(format!("{} lines were answered by {}", lines.len(), answers.len()));
    }
    Ok(answers)
}

/// JSON on a line of its own, for readers of every taste: some take U+0085, U+2028 and U+2029 for ends of lines.
pub(super) fn one_line(value: &Value) -> String {
    let text = value.to_string().replace('\u{85}', "\\u0085");
    format!("{}\n", text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}

fn check(context: &Context<'_>, cases: &[Case]) -> Result<(), Fault> {
    let lines: Vec<Value> = cases.iter().map(|case| case.line.clone()).collect();
    let mut unsupported = None;
    let mut compared = 0;
    for (case, answer) in cases.iter().zip(ask(context, &lines)?) {
        if let Some(reason) = answer.get("unsupported").and_then(Value::as_str) {
            unsupported = Some(reason.to_owned());
            continue;
        }
        compared += 1;
        for (member, expected) in case.expected.as_object().into_iter().flatten() {
            let seen = answer.get(member).unwrap_or(&Value::Null);
            let equal = match (seen.as_f64(), expected.as_f64()) {
                (Some(seen), Some(expected)) => seen == expected,
                _ => seen == expected,
            };
            if !equal {
                return fail(format!("case {}: {member} is {seen}, expected {expected}", case.name));
            }
        }
    }
    match unsupported {
        Some(reason) if compared == 0 => skip(reason),
        _ => Ok(()),
    }
}

fn name(case: &Value) -> String {
    case.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn member<'a>(case: &'a Value, name: &str) -> &'a Value {
    case.get(name).unwrap_or(&Value::Null)
}

/// The members of `case` that are compared.
fn members(case: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|one| ((*one).to_owned(), member(case, one).clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

pub(super) fn canonical(context: &Context<'_>) -> Result<(), Fault> {
    let cases = spec::list(&spec::read(spec::CANONICAL)?, "cases");
    let cases: Vec<Case> = cases
        .iter()
        .map(|case| {
            // Written with blanks and in the file's order: the harness must not get the answer handed to it.
            let text = serde_json::to_string_pretty(member(case, "input")).unwrap_or_default();
            Case::new(
                name(case),
                json!({ "op": "args", "json": text }),
                members(case, &["canonical", "args_hash"]),
            )
        })
        .collect();
    check(context, &cases)
}

pub(super) fn canonical_extra(context: &Context<'_>) -> Result<(), Fault> {
    let cases = spec::list(&spec::read(spec::CANONICAL_EXTRA)?, "cases");
    let cases: Vec<Case> = cases
        .iter()
        .map(|case| {
            let line = json!({ "op": "args", "json": member(case, "json") });
            Case::new(name(case), line, members(case, &["canonical", "args_hash"]))
        })
        .collect();
    check(context, &cases)
}

pub(super) fn sizes(context: &Context<'_>) -> Result<(), Fault> {
    let file = spec::read(spec::SIZES)?;
    let mut cases = Vec::new();
    for case in spec::list(&file, "cases").iter().chain(&spec::list(&file, "unrepresentable")) {
        let line = json!({ "op": "size", "json": member(case, "result") });
        cases.push(Case::new(name(case), line, json!({ "units": member(case, "utf16") })));
    }
    for case in spec::list(&file, "strings") {
        // A string's size is that of its canonical form: with its quotes.
        let text = member(&case, "text").to_string();
        let plain = member(&case, "text").as_str().unwrap_or_default();
        if plain.chars().all(|c| !c.is_control() && c != '"' && c != '\\') {
            let units = member(&case, "utf16").as_u64().unwrap_or_default() + 2;
            cases.push(Case::new(&text, json!({ "op": "size", "json": text }), json!({ "units": units })));
        }
    }
    check(context, &cases)
}

pub(super) fn emptiness(context: &Context<'_>) -> Result<(), Fault> {
    let cases = spec::list(&spec::read(spec::EMPTY)?, "cases");
    let cases: Vec<Case> = cases
        .iter()
        .map(|case| {
            let result = member(case, "result");
            let text = if result.is_null() { Value::Null } else { result.to_string().into() };
            Case::new(name(case), json!({ "op": "empty", "result": text }), members(case, &["is_empty"]))
        })
        .collect();
    check(context, &cases)
}

pub(super) fn tools(context: &Context<'_>) -> Result<(), Fault> {
    let cases = spec::list(&spec::read(spec::TOOLS)?, "cases");
    let cases: Vec<Case> = cases
        .iter()
        .map(|case| {
            let entry = member(case, "entry");
            let line = json!({ "op": "tool", "entry": entry.to_string() });
            let expected = ["schema_bytes", "schema_hash", "description_hash", "description_norm"];
            Case::new(name(entry), line, members(case, &expected))
        })
        .collect();
    check(context, &cases)
}

pub(super) fn descriptions(context: &Context<'_>) -> Result<(), Fault> {
    let cases = spec::list(&spec::read(spec::DESCRIPTIONS)?, "cases");
    let cases: Vec<Case> = cases
        .iter()
        .map(|case| {
            let line = json!({ "op": "description", "text": member(case, "description") });
            Case::new(name(case), line, members(case, &["tokens", "description_hash", "description_norm"]))
        })
        .collect();
    check(context, &cases)
}

pub(super) fn stems(context: &Context<'_>) -> Result<(), Fault> {
    let words = spec::read(spec::PORTER)?;
    let cases: Vec<Case> = words
        .as_object()
        .into_iter()
        .flatten()
        .map(|(word, stem)| Case::new(word, json!({ "op": "stem", "word": word }), json!({ "stem": stem })))
        .collect();
    check(context, &cases)
}

/// Results, and their text less what is not the answer.
const RESULTS: &[(&str, &str)] = &[
    (r#"{"content":[],"_meta":{"a":[1,2]},"resultType":"complete"}"#, r#"{"content":[]}"#),
    (r#"{"content":[],"isError":false,"structuredContent":null}"#, r#"{"content":[]}"#),
    (r#"{ "content" : [ ] , "isError" : true }"#, r#"{"content":[],"isError":true}"#),
    (r#"{"isError":false,"_meta":null}"#, "{}"),
    (
        r#"{"content":[{"type":"text","text":"x","_meta":{"a":null}}],"more":1.50}"#,
        r#"{"content":[{"type":"text","text":"x","_meta":{"a":null}}],"more":1.5}"#,
    ),
    (
        r#"{"structuredContent":{"isError":false,"_meta":1,"n":null}}"#,
        r#"{"structuredContent":{"isError":false,"_meta":1,"n":null}}"#,
    ),
];

pub(super) fn results(context: &Context<'_>) -> Result<(), Fault> {
    let cases: Vec<Case> = (1..)
        .zip(RESULTS)
        .map(|(at, (result, left))| {
            let line = json!({ "op": "result", "result": result });
            Case::new(format!("result-{at}"), line, json!({ "units": left.len() }))
        })
        .collect();
    check(context, &cases)
}
