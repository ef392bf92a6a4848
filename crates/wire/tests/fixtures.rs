//! Every fixture of `spec/`, through the parsed value and through the raw text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a fixture that does not read must fail its test"
)]
#![allow(clippy::disallowed_methods, reason = "the crate has no I/O; its tests read fixtures")]

use mcpulse_wire::{canonical, empty, hash, normalize, size, tools};
use serde_json::Value;

fn spec(name: &str) -> Value {
    let path = format!("{}/../../spec/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn cases(file: &Value) -> &[Value] {
    let cases = file["cases"].as_array().expect("cases");
    assert!(!cases.is_empty());
    cases
}

#[test]
fn canonical_of_the_protocol() {
    let file = spec("canonical");
    assert_eq!(cases(&file).len(), 23, "frozen");
    for case in cases(&file) {
        let name = &case["name"];
        let input = &case["input"];
        let text = serde_json::to_string_pretty(input).unwrap();
        let expected = case["canonical"].as_str().unwrap();
        let expected_hash = case["args_hash"].as_str().unwrap();
        assert_eq!(canonical::canonicalize(input).unwrap(), expected, "{name}");
        assert_eq!(canonical::canonicalize_raw(text.as_bytes()).unwrap(), expected, "{name} raw");
        assert_eq!(canonical::canonicalize_raw(expected.as_bytes()).unwrap(), expected, "{name} again");
        assert_eq!(hash::args_hash(Some(input)), expected_hash, "{name}");
        assert_eq!(
            hash::args_hash_object(input.as_object()),
            hash::args_hash(input.is_object().then_some(input))
        );
        assert_eq!(hash::args_hash_raw(Some(text.as_bytes())), expected_hash, "{name} raw");
    }
}

#[test]
fn canonical_extra() {
    let file = spec("canonical-extra");
    assert_eq!(file["depth_limit"], canonical::MAX_DEPTH);
    for case in cases(&file) {
        let name = &case["name"];
        let text = case["json"].as_str();
        let expected_hash = case["args_hash"].as_str().unwrap();
        assert_eq!(hash::args_hash_raw(text.map(str::as_bytes)), expected_hash, "{name} raw");

        // Arguments that are absent, null or empty stand for `{}`; as a document `null` is `null`.
        let text = text.filter(|text| !text.is_empty() && *text != "null").unwrap_or("{}");
        let expected = case["canonical"].as_str();
        let canonical = canonical::canonicalize_raw(text.as_bytes());
        assert_eq!(canonical.as_deref().ok(), expected, "{name} raw");
        if let Some(expected) = expected {
            assert_eq!(
                size::json_units_raw(text.as_bytes()) as usize,
                expected.encode_utf16().count(),
                "{name}"
            );
        } else {
            assert_eq!(size::json_units_raw(text.as_bytes()), 0, "{name}");
        }

        // serde_json stops at 127 containers, so the deepest fixtures are raw only.
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            assert_eq!(canonical::canonicalize(&value).as_deref().ok(), expected, "{name}");
            assert_eq!(hash::args_hash(Some(&value)), expected_hash, "{name}");
        }
    }
}

#[test]
fn depth_of_parsed_values() {
    let nested = |depth| (1..depth).fold(Value::Array(Vec::new()), |inner, _| Value::Array(vec![inner]));
    assert!(canonical::canonicalize(&nested(128)).is_ok());
    assert_eq!(canonical::canonicalize(&nested(129)), Err(canonical::NotRepresentable::TooDeep));
    assert_eq!(size::json_units(&nested(128)), 256);
    assert_eq!(size::json_units(&nested(129)), 0);
    assert_eq!(hash::args_hash(Some(&nested(129))), hash::UNREPRESENTABLE);
}

#[test]
fn sizes() {
    let file = spec("sizes");
    for case in cases(&file) {
        let name = &case["name"];
        let text = case["result"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(size::json_units_raw(text.as_bytes()), case["utf16"], "{name} raw");
        assert_eq!(size::json_units(&value), case["utf16"], "{name}");
        let canonical = canonical::canonicalize_raw(text.as_bytes()).unwrap();
        assert_eq!(canonical.len(), case["utf8"], "{name}");
        assert_eq!(size::utf16_length(&canonical), case["utf16"], "{name}");
    }
    for case in file["unrepresentable"].as_array().unwrap() {
        assert_eq!(size::json_units_raw(case["result"].as_str().unwrap().as_bytes()), case["utf16"]);
    }
    for case in file["strings"].as_array().unwrap() {
        assert_eq!(size::utf16_length(case["text"].as_str().unwrap()), case["utf16"]);
    }
}

#[test]
fn emptiness() {
    let file = spec("empty");
    for case in cases(&file) {
        let name = &case["name"];
        let result = &case["result"];
        let text = serde_json::to_string_pretty(result).unwrap();
        assert_eq!(empty::is_empty(Some(result)), case["is_empty"], "{name}");
        assert_eq!(empty::is_empty_raw(Some(text.as_bytes())), case["is_empty"], "{name} raw");
    }
    assert!(empty::is_empty(None));
    assert!(empty::is_empty_raw(None));
}

#[test]
fn tool_entries() {
    let file = spec("tools");
    for case in cases(&file) {
        let entry = &case["entry"];
        let tool = tools::tool_from_entry(entry);
        let optional =
            |hash: Option<hash::Hash12>| hash.map_or(Value::Null, |hash| Value::String(hash.into()));
        assert_eq!(entry["name"], tool.name);
        assert_eq!(case["schema_bytes"], tool.schema_bytes, "{}", tool.name);
        assert_eq!(case["schema_hash"], optional(tool.schema_hash), "{}", tool.name);
        assert_eq!(case["description_hash"], optional(tool.description_hash), "{}", tool.name);
        assert_eq!(case["description_norm"], optional(tool.description_norm), "{}", tool.name);
    }
}

#[test]
fn description_normalisation() {
    let file = spec("description-norm");
    let mut stop_words: Vec<&str> =
        file["stopwords"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    stop_words.sort_unstable();
    assert_eq!(stop_words, normalize::STOP_WORDS);
    for case in cases(&file) {
        let name = &case["name"];
        let description = case["description"].as_str().unwrap();
        assert_eq!(case["tokens"], Value::from(normalize::tokens(description)), "{name}");
        let optional =
            |hash: Option<hash::Hash12>| hash.map_or(Value::Null, |hash| Value::String(hash.into()));
        assert_eq!(
            case["description_hash"],
            optional(normalize::description_hash(Some(description))),
            "{name}"
        );
        assert_eq!(
            case["description_norm"],
            optional(normalize::description_norm(Some(description))),
            "{name}"
        );
    }
}

#[test]
fn porter_stems() {
    let file = spec("porter");
    let words = file.as_object().unwrap();
    assert_eq!(words.len(), 2079);
    let wrong: Vec<_> = words.iter().filter(|(word, stem)| **stem != *normalize::stem(word)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
