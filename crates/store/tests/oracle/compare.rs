//! Finding where two answers differ: counts exactly, floating point to a billionth of its size.

use serde::Serialize;
use serde_json::Value;

/// How far two floating-point numbers may be apart, relative to the larger (absolute below a thousandth:
/// costs are small, and differences are often zero).
const TOLERANCE: f64 = 1e-9;

/// Every difference between what the oracle expects and what the engine answered, as `path: expected, got`.
pub fn differences<T: Serialize + std::fmt::Debug>(expected: &T, got: &T) -> Vec<String> {
    let mut found = Vec::new();
    // JSON would write these as null, which means something else.
    let text = format!("{got:?}");
    if text.contains("NaN") || text.contains(": inf") || text.contains("Some(inf") || text.contains("-inf") {
        found.push("the answer holds a number that is not finite".to_owned());
    }
    walk("", &serde_json::to_value(expected).unwrap(), &serde_json::to_value(got).unwrap(), &mut found);
    found
}

fn walk(path: &str, expected: &Value, got: &Value, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                walk(&format!("{path}/{key}"), value, b.get(key).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                walk(&format!("{path}/{at}"), a, b, found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            if !close(a.as_f64().unwrap(), b.as_f64().unwrap()) {
                found.push(format!("{path}: expected {a}, got {b}"));
            }
        }
        _ if expected == got => {}
        _ => found.push(format!("{path}: expected {expected}, got {got}")),
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1e-3)
}
