//! The canonical form from values and from text, against each other, an obvious implementation, and ECMAScript.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]

mod support;

use mcpulse_wire::canonical::{NotRepresentable, canonicalize, canonicalize_raw, write_canonical_raw};
use mcpulse_wire::hash::{UNREPRESENTABLE, canonical_hash, canonical_hash_raw};
use mcpulse_wire::{empty, size, validate};
use proptest::prelude::*;
use serde_json::Value;
use support::documents::{Random, document, slow_canonical};

/// Everything that must hold for any bytes.
fn check(text: &[u8]) {
    let raw = canonicalize_raw(text);
    let parsed: Option<Value> = serde_json::from_slice(text).ok();
    // serde_json refuses a document for the sake of a value that a repeated key replaces.
    assert!(raw.is_ok() || parsed.is_none(), "{raw:?} {}", String::from_utf8_lossy(text));
    if raw != Err(NotRepresentable::TooDeep) {
        let utf8 = std::str::from_utf8(text).ok();
        let grammatical =
            utf8.is_some_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
        assert_eq!(raw == Err(NotRepresentable::NotJson), !grammatical, "{raw:?} {utf8:?}");
    }
    let raw = raw.ok();
    let units = raw.as_ref().map_or(0, |canonical| canonical.encode_utf16().count());
    assert_eq!(size::json_units_raw(text) as usize, units, "{}", String::from_utf8_lossy(text));
    match &raw {
        Some(canonical) => {
            assert_eq!(canonicalize_raw(canonical.as_bytes()).as_ref(), Ok(canonical), "not idempotent");
            assert_eq!(canonical_hash_raw(text), mcpulse_wire::hash::Hash12::of_bytes(canonical.as_bytes()));
        }
        None => assert_eq!(canonical_hash_raw(text), UNREPRESENTABLE),
    }
    if let Some(value) = &parsed {
        assert_eq!(canonicalize(value).ok(), raw, "{}", String::from_utf8_lossy(text));
        assert_eq!(raw.as_deref(), Some(slow_canonical(value).as_str()));
        assert_eq!(canonical_hash(value), canonical_hash_raw(text));
        assert_eq!(size::json_units(value) as usize, units);
        assert_eq!(size::response_units(Some(value)), size::response_units_raw(Some(text)));
        assert_eq!(empty::is_empty(Some(value)), empty::is_empty_raw(Some(text)));
        assert_eq!(validate::validate(value), validate::validate_raw(text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn documents_from_values_and_text_agree(seed in any::<u64>()) {
        check(document(&mut Random::new(seed)).as_bytes());
    }

    #[test]
    fn broken_documents_are_refused_by_both(seed in any::<u64>(), edits in 1_usize..4) {
        let mut random = Random::new(seed);
        let mut text = document(&mut random).into_bytes();
        for _ in 0..edits {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text[at] = b"\"\\{}[],:0e.-+ \x1fntu\x80\xf0"[random.below(20)],
                1 => drop(text.remove(at)),
                _ => text.truncate(at + 1),
            }
            if text.is_empty() {
                return Ok(());
            }
        }
        check(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        check(&bytes);
    }

    #[test]
    fn any_double(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        if double.is_finite() {
            check(format!("[{double:e}]").as_bytes());
            check(format!("[{double}]").as_bytes());
            check(format!("{{\"n\":{double:.3}}}").as_bytes());
        }
    }

    #[test]
    fn any_decimal(digits in "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?(e[+-]?[0-9]{1,2})?") {
        check(digits.as_bytes());
    }
}

#[test]
fn after_an_error_nothing_is_written() {
    let mut sink = Vec::new();
    assert!(write_canonical_raw(br#"{"b":1,"a":[1,2,"#, &mut sink).is_err());
    assert!(sink.is_empty());
}

#[test]
fn errors_say_why() {
    let why = |text: &[u8]| canonicalize_raw(text).unwrap_err();
    assert_eq!(why(b"{"), NotRepresentable::NotJson);
    assert_eq!(why(b"\"\xff\""), NotRepresentable::NotJson);
    assert_eq!(why(br#""\ud800""#), NotRepresentable::LoneSurrogate);
    assert_eq!(why(b"-1e309"), NotRepresentable::NumberOutOfRange);
    assert_eq!(why(format!("{}{}", "[".repeat(129), "]".repeat(129)).as_bytes()), NotRepresentable::TooDeep);
    assert_eq!(why(b""), NotRepresentable::NotJson);
}

#[test]
fn a_value_that_a_repeated_key_replaces_does_not_count() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for lost in [r#""\ud800""#, "1e400", &deep, r#"{"x":[1e999],"x":1,"\udead":2}"#] {
        let text = format!(r#"{{"a":{lost},"b":0,"\u0061":1}}"#);
        assert_eq!(canonicalize_raw(text.as_bytes()).as_deref(), Ok(r#"{"a":1,"b":0}"#), "{text}");
        assert_eq!(size::json_units_raw(text.as_bytes()), 13);
        let text = format!(r#"{{"a":1,"b":0,"a":{lost}}}"#);
        assert!(canonicalize_raw(text.as_bytes()).is_err(), "{text}");
    }
    // A lone surrogate equals no other key, not even what it is often replaced with.
    assert!(canonicalize_raw(r#"{"\ud800":1,"\ufffd":2}"#.as_bytes()).is_err());
    assert!(canonicalize_raw(r#"{"\ud800":1,"\ud800":2}"#.as_bytes()).is_err());
}

#[test]
fn no_depth_exhausts_the_stack() {
    let deep = "[".repeat(1_000_000);
    let closed = format!("{deep}{}", "]".repeat(1_000_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(500_000), "}".repeat(500_000));
    for text in [&deep, &closed, &objects] {
        assert!(canonicalize_raw(text.as_bytes()).is_err());
        assert_eq!(size::json_units_raw(text.as_bytes()), 0);
        assert_eq!(size::response_units_raw(Some(text.as_bytes())), 0);
        assert!(!empty::is_empty_raw(Some(text.as_bytes())));
        assert!(validate::validate_raw(text.as_bytes()).is_err());
        assert!(validate::decode_batch(text.as_bytes()).is_err());
    }
}

#[test]
fn unsorted_objects_at_every_depth_are_moved_once() {
    // Each level holds a repeated key and a member out of order around the next level.
    let mut text = "1".to_owned();
    for level in 0..120 {
        text = format!(r#"{{"z":{level}, "a":"lost","m":{text},"a":[{level}]}}"#);
    }
    check(text.as_bytes());
    let wide: Vec<String> = (0..2000).rev().map(|n| format!("\"k{n}\":{{\"b\":{n},\"a\":\"é\"}}")).collect();
    check(format!("{{{}}}", wide.join(" , ")).as_bytes());
}
