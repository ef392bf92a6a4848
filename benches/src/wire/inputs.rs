//! Arguments and results as agents and tools send them, the same in every run.

use serde_json::{Value, json};

const TITLES: [&str; 4] = ["Garden hose, 25 m", "Café table", "Lamp \"Nova\"", "東京 poster"];

/// About 100 B, 2 KB and 100 KB of arguments.
pub(crate) fn arguments() -> Vec<(String, Value)> {
    let small = json!({
        "query": "quarterly revenue by region", "limit": 25,
        "filters": {"region": "EMEA", "active": true, "min_total": 12.5}
    });
    vec![("100 B".to_owned(), small), ("2 KB".to_owned(), order(11)), ("100 KB".to_owned(), order(640))]
}

/// An order of `count` lines: names, ids, amounts, flags, some text beyond ASCII.
fn order(count: usize) -> Value {
    json!({
        "order_id": "ord_01JD3K8Q9ZV5T7",
        "customer": {"name": "Zoë Müller", "email": "zoe.mueller@example.com", "vip": false},
        "note": "Please deliver to the rear entrance; ring twice.\nCall ahead if it rains.",
        "currency": "EUR",
        "lines": (0..count).map(line).collect::<Vec<_>>(),
        "requested_at": "2026-11-30T21:41:07.123Z"
    })
}

fn line(index: usize) -> Value {
    let amount = f64::from(u32::try_from(index).unwrap_or_default()) * 1.37 + 4.99;
    json!({
        "sku": format!("SKU-{:06}", index * 7919 % 1_000_000),
        "title": TITLES[index % TITLES.len()],
        "quantity": index % 7 + 1,
        "unit_price": (amount * 100.0).round() / 100.0,
        "discount": if index.is_multiple_of(5) { json!(0.1) } else { Value::Null },
        "gift": index.is_multiple_of(3)
    })
}

/// Results of about 10 KB and 1 MB, as prose and as rows.
pub(crate) fn results() -> Vec<(String, Value)> {
    let prose = |repeats: usize| {
        let text = "Order 4711 was shipped on 2026-11-28 to Zoë Müller, \"rear entrance\".\n".repeat(repeats);
        json!({"content": [{"type": "text", "text": text}]})
    };
    let rows = |count: usize| {
        let rows: Vec<Value> = (0..count).map(line).collect();
        json!({"content": [{"type": "text", "text": "See structured content."}], "structuredContent": {"rows": rows}})
    };
    vec![
        ("10 KB of prose".to_owned(), prose(135)),
        ("1 MB of prose".to_owned(), prose(13_500)),
        ("10 KB of rows".to_owned(), rows(80)),
        ("1 MB of rows".to_owned(), rows(8000)),
    ]
}

/// As ECMAScript's `JSON.stringify` writes it, keys in an order of the sender's.
pub(crate) fn compact(value: &Value) -> String {
    write(value, ",", ":")
}

/// As Python's `json.dumps` writes it.
pub(crate) fn spaced(value: &Value) -> String {
    write(value, ", ", ": ")
}

/// Members are written last to first: senders do not sort.
fn write(value: &Value, comma: &str, colon: &str) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write(item, comma, colon)).collect();
            format!("[{}]", items.join(comma))
        }
        Value::Object(members) => {
            let members = members.iter().rev();
            let members: Vec<String> = members
                .map(|(key, value)| format!("\"{key}\"{colon}{}", write(value, comma, colon)))
                .collect();
            format!("{{{}}}", members.join(comma))
        }
        scalar => scalar.to_string(),
    }
}
