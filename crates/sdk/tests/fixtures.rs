//! Every fixture of `spec/` through the public paths of this crate.

#![cfg(feature = "test")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use mcpulse::testing::TestTransport;
use mcpulse::{Arguments, Ending, Mcpulse, Options, SurfaceContext, wire};
use serde_json::{Value, json};
use support::spec;

fn producer() -> (Mcpulse, Arc<TestTransport>) {
    let sent = Arc::new(TestTransport::new());
    (Mcpulse::with_transport(Options::new().key("mp_live_test"), sent.clone()), sent)
}

fn flush(pulse: &Mcpulse) {
    assert!(pulse.flush(Duration::from_secs(60)));
}

/// The hash that one recorded call carries.
fn hash<'a>(arguments: impl Into<Arguments<'a>>) -> String {
    let (pulse, sent) = producer();
    let arguments: Arguments<'_> = arguments.into();
    pulse.call("t").args(arguments).record(|| ());
    flush(&pulse);
    sent.calls()[0].args_hash.to_string()
}

#[test]
fn the_23_of_the_protocol() {
    let file = spec("canonical.json");
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 23);
    for case in cases {
        let expected = case["args_hash"].as_str().unwrap();
        assert_eq!(hash(&case["input"]), expected, "{}", case["name"]);
        assert_eq!(hash(Arguments::Raw(&case["input"].to_string())), expected, "{}", case["name"]);
    }
}

#[test]
fn raw_texts() {
    for case in spec("canonical-extra.json")["cases"].as_array().unwrap() {
        let arguments = case["json"].as_str().map_or(Arguments::Absent, Arguments::Raw);
        assert_eq!(hash(arguments), case["args_hash"].as_str().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn sizes() {
    let file = spec("sizes.json");
    for case in file["cases"].as_array().unwrap() {
        let text = case["result"].as_str().unwrap();
        let size = wire::size::json_units_raw(text.as_bytes());
        assert_eq!(Some(u64::from(size)), case["utf16"].as_u64(), "{}", case["name"]);
    }
    for case in file["strings"].as_array().unwrap() {
        let size = wire::size::utf16_length(case["text"].as_str().unwrap()) as u64;
        assert_eq!(Some(size), case["utf16"].as_u64());
    }
}

#[test]
fn emptiness() {
    let file = spec("empty.json");
    for case in file["cases"].as_array().unwrap() {
        let (pulse, sent) = producer();
        let text = case["result"].to_string();
        pulse.call("value").record_as(|result| Ending::ok().with_result(result), || case["result"].clone());
        pulse.call("text").record_as(|text: &String| Ending::ok().with_raw_result(text), || text.clone());
        flush(&pulse);
        for call in sent.calls() {
            assert_eq!(
                Some(call.is_empty),
                case["is_empty"].as_bool(),
                "{} as {}",
                case["name"],
                call.tool_name
            );
        }
    }
}

#[test]
fn tools() {
    for case in spec("tools.json")["cases"].as_array().unwrap() {
        let (pulse, sent) = producer();
        pulse.tools([&case["entry"]], &SurfaceContext::default());
        flush(&pulse);
        let tool = serde_json::to_value(&sent.startups()[0].tools[0]).unwrap();
        for field in ["schema_bytes", "schema_hash", "description_hash", "description_norm"] {
            let expected = case.get(field).cloned().unwrap_or(Value::Null);
            assert_eq!(
                tool.get(field).cloned().unwrap_or(Value::Null),
                expected,
                "{field} of {}",
                case["entry"]
            );
        }
    }
}

#[test]
fn descriptions() {
    for case in spec("description-norm.json")["cases"].as_array().unwrap() {
        let (pulse, sent) = producer();
        let entry = json!({ "name": "t", "description": case["description"] });
        pulse.tools([&entry], &SurfaceContext::default());
        flush(&pulse);
        let tool = serde_json::to_value(&sent.startups()[0].tools[0]).unwrap();
        let known = |value: &Value| value.as_str().map(str::to_owned);
        assert_eq!(known(&tool["description_norm"]), known(&case["description_norm"]), "{}", case["name"]);
        assert_eq!(known(&tool["description_hash"]), known(&case["description_hash"]), "{}", case["name"]);
    }
}

#[test]
fn stems() {
    for (word, stem) in spec("porter.json").as_object().unwrap() {
        assert_eq!(Some(wire::normalize::stem(word).as_ref()), stem.as_str(), "{word}");
    }
}
