//! Payloads: valid ones, and ones that are nearly so.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Times in all the forms that RFC 3339 has, and in many that it has not.
pub(crate) const TIMES: &[&str] = &[
    "2026-11-30T21:41:07.123Z",
    "2026-11-30t21:41:07.123z",
    "2026-11-30T21:41:07Z",
    "2026-11-30T21:41:07.1234567890123456789Z",
    "2026-11-30T21:41:07+00:00",
    "2026-11-30T21:41:07-00:00",
    "2026-11-30T21:41:07+23:59",
    "2026-11-30T21:41:07-23:59",
    "2026-11-30T21:41:07+24:00",
    "2026-11-30T21:41:07+05:60",
    "2026-11-30T21:41:07+0530",
    "2026-11-30T21:41:07+05",
    "2026-11-30T21:41:07",
    "2026-11-30T21:41:07.Z",
    "2026-11-30T21:41:07,5Z",
    "2026-11-30 21:41:07Z",
    "2026-11-30T21:41Z",
    "2026-11-30",
    "2026-11-30T24:00:00Z",
    "2026-11-30T23:60:00Z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:59:60.999Z",
    "2016-12-31T23:59:61Z",
    "2016-12-31T22:59:60Z",
    "2016-12-31T18:29:60-05:30",
    "2017-01-01T00:59:60+01:00",
    "2017-01-01T00:59:60+02:00",
    "2016-12-31T23:59:60+00:01",
    "2017-01-01T23:58:60-00:01",
    "2024-02-29T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2000-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-13-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "0000-02-29T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "10000-01-01T00:00:00Z",
    "-001-01-01T00:00:00Z",
    "+2026-01-01T00:00:00Z",
    "2026-1-01T00:00:00Z",
    "２026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z ",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00ZZ",
    "2026-01-01T00:00:00.1+01:00",
    "2026-01-01T00:00:00.1é",
    "",
];

/// A valid call.
pub(crate) fn call() -> Value {
    json!({
        "v": 1, "type": "call", "session_id": "s_0123456789ab", "client_name": "cursor",
        "tool_name": "search_orders", "started_at": "2026-11-30T21:41:07.123Z", "duration_ms": 12,
        "outcome": "ok", "response_bytes": 310, "is_empty": false, "args_hash": "52a4fe5fc814"
    })
}

/// A text of exactly `length` code points of mixed width.
fn text_of(length: usize) -> String {
    "aé東🚀".chars().cycle().take(length).collect()
}

fn text(max: usize) -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[a-z_]{1,12}".prop_map(Value::from),
        1 => Just(text_of(max).into()),
        1 => Just(text_of(1).into()),
        1 => "\\PC{1,20}".prop_map(Value::from),
    ]
}

fn integer(min: u32, max: u32) -> impl Strategy<Value = Value> {
    prop_oneof![(min..=max).prop_map(Value::from), select(vec![min, max]).prop_map(Value::from)]
}

fn hash() -> impl Strategy<Value = Value> {
    "[0-9a-f]{12}".prop_map(Value::from)
}

fn time() -> impl Strategy<Value = Value> {
    let valid = TIMES.iter().filter(|time| mcpulse_wire::time::parse_ms(time).is_some());
    select(valid.map(|time| Value::from(*time)).collect::<Vec<_>>())
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    select(words).prop_map(Value::from)
}

/// Left out, null, or there.
fn optional(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![2 => value.prop_map(Some), 1 => Just(None), 1 => Just(Some(Value::Null))]
}

