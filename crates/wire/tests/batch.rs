//! Batches: each payload is judged on its own, whatever its neighbours hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

mod support;

use mcpulse_wire::validate::{Checked, EnvelopeError, decode_batch, validate, validate_raw};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::payloads;

/// The path and rule by which a payload is refused.
fn refused(payload: &str) -> (String, &'static str) {
    let violation = validate_raw(payload.as_bytes()).expect_err(payload);
    (violation.path, violation.rule)
}

fn with(change: impl Fn(&mut Value)) -> String {
    let mut payload = payloads::call();
    change(&mut payload);
    payload.to_string()
}

#[test]
fn a_call_with_its_time() {
    let Ok(Checked::Call { call, started_ms }) = validate(&payloads::call()) else { panic!("a call") };
    assert_eq!((call.v, call.duration_ms, started_ms), (1, 12, 1_796_074_867_123));
    assert_eq!(call.args_hash, "52a4fe5fc814");
}

#[test]
fn violations_name_field_and_rule() {
    let cases: &[(&str, Value, &str)] = &[
        ("v", json!(2), "const"),
        ("v", json!("1"), "const"),
        ("v", json!(null), "required"),
        ("type", json!("Call"), "enum"),
        ("session_id", json!(""), "minLength"),
        ("client_name", json!("a".repeat(129)), "maxLength"),
        ("tool_name", json!("🚀".repeat(201)), "maxLength"),
        ("tool_name", json!(null), "required"),
        ("started_at", json!("yesterday"), "format"),
        ("started_at", json!(0), "type"),
        ("duration_ms", json!(-1), "minimum"),
        ("duration_ms", json!(86_400_001), "maximum"),
        ("duration_ms", json!(0.5), "type"),
        ("duration_ms", json!("1"), "type"),
        ("outcome", json!("OK"), "enum"),
        ("response_bytes", json!(2_147_483_648_u32), "maximum"),
        ("is_empty", json!("false"), "type"),
        ("args_hash", json!("52A4FE5FC814"), "pattern"),
    ];
    for (field, value, rule) in cases {
        let payload = with(|payload| payload[*field] = value.clone());
        assert_eq!(refused(&payload), (format!("/{field}"), *rule), "{payload}");
    }
    let empty_error = with(|payload| {
        payload["outcome"] = json!("crashed");
        payload["is_empty"] = json!(true);
    });
    assert_eq!(refused(&empty_error), ("/is_empty".to_owned(), "const"));
    assert_eq!(refused("[]"), (String::new(), "type"));
    assert_eq!(refused("{"), (String::new(), "json"));
}

#[test]
fn unknown_fields_are_refused_without_their_name() {
    for unknown in ["arguments", "", "V", "\u{202e}"] {
        assert_eq!(
            refused(&with(|payload| payload[unknown] = json!(null))),
            (String::new(), "additionalProperties")
        );
    }
    let startup = json!({"v": 1, "type": "startup", "session_id": "s", "client_name": "c",
        "tools": [{"name": "a", "schema_bytes": 1}, {"name": "b", "schema_bytes": 1, "inputSchema": {}}]});
    assert_eq!(refused(&startup.to_string()), ("/tools/1".to_owned(), "additionalProperties"));
}

#[test]
fn the_order_of_violations_is_fixed() {
    let many = with(|payload| {
        payload["v"] = json!(7);
        payload["type"] = json!("x");
        payload["arguments"] = json!({});
        payload["session_id"] = json!("");
        payload["args_hash"] = json!("x");
    });
    let mut many: Value = serde_json::from_str(&many).unwrap();
    for (path, rule, better) in [
        ("/v", "const", ("v", json!(1))),
        ("/type", "enum", ("type", json!("call"))),
        ("", "additionalProperties", ("arguments", Value::Null)),
        ("/session_id", "minLength", ("session_id", json!("s"))),
        ("/args_hash", "pattern", ("args_hash", json!("000000000000"))),
    ] {
        assert_eq!(refused(&many.to_string()), (path.to_owned(), rule));
        if better.0 == "arguments" {
            many.as_object_mut().unwrap().remove("arguments");
        } else {
            many[better.0] = better.1;
        }
    }
    assert!(validate(&many).is_ok());
}

