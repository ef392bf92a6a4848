//! Whether random streams reach every case that the definitions tell apart: what never comes up is never compared.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::answers::{Asked, Metric};
use crate::definitions::Definitions;
use crate::model::History;
use crate::suite::{cases, expected, rng};

/// What has to come up, as `field=value` (insights as `kind/severity`).
const WANTED: &[&str] = &[
    "low_first_call_success/high",
    "low_first_call_success/medium",
    "heavy_answers/high",
    "heavy_answers/medium",
    "silent_empties/high",
    "silent_empties/medium",
    "slow/high",
    "slow/medium",
    "dead_tool/low",
    "phantom_tool/medium",
    "client_behind/high",
    "client_behind/medium",
    "disagreement/high",
    "disagreement/medium",
    "same_description/low",
    "error_burst/high",
    "error_burst/medium",
    "kind=first_surface",
    "kind=surface",
    "kind=producer",
    "renamed",
    "verdict=better",
    "verdict=worse",
    "verdict=no_difference",
    "verdict=too_few_calls",
    "status=called",
    "status=dead",
    "status=withheld",
    "status=phantom",
    "status=absent",
    "link=retry",
    "link=follow_up",
    "link_behind=retry",
    "link_behind=follow_up",
    "crowded=true",
    "settled=false",
    "run_clean=false",
    "reworded_probability=estimated",
    "repeat",
    "schema_usd",
    "last_disagreement_ms",
    "overlaps",
];

#[test]
fn random_streams_reach_every_case() {
    let mut runner = TestRunner::new_with_rng(Config::default(), rng(1, 0));
    let mut missing: BTreeSet<&str> = WANTED.iter().copied().collect();
    for _ in 0..3_000 {
        if missing.is_empty() {
            break;
        }
        let case = cases().new_tree(&mut runner).unwrap().current();
        let history = History::of(&case.stream.batches);
        for question in &case.questions {
            let scope = question.scope(&case.stream, &history);
            let metrics = [
                Metric::Overview,
                Metric::Tool,
                Metric::Tools,
                Metric::Session,
                Metric::Insights,
                Metric::Changes,
                Metric::Agreements,
                Metric::Overlaps,
            ];
            let asked =
                Asked { metrics: metrics.to_vec(), page: 1_000, ..question.asked(&case.stream, &history) };
            for answer in expected(&history, &scope, &asked, &Definitions::default()) {
                reach(&answer, &mut missing);
            }
        }
    }
    assert!(missing.is_empty(), "never came up: {missing:?}");
}

fn reach(answer: &Value, missing: &mut BTreeSet<&str>) {
    match answer {
        Value::Array(items) => items.iter().for_each(|item| reach(item, missing)),
        Value::Object(fields) => {
            if let (Some(kind), Some(severity)) = (fields.get("kind"), fields.get("severity")) {
                missing.remove(&*format!("{}/{}", plain(kind), plain(severity)));
            }
            for (name, value) in fields {
                missing.remove(&*format!("{name}={}", plain(value)));
                let is_there = match value {
                    Value::Null | Value::Bool(_) | Value::String(_) => !value.is_null(),
                    Value::Array(items) => !items.is_empty(),
                    Value::Number(number) => number.as_f64() > Some(0.0),
                    Value::Object(_) => true,
                };
                if is_there {
                    missing.remove(&**name);
                }
                if name == "reworded_probability" && value.as_f64().is_some_and(|p| 0.0 < p && p < 1.0) {
                    missing.remove("reworded_probability=estimated");
                }
                reach(value, missing);
            }
        }
        _ => {}
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