fn object(fields: Vec<(&str, Option<Value>)>) -> Value {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn valid_call() -> impl Strategy<Value = Value> {
    let outcome = one_of(&["ok", "bad_args", "tool_error", "crashed"]);
    (text(128), text(128), text(200), time(), integer(0, 86_400_000), outcome, integer(0, 2_147_483_647))
        .prop_flat_map(|fields| (Just(fields), any::<bool>(), hash()))
        .prop_map(|((session, client, tool, started, duration, outcome, size), is_empty, hash)| {
            let is_empty = is_empty && outcome == "ok";
            json!({
                "v": 1, "type": "call", "session_id": session, "client_name": client, "tool_name": tool,
                "started_at": started, "duration_ms": duration, "outcome": outcome,
                "response_bytes": size, "is_empty": is_empty, "args_hash": hash
            })
        })
}

fn tool() -> impl Strategy<Value = Value> {
    let policy = optional(one_of(&["none", "authorization", "identity"]));
    (text(200), integer(0, 2_147_483_647), optional(hash()), optional(hash()), optional(hash()), policy)
        .prop_map(|(name, size, schema, description, norm, policy)| {
            object(vec![
                ("name", Some(name)),
                ("schema_bytes", Some(size)),
                ("schema_hash", schema),
                ("description_hash", description),
                ("description_norm", norm),
                ("policy", policy),
            ])
        })
}

fn declared() -> impl Strategy<Value = Value> {
    (text(200), proptest::collection::hash_set("[a-z]{1,8}", 2..=20))
        .prop_map(|(field, tools)| json!({"field": field, "tools": tools.into_iter().collect::<Vec<_>>()}))
}

fn valid_startup() -> impl Strategy<Value = Value> {
    let versions = (optional(text(64)), optional(text(64)), optional(text(64)));
    let transport = optional(one_of(&["stdio", "http"]));
    let agreements = optional(proptest::collection::vec(declared(), 0..3).prop_map(Value::from));
    let tools = prop_oneof![
        9 => proptest::collection::vec(tool(), 0..4),
        1 => tool().prop_map(|tool| vec![tool; 500]),
    ];
    (text(128), text(128), tools, versions, transport, agreements).prop_map(
        |(session, client, tools, (sdk, mcp_sdk, protocol), transport, agreements)| {
            object(vec![
                ("v", Some(json!(1))),
                ("type", Some(json!("startup"))),
                ("session_id", Some(session)),
                ("client_name", Some(client)),
                ("tools", Some(tools.into())),
                ("sdk", sdk),
                ("mcp_sdk_version", mcp_sdk),
                ("protocol_version", protocol),
                ("transport", transport),
                ("agreements", agreements),
            ])
        },
    )
}

fn valid_agreement() -> impl Strategy<Value = Value> {
    (text(128), text(200), text(200), text(200), any::<bool>(), time(), integer(1, 86_400_000))
        .prop_filter_map("the pair must be two", |(session, field, a, b, agreed, checked, window)| {
            let units = |name: &Value| name.as_str().map(|name| name.encode_utf16().collect::<Vec<_>>());
            let (a, b) = match units(&a).cmp(&units(&b)) {
                std::cmp::Ordering::Less => (a, b),
                std::cmp::Ordering::Greater => (b, a),
                std::cmp::Ordering::Equal => return None,
            };
            Some(json!({
                "v": 1, "type": "agreement", "session_id": session, "field": field, "tool_a": a,
                "tool_b": b, "agreed": agreed, "checked_at": checked, "window_ms": window
            }))
        })
}

/// Payloads that keep every rule.
pub(crate) fn valid() -> impl Strategy<Value = Value> {
    prop_oneof![valid_call(), valid_startup(), valid_agreement()]
}

/// Values that are odd somewhere.
fn odd_value() -> impl Strategy<Value = Value> {
    let numbers = select(vec![
        json!(-1),
        json!(0),
        json!(-0.0),
        json!(1),
        json!(1.0),
        json!(1e3),
        json!(0.5),
        json!(-0.5),
        json!(86_400_000),
        json!(86_400_001),
        json!(86_400_000.0),
        json!(86_400_000.5),
        json!(2_147_483_647),
        json!(2_147_483_648_u32),
        json!(2_147_483_647.0),
        json!(1e300),
        json!(-1e300),
        json!(5e-324),
        json!(u64::MAX),
        json!(i64::MIN),
    ]);
    let lengths = select(vec![0, 1, 2, 64, 65, 128, 129, 200, 201]).prop_map(|length| json!(text_of(length)));
    let hashes = select(vec![
        "52a4fe5fc81",
        "52a4fe5fc8145",
        "52A4FE5FC814",
        "52a4fe5fc81g",
        "52a4fe5fc814\n",
        "\n52a4fe5fc814",
        "52a4fe5fc81é",
        "000000000000",
    ]);
    let words = select(vec![
        "ok",
        "OK",
        "ok ",
        "bad_args",
        "tool_error",
        "crashed",
        "stdio",
        "http",
        "none",
        "authorization",
        "identity",
        "call",
        "startup",
        "agreement",
        "calls",
    ]);
    prop_oneof![
        numbers,
        lengths,
        hashes.prop_map(Value::from),
        words.prop_map(Value::from),
        select(TIMES).prop_map(Value::from),
        edited_time(),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["a"])),
        Just(json!(["a", "a"])),
        Just(json!(["a", "b", null])),
        (19_usize..=21).prop_map(|count| (0..count).map(|n| json!(format!("t{n}"))).collect()),
        (99_usize..=101).prop_map(|count| vec![json!({"field": "f", "tools": ["a", "b"]}); count].into()),
        (499_usize..=501).prop_map(|count| vec![json!({"name": "a", "schema_bytes": 1}); count].into()),
    ]
}

