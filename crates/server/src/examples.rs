//! An example for every metric: real answers about a small story, written by the tests of `mcpulse-store`.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{RefOr, Response};

/// Answers by operation.
macro_rules! answers {
    ($($operation:literal)*) => {
        &[$(($operation, include_str!(concat!("../../../spec/examples/", $operation, ".json")))),*]
    };
}

const ANSWERS: &[(&str, &str)] = answers! {
    "overview" "tools" "tool" "clients" "producers" "sessions" "session" "pairs" "insights" "changes" "overlaps"
    "agreements" "ingest_health" "calls"
};

/// Adds the example of an operation to its answer.
pub(crate) fn add(operation: &mut Operation) {
    // The two ways to ask for a tool have one answer.
    let asked = operation.operation_id.as_deref().map(|id| if id == "tool_by_name" { "tool" } else { id });
    let example = ANSWERS.iter().find(|(name, _)| asked == Some(*name));
    let Some((_, text)) = example else { return };
    if let Some(RefOr::T(Response { content, .. })) = operation.responses.responses.get_mut("200")
        && let Some(RefOr::T(content)) = content.get_mut("application/json")
    {
        // That each of them is there is tested below.
        content.example = serde_json::from_str(text).ok();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::ANSWERS;

    #[test]
    fn every_metric_has_its_example() {
        let document = serde_json::to_value(crate::openapi_document()).unwrap();
        let mut examples = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                if operation["tags"][0] == "metrics" && path.starts_with("/v1/servers/") {
                    let example = &operation["responses"]["200"]["content"]["application/json"]["example"];
                    assert!(example.is_object(), "{path}");
                    examples.push(example.clone());
                }
            }
        }
        // The two ways to ask for a tool have one.
        let examples: std::collections::BTreeSet<_> = examples.iter().map(ToString::to_string).collect();
        assert_eq!(examples.len(), ANSWERS.len());
    }
}
