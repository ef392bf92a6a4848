//! Finding where two answers differ: counts exactly, floating point to a billionth of its size.

use serde_json::Value;

/// How far two floating-point numbers may be apart, relative to the larger (absolute below a thousandth:
/// costs are small, and differences are often zero).
const TOLERANCE: f64 = 1e-9;

/// Every difference between what the oracle expects and what the engine answered, with its path.
pub fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk("", expected, got, &mut found);
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

#[test]
fn what_differs_is_found() {
    use serde_json::json;
    let expected = json!({"calls": 3, "rate": 0.5, "clients": [{"p95": null}], "cost": 2.25e-6});
    assert!(differences(&expected, &expected).is_empty());
    for (got, path) in [
        (json!({"calls": 4, "rate": 0.5, "clients": [{"p95": null}], "cost": 2.25e-6}), "/calls"),
        (json!({"calls": 3, "rate": 0.500_000_01, "clients": [{"p95": null}], "cost": 2.25e-6}), "/rate"),
        (json!({"calls": 3, "rate": null, "clients": [{"p95": null}], "cost": 2.25e-6}), "/rate"),
        (json!({"calls": 3, "rate": 0.5, "clients": [{"p95": 0}], "cost": 2.25e-6}), "/clients/0/p95"),
        (json!({"calls": 3, "rate": 0.5, "clients": [], "cost": 2.25e-6}), "/clients"),
        (json!({"calls": 3, "rate": 0.5, "clients": [{"p95": null}], "cost": 2.26e-6}), "/cost"),
    ] {
        let found = differences(&expected, &got);
        assert!(found.len() == 1 && found[0].starts_with(&format!("{path}:")), "{found:?}");
    }
}