/// A time with one character replaced.
fn edited_time() -> impl Strategy<Value = Value> {
    let characters = select("0123456789:.-+TtZz ,/".chars().collect::<Vec<_>>());
    (select(TIMES), any::<Index>(), characters).prop_map(|(time, at, character)| {
        let mut letters: Vec<char> = time.chars().collect();
        if !letters.is_empty() {
            let at = at.index(letters.len());
            letters[at] = character;
        }
        letters.into_iter().collect::<String>().into()
    })
}

#[derive(Clone, Debug)]
enum Change {
    Set(Value),
    Remove,
    Add(String, Value),
    Repeat,
}

fn change() -> impl Strategy<Value = (Index, Change)> {
    let unknown = select(vec!["arguments", "result", "", "V", "tool_names", "description", "名", "a/b~c"]);
    let change = prop_oneof![
        6 => odd_value().prop_map(Change::Set),
        2 => Just(Change::Remove),
        1 => (unknown, odd_value()).prop_map(|(name, value)| Change::Add(name.to_owned(), value)),
        1 => Just(Change::Repeat),
    ];
    (any::<Index>(), change)
}

/// Payloads with up to three changes, of which most break a rule and some do not.
pub(crate) fn changed() -> impl Strategy<Value = Value> {
    (valid(), proptest::collection::vec(change(), 1..=3)).prop_map(|(mut payload, changes)| {
        for (index, change) in changes {
            // Deep in a long list everything is alike, so the first few places do.
            let mut places = places(&payload);
            places.truncate(60);
            let place: &String = index.get(&places);
            apply(&mut payload, place, change);
        }
        payload
    })
}

/// JSON Pointers to every value inside.
fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut inside = |key: &str, inner: &Value| {
        found.extend(
            places(inner).iter().map(|rest| format!("/{}{rest}", key.replace('~', "~0").replace('/', "~1"))),
        );
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, inner)| inside(key, inner)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, inner)| inside(&at.to_string(), inner))
        }
        _ => {}
    }
    found
}

fn apply(payload: &mut Value, place: &str, change: Change) {
    match change {
        Change::Set(value) => {
            if let Some(slot) = payload.pointer_mut(place) {
                *slot = value;
            }
        }
        Change::Remove => {
            let (parent, key) = place.rsplit_once('/').unwrap_or_default();
            match payload.pointer_mut(parent) {
                Some(Value::Object(members)) => drop(members.remove(key)),
                Some(Value::Array(items)) => drop(items.pop()),
                _ => {}
            }
        }
        Change::Add(name, value) => {
            if let Some(Value::Object(members)) = payload.pointer_mut(place) {
                members.insert(name, value);
            }
        }
        Change::Repeat => {
            if let Some(Value::Array(items)) = payload.pointer_mut(place)
                && let Some(last) = items.last().cloned()
            {
                items.push(last);
            }
        }
    }
}

/// The same without null members, at every depth.
pub(crate) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
