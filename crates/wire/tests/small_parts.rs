//! Times, texts that are made to fit, policies, emptiness beyond the fixtures, the order of UTF-16.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]

use std::time::Duration;

use mcpulse_wire::hash::{Hash12, NO_ARGUMENTS, UNREPRESENTABLE, args_hash, args_hash_object, args_hash_raw};
use mcpulse_wire::payload::Policy;
use mcpulse_wire::time::{format_ms, parse_ms};
use mcpulse_wire::{canonical, empty, normalize, size, text, tools};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn times_in_utc() {
    for (ms, written) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_796_074_867_123, "2026-11-30T21:41:07.123Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] {
        assert_eq!(format_ms(ms), written);
        assert_eq!(parse_ms(written), Some(ms));
    }
    assert_eq!(format_ms(i64::MIN), "0000-01-01T00:00:00.000Z");
    assert_eq!(format_ms(i64::MAX), "9999-12-31T23:59:59.999Z");
}

#[test]
fn times_with_offsets_fractions_and_leap_seconds() {
    let utc = parse_ms("2026-11-30T21:41:07Z");
    assert_eq!(parse_ms("2026-12-01T03:11:07+05:30"), utc);
    assert_eq!(parse_ms("2026-11-30t16:41:07-05:00"), utc);
    assert_eq!(parse_ms("2026-11-30T21:41:07.9999999Z"), utc.map(|ms| ms + 999));
    assert_eq!(parse_ms("2026-11-30T21:41:07.01Z"), utc.map(|ms| ms + 10));
    assert_eq!(parse_ms("1969-12-31T23:59:59.9999Z"), Some(-1), "rounded down before 1970 too");
    assert_eq!(parse_ms("2016-12-31T23:59:60Z"), parse_ms("2017-01-01T00:00:00Z"));
    assert_eq!(parse_ms("2016-12-31T22:59:60Z"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn times_read_back(ms in -62_167_219_200_000_i64..=253_402_300_799_999) {
        prop_assert_eq!(parse_ms(&format_ms(ms)), Some(ms));
    }

    #[test]
    fn later_is_greater(ms in -62_167_219_200_000_i64..253_402_300_799_999) {
        prop_assert!(format_ms(ms) < format_ms(ms + 1));
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[0-9:.TZtz+-]{0,32}") {
        let _ = parse_ms(&text);
    }

    #[test]
    fn lengths_and_cuts_are_those_of_the_standard_library(text in ".{0,300}", limit in 0_usize..300) {
        prop_assert_eq!(size::utf16_length(&text), text.encode_utf16().count());
        prop_assert_eq!(size::json_units(&json!(text)) as usize, json!(text).to_string().encode_utf16().count());
        prop_assert_eq!(text::cut(&text, limit), text.chars().take(limit).collect::<String>());
    }

    #[test]
    fn keys_are_in_the_order_of_utf16(keys in proptest::collection::hash_set("[a\u{7f}\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,4}", 0..8)) {
        let mut sorted: Vec<&String> = keys.iter().collect();
        sorted.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
        let object: Value = keys.iter().map(|key| (key.clone(), Value::Null)).collect();
        let canonical = canonical::canonicalize(&object).unwrap();
        let expected: Vec<String> = sorted.iter().map(|key| format!("{}:null", json!(key))).collect();
        prop_assert_eq!(canonical, format!("{{{}}}", expected.join(",")));
    }

    #[test]
    fn stems_are_no_longer_and_norms_ignore_order(words in proptest::collection::vec("[a-z]{1,12}", 0..12)) {
        for word in &words {
            let stem = normalize::stem(word);
            prop_assert!(!stem.is_empty() && stem.len() <= word.len());
        }
        let reversed: Vec<&str> = words.iter().rev().map(String::as_str).collect();
        let (one, other) = (words.join(" "), reversed.join(", "));
        prop_assert_eq!(normalize::description_norm(Some(&one)), normalize::description_norm(Some(&other)));
    }
}

#[test]
fn names_are_made_to_fit() {
    assert_eq!(text::name(""), "unknown");
    assert_eq!(text::name(" "), " ");
    assert_eq!(text::name(&"🚀".repeat(201)), "🚀".repeat(200));
    assert_eq!(text::client_name(&"é".repeat(129)), "é".repeat(128));
    assert_eq!(text::version(&"1".repeat(65)), "1".repeat(64));
    assert_eq!(text::version(""), "");
    assert_eq!(text::duration_ms(Duration::from_micros(1999)), 1);
    assert_eq!(text::duration_ms(Duration::MAX), 86_400_000);
}

#[test]
fn arguments_that_are_nothing_hash_as_an_empty_object() {
    for nothing in [
        None,
        Some(&b""[..]),
        Some(b" \t\r\n"),
        Some(b"null"),
        Some(b"\n null "),
        Some(b"{}"),
        Some(b" { } "),
    ] {
        assert_eq!(args_hash_raw(nothing), NO_ARGUMENTS, "{nothing:?}");
    }
    for nothing in [None, Some(&Value::Null), Some(&json!({}))] {
        assert_eq!(args_hash(nothing), NO_ARGUMENTS);
    }
    assert_eq!(args_hash_object(None), NO_ARGUMENTS);
    for other in [&b"nul"[..], b"nullnull", b"null null", b"\xef\xbb\xbf{}", b"\xc2\xa0", b"undefined"] {
        assert_eq!(args_hash_raw(Some(other)), UNREPRESENTABLE, "{other:?}");
    }
    assert_ne!(args_hash(Some(&json!(""))), NO_ARGUMENTS, "an empty JSON string is a value");
}

#[test]
fn hashes_are_read_strictly() {
    assert_eq!("52a4fe5fc814".parse::<Hash12>().unwrap(), "52a4fe5fc814");
    for wrong in ["", "52a4fe5fc81", "52a4fe5fc8145", "52A4FE5FC814", "52a4fe5fc81g", "52a4fe5fc81é"] {
        assert!(wrong.parse::<Hash12>().is_err(), "{wrong}");
        let error = serde_json::from_value::<Hash12>(json!(wrong)).unwrap_err().to_string();
        assert_eq!(error, "not 12 lowercase hex digits", "no value in an error");
    }
}

#[test]
fn results_are_measured_without_what_does_not_count() {
    for (result, units) in [
        (json!(null), 0),
        (json!({}), 2),
        (json!({"_meta": {"a": 1}, "resultType": "complete", "isError": false, "x": null}), 2),
        (json!({"content": [], "isError": true}), r#"{"content":[],"isError":true}"#.len()),
        (
            json!({"content": [{"_meta": {}, "x": null, "isError": false}]}),
            r#"{"content":[{"_meta":{},"isError":false,"x":null}]}"#.len(),
        ),
        (json!([null]), 6),
        (json!("é"), 3),
    ] {
        assert_eq!(size::response_units(Some(&result)) as usize, units, "{result}");
        assert_eq!(size::response_units_raw(Some(result.to_string().as_bytes())) as usize, units, "{result}");
    }
    assert_eq!(size::response_units(None), 0);
    assert_eq!(size::response_units_raw(None), 0);
    let repeated = br#"{"isError":false,"content":["lost"],"isError":true,"content":[]}"#;
    assert_eq!(size::response_units_raw(Some(repeated)) as usize, r#"{"content":[],"isError":true}"#.len());
}

#[test]
fn emptiness_beyond_the_fixtures() {
    for (result, is_empty) in [
        (json!({"content": [{"type": "text", "text": "[ \n ]"}]}), true),
        (json!({"content": [{"type": "text", "text": "\"\\n\\u0020\\t\""}]}), true),
        (json!({"content": [{"type": "text", "text": "\"\\u00a0\""}]}), false),
        (json!({"content": [{"type": "text", "text": "\"\n\""}]}), false),
        (json!({"content": [{"type": "text", "text": "\""}]}), false),
        (json!({"content": [{"type": "text", "text": "\"\\\""}]}), false),
        (json!({"content": [{"type": "text", "text": "["}]}), false),
        (json!({"content": [{"type": "text", "text": "[}"}]}), false),
        (json!({"content": [{"type": "text", "text": "nul"}]}), false),
        (json!({"content": [{"type": "text", "text": "\"[]\""}]}), false),
        (json!({"content": [{"type": "text"}]}), false),
        (json!({"content": [{"type": "text", "text": "", "annotations": {}}]}), true),
        (json!({"content": "  "}), false),
        (json!({"content": null}), true),
        (json!({"content": null, "rows": null}), true),
        (json!({"content": [], "rows": 1}), true),
        (json!({"structuredContent": {"result": "  "}}), true),
        (json!({"structuredContent": {"result": "x"}}), false),
        (json!({"structuredContent": {"result": {}}}), true),
        (json!({"structuredContent": {"Result": null}}), false),
        (json!({"structuredContent": ""}), true),
        (json!({"structuredContent": 0, "content": []}), false),
        (json!({"isError": true}), false),
    ] {
        assert_eq!(empty::is_empty(Some(&result)), is_empty, "{result}");
        assert_eq!(empty::is_empty_raw(Some(result.to_string().as_bytes())), is_empty, "{result}");
    }
    assert!(!empty::is_empty_raw(Some(b"not JSON")));
    assert!(!empty::is_empty_raw(Some(br#"{"isError":false,"isError":true}"#)));
    assert!(empty::is_empty_raw(Some(br#"{"isError":true,"isError":false}"#)));
    for replaced in
        [&br#"{"content":[1],"content":null}"#[..], br#"{"a":1,"a":null}"#, br#"{"a":1,"\u0061":null}"#]
    {
        assert!(empty::is_empty_raw(Some(replaced)), "{}", String::from_utf8_lossy(replaced));
    }
    assert!(!empty::is_empty_raw(Some(br#"{"a":null,"b":1,"a":null}"#)));
}

#[test]
fn policies_that_tools_declare() {
    let declared = |schemes: Value| tools::declared_policy(&json!({"name": "t", "securitySchemes": schemes}));
    assert_eq!(declared(json!([{"type": "oauth2", "scopes": ["a"]}])), Some(Policy::Authorization));
    assert_eq!(declared(json!([{"type": "noauth"}, {"type": "oauth2"}])), Some(Policy::None));
    assert_eq!(declared(json!([{"type": "oauth2"}, {"type": "apiKey"}])), None);
    assert_eq!(declared(json!([])), None);
    assert_eq!(declared(json!({"type": "oauth2"})), None);
    let in_meta = json!({"name": "t", "_meta": {"securitySchemes": [{"type": "noauth"}]}});
    assert_eq!(tools::declared_policy(&in_meta), Some(Policy::None));
    assert_eq!(tools::declared_policy(&json!({"name": "t"})), None);
}
