//! Canonical form, hash, size and emptiness: from text and from the parsed value they are the same, the canonical
//! form is its own, and text and value are representable together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpulse_wire::canonical::{NotRepresentable, canonicalize, canonicalize_raw};
use mcpulse_wire::hash::{Hash12, UNREPRESENTABLE, args_hash, args_hash_raw, canonical_hash, canonical_hash_raw};
use mcpulse_wire::{empty, size};
use serde_json::Value;

fuzz_target!(|text: &[u8]| {
    let raw = canonicalize_raw(text);
    let hash = canonical_hash_raw(text);
    let units = size::json_units_raw(text);
    match &raw {
        Ok(canonical) => {
            assert_eq!(canonicalize_raw(canonical.as_bytes()).as_ref(), Ok(canonical));
            assert_eq!(hash, Hash12::of_bytes(canonical.as_bytes()));
            assert_eq!(units as usize, canonical.encode_utf16().count());
            assert_eq!(units as usize, size::utf16_length(canonical));
            if raw.as_deref() != Ok("null") {
                assert_eq!(args_hash_raw(Some(text)), hash);
            }
        },
        Err(_) => assert_eq!((hash, units), (UNREPRESENTABLE, 0)),
    }
    // What is empty or an answer is so whatever way it is looked at, and nothing here may panic.
    let is_empty = empty::is_empty_raw(Some(text));
    let response = size::response_units_raw(Some(text));

    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        // serde_json refuses a document for a value that a repeated key replaces, and for 128 containers.
        return;
    };
    assert_ne!(raw, Err(NotRepresentable::NotJson));
    assert_eq!(canonicalize(&value), raw);
    assert_eq!(canonical_hash(&value), hash);
    assert_eq!(args_hash(Some(&value)), args_hash_raw(Some(text)));
    assert_eq!(size::json_units(&value), units);
    assert_eq!(size::response_units(Some(&value)), response);
    assert_eq!(empty::is_empty(Some(&value)), is_empty);
    // Another parser reads the canonical form as the same value, but for integers beyond 2^53.
    if let Ok(canonical) = raw {
        let again: Value = serde_json::from_str(&canonical).expect("the canonical form is JSON");
        assert_eq!(canonicalize(&again), Ok(canonical));
    }
});
