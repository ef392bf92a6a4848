//! The Rust validator and `spec/wire.schema.json` must agree: on what is valid, and on the rule that is broken.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::disallowed_methods, reason = "the schema is a file")]

mod support;

use std::sync::LazyLock;

use jsonschema::Validator;
use mcpulse_wire::validate::{self, Violation};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::payloads;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/wire.schema.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
});

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    jsonschema::draft202012::options().should_validate_formats(true).build(&SCHEMA).unwrap()
});

/// Whether the schema says what the validator says about `violation`.
fn schema_agrees(payload: &Value, violation: &Violation) -> bool {
    let (parent, field) = violation.path.rsplit_once('/').unwrap_or_default();
    VALIDATOR.iter_errors(payload).any(|error| {
        let at = error.instance_path().to_string();
        let schema_path = error.schema_path().to_string();
        let keyword = schema_path.rsplit('/').next().unwrap();
        match violation.rule {
            // The schema reports the object that lacks the field, or the null that stands for its absence.
            "required" => {
                (keyword == "required" && at == parent && error.to_string().contains(&format!("\"{field}\"")))
                    || (at == violation.path && payload.pointer(&at) == Some(&Value::Null))
            }
            rule => keyword == rule && at == violation.path,
        }
    })
}

fn check(payload: &Value) {
    let ours = validate::validate(payload);
    let theirs = VALIDATOR.is_valid(payload);
    match &ours {
        Ok(_) => assert!(theirs, "the schema refuses what the validator takes: {payload}"),
        // The one rule that JSON Schema cannot say.
        Err(violation) if violation.rule == "order" => {
            assert_eq!(violation.path, "/tool_b");
            let (a, b) = (payload["tool_a"].as_str().unwrap(), payload["tool_b"].as_str().unwrap());
            assert!(a.encode_utf16().ge(b.encode_utf16()));
        }
        Err(violation) => {
            assert!(!theirs, "the schema takes what the validator refuses ({violation}): {payload}");
            assert!(
                schema_agrees(payload, violation),
                "the schema has no such error: {violation}: {payload}"
            );
        }
    }
    for text in [payload.to_string(), serde_json::to_string_pretty(payload).unwrap()] {
        assert_eq!(validate::validate_raw(text.as_bytes()), ours, "text and value differ: {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn valid_payloads_are_valid(payload in payloads::valid()) {
        prop_assert!(VALIDATOR.is_valid(&payload), "{}", payload);
        let checked = validate::validate(&payload).map_err(|v| TestCaseError::fail(format!("{v}: {payload}")))?;
        // What is stored is what was sent, less the nulls.
        let again = serde_json::to_value(mcpulse_wire::payload::Payload::from(checked)).unwrap();
        prop_assert_eq!(again, payloads::without_nulls(&payload));
    }

    #[test]
    fn changed_payloads_are_judged_alike(payload in payloads::changed()) {
        check(&payload);
    }
}

#[test]
fn every_date_time_is_judged_alike() {
    for time in payloads::TIMES {
        let mut payload = payloads::call();
        payload["started_at"] = json!(time);
        check(&payload);
        assert_eq!(mcpulse_wire::time::parse_ms(time).is_some(), VALIDATOR.is_valid(&payload), "{time}");
    }
}

#[test]
fn the_schema_is_a_schema_and_every_part_has_words() {
    jsonschema::draft202012::meta::validate(&SCHEMA).unwrap();
    for kind in ["call", "startup", "tool", "declared_agreement", "agreement"] {
        for (name, field) in SCHEMA["$defs"][kind]["properties"].as_object().unwrap() {
            let words = field.get("title").or_else(|| {
                let target = field.get("$ref")?.as_str()?.strip_prefix('#')?;
                SCHEMA.pointer(target)?.get("title")
            });
            assert!(words.is_some() || name == "type", "{kind}.{name} has no title");
        }
    }
}

#[test]
fn the_envelope_is_judged_alike() {
    let schema = json!({"$ref": "urn:mcpulse:wire:1#/$defs/batch"});
    let registry =
        jsonschema::Registry::new().add("urn:mcpulse:wire:1", SCHEMA.clone()).unwrap().prepare().unwrap();
    let envelope = jsonschema::draft202012::options().with_registry(&registry).build(&schema).unwrap();
    let call = payloads::call();
    for (body, valid) in [
        (json!({"batch": []}), true),
        (json!({"batch": [call]}), true),
        (json!({"batch": vec![call.clone(); 500]}), true),
        (json!({"batch": vec![call.clone(); 501]}), false),
        (json!({"batch": null}), false),
        (json!({"batch": {}}), false),
        (json!({}), false),
        (json!([]), false),
    ] {
        assert_eq!(envelope.is_valid(&body), valid);
        assert_eq!(validate::decode_batch(body.to_string().as_bytes()).is_ok(), valid);
    }
}
