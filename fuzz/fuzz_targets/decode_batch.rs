//! A batch: what is taken stays what it is when written again, what is refused is refused the same way from the
//! parsed value, and no violation repeats anything of what was sent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpulse_wire::payload::Payload;
use mcpulse_wire::time::{format_ms, parse_ms};
use mcpulse_wire::validate::{Checked, EnvelopeError, Violation, decode_batch, validate, validate_raw};
use serde_json::Value;

const NAMES: &[&str] = &[
    "v", "type", "session_id", "client_name", "tool_name", "started_at", "duration_ms", "outcome",
    "response_bytes", "is_empty", "args_hash", "tools", "name", "schema_bytes", "schema_hash",
    "description_hash", "description_norm", "policy", "sdk", "mcp_sdk_version", "protocol_version", "transport",
    "agreements", "field", "tool_a", "tool_b", "agreed", "checked_at", "window_ms",
];
const RULES: &[&str] = &[
    "type", "required", "additionalProperties", "const", "enum", "minLength", "maxLength", "minimum", "maximum",
    "minItems", "maxItems", "uniqueItems", "pattern", "format", "order",
];

fn check_violation(violation: &Violation) {
    assert!(RULES.contains(&violation.rule), "{violation}");
    for part in violation.path.split('/').skip(1) {
        assert!(NAMES.contains(&part) || part.parse::<u16>().is_ok_and(|at| at < 500), "{violation}");
    }
}

fn check_payload(checked: &Checked) {
    let (time, ms) = match checked {
        Checked::Call { call, started_ms } => (Some(&call.started_at), *started_ms),
        Checked::Agreement { agreement, checked_ms } => (Some(&agreement.checked_at), *checked_ms),
        Checked::Startup(_) => (None, 0),
    };
    if let Some(time) = time {
        assert_eq!(parse_ms(time), Some(ms));
        // An offset can lead out of the years that RFC 3339 can write.
        if (-62_167_219_200_000..=253_402_300_799_999).contains(&ms) {
            assert_eq!(parse_ms(&format_ms(ms)), Some(ms));
        }
    }
    let payload = Payload::from(checked.clone());
    let written = serde_json::to_value(&payload).expect("a payload is JSON");
    assert_eq!(validate(&written).as_ref(), Ok(checked));
    assert_eq!(validate_raw(written.to_string().as_bytes()).as_ref(), Ok(checked));
    assert_eq!(serde_json::from_value::<Payload>(written).expect("reads again"), payload);
}

fuzz_target!(|body: &[u8]| {
    let decoded = decode_batch(body);
    if let Ok(batch) = &decoded {
        assert!(batch.payloads.len() <= 500);
        for payload in &batch.payloads {
            match payload {
                Ok(checked) => check_payload(checked),
                Err(violation) => check_violation(violation),
            }
        }
    }
    // A payload on its own is judged as it is in a batch.
    if let Ok(text) = std::str::from_utf8(body)
        && let alone = validate_raw(body)
        && alone.as_ref().is_err_and(|violation| violation.rule == "json") == decode_batch(format!("{{\"batch\":[{text}]}}").as_bytes()).is_err()
        && let Ok(batch) = decode_batch(format!("{{\"batch\":[{text}]}}").as_bytes())
        && batch.payloads.len() == 1
    {
        assert_eq!(batch.payloads[0], alone);
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return };
    assert_ne!(decoded, Err(EnvelopeError::NotJson));
    let expected: Option<Vec<_>> = value
        .get("batch")
        .and_then(Value::as_array)
        .filter(|payloads| payloads.len() <= 500)
        .map(|payloads| payloads.iter().map(validate).collect());
    assert_eq!(decoded.ok().map(|batch| batch.payloads), expected);
});