#[test]
fn agreements_are_in_the_order_of_utf16() {
    let pair = |a: &str, b: &str| {
        json!({"v": 1, "type": "agreement", "session_id": "s", "field": "total", "tool_a": a, "tool_b": b,
            "agreed": true, "checked_at": "2026-11-30T21:41:07+02:00", "window_ms": 1})
    };
    assert!(validate(&pair("a", "b")).is_ok());
    assert!(validate(&pair("🚀", "\u{ffee}")).is_ok(), "surrogates come before U+E000");
    for (a, b) in [("b", "a"), ("a", "a"), ("\u{ffee}", "🚀")] {
        assert_eq!(refused(&pair(a, b).to_string()), ("/tool_b".to_owned(), "order"));
    }
}

#[test]
fn numbers_and_strings_that_only_text_can_hold() {
    let text = payloads::call().to_string();
    let cases = [
        (r#""duration_ms":12"#, r#""duration_ms":1e400"#, "/duration_ms", "maximum"),
        (r#""duration_ms":12"#, r#""duration_ms":-1e400"#, "/duration_ms", "minimum"),
        (r#""tool_name":"search_orders""#, r#""tool_name":"\ud800""#, "/tool_name", "type"),
        (r#""outcome":"ok""#, r#""outcome":"\udc00""#, "/outcome", "enum"),
        (r#""v":1"#, r#""v":1,"\ud800":1"#, "", "additionalProperties"),
        (r#""v":1"#, r#""v":1,"v":2"#, "/v", "const"),
    ];
    for (from, to, path, rule) in cases {
        assert_eq!(refused(&text.replace(from, to)), (path.to_owned(), rule), "{to}");
    }
    for fine in
        [r#""duration_ms":1.2e1"#, r#""duration_ms":"lost","duration_ms":12"#, r#""duration_m\u0073":12.0"#]
    {
        assert_eq!(
            validate_raw(text.replace(r#""duration_ms":12"#, fine).as_bytes()),
            validate(&payloads::call())
        );
    }
}

#[test]
fn no_payload_costs_its_neighbours() {
    let call = payloads::call().to_string();
    let deep = "[".repeat(300_000) + &"]".repeat(300_000);
    let body = format!(r#"{{"batch":[{call},{deep},1e400,"\ud800",null,{{"\udead":[1e400]}},{{}},{call}]}}"#);
    let batch = decode_batch(body.as_bytes()).unwrap();
    let taken: Vec<bool> = batch.payloads.iter().map(Result::is_ok).collect();
    assert_eq!(taken, [true, false, false, false, false, false, false, true]);
}

#[test]
fn envelopes() {
    let refused = |body: &[u8]| decode_batch(body).unwrap_err();
    assert_eq!(refused(b""), EnvelopeError::NotJson);
    assert_eq!(refused(b"{\"batch\":[1,]}"), EnvelopeError::NotJson);
    assert_eq!(refused(b"{\"batch\":[]} x"), EnvelopeError::NotJson);
    assert_eq!(refused(b"{\"batch\":[\"\xff\"]}"), EnvelopeError::NotJson);
    assert_eq!(refused(b"[]"), EnvelopeError::NotAnObject);
    assert_eq!(refused(b"{\"Batch\":[]}"), EnvelopeError::NoBatch);
    assert_eq!(refused(b"{\"batch\":null}"), EnvelopeError::NoBatch);
    assert_eq!(refused(b"{\"batch\":{}}"), EnvelopeError::BatchNotAnArray);
    let many = |count: usize| format!("{{\"batch\":[{}]}}", vec!["0"; count].join(","));
    assert_eq!(refused(many(501).as_bytes()), EnvelopeError::TooManyPayloads(501));
    assert_eq!(decode_batch(many(500).as_bytes()).unwrap().payloads.len(), 500);
    assert_eq!(decode_batch(br#"{"batch":[1],"b\u0061tch":[],"more":1}"#).unwrap().payloads.len(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_batch_judges_as_one_by_one(payloads in proptest::collection::vec(payloads::changed(), 0..8), pretty: bool) {
        let body = json!({"batch": payloads});
        let text = if pretty { serde_json::to_vec_pretty(&body).unwrap() } else { body.to_string().into_bytes() };
        let expected: Vec<_> = payloads.iter().map(validate).collect();
        prop_assert_eq!(decode_batch(&text).unwrap().payloads, expected);
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = decode_batch(&bytes);
    }
}
