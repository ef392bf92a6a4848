//! The size of a result as `rmcp` writes it, and whether it answers anything.

use ::rmcp::model::{CallToolResult, ContentBlock, ServerResult};
use mcpulse_wire::payload::limit;
use mcpulse_wire::{empty, size};
use serde_json::Value;

use crate::ending::Measure;

/// Measures `result`. A peer from before 2026-07-28 gets structured content only as an object; `rmcp` moves
/// anything else into the text.
pub(super) fn measure(result: &CallToolResult, legacy: bool) -> Measure {
    if legacy && result.structured_content.as_ref().is_some_and(|value| !value.is_object()) {
        let mut sent = ServerResult::CallToolResult(result.clone());
        sent.strip_non_object_output_for_legacy_peer();
        if let ServerResult::CallToolResult(sent) = sent {
            return measure_sent(&sent);
        }
    }
    measure_sent(result)
}

fn measure_sent(result: &CallToolResult) -> Measure {
    let units = units(result).and_then(|units| u32::try_from(units).ok()).unwrap_or(0);
    Measure { units: units.min(limit::UNITS), is_empty: is_empty(result) }
}

/// UTF-16 units of `{"content":[…],"structuredContent":…,"isError":true}`, each member only if it counts.
/// `None` when it has no canonical form. Nothing is written on the way: results are large.
fn units(result: &CallToolResult) -> Option<usize> {
    let mut total = r#"{"content":[]}"#.len() + result.content.len().saturating_sub(1);
    for part in &result.content {
        total += part_units(part)?;
    }
    if let Some(structured) = result.structured_content.as_ref().filter(|value| !value.is_null()) {
        total += r#","structuredContent":"#.len() + size::nested_units(structured, 1)?;
    }
    if result.is_error == Some(true) {
        total += r#","isError":true"#.len();
    }
    Some(total)
}

fn part_units(part: &ContentBlock) -> Option<usize> {
    match part {
        ContentBlock::Text(text) if text.meta.is_none() && text.annotations.is_none() => {
            Some(r#"{"type":"text","text":}"#.len() + size::json_string_units(&text.text))
        }
        // Images and the like are rare enough to be written once more.
        other => size::nested_units(&serde_json::to_value(other).ok()?, 2),
    }
}

fn is_empty(result: &CallToolResult) -> bool {
    if let Some(structured) = result.structured_content.as_ref().filter(|value| !value.is_null()) {
        return match open_envelope(structured) {
            Value::Object(members) => members.is_empty(),
            other => empty::is_empty(Some(other)),
        };
    }
    match result.content.as_slice() {
        [] => true,
        [ContentBlock::Text(part)] => empty::is_empty_text(&part.text),
        _ => false,
    }
}

/// What a lone `{"result": x}` holds.
fn open_envelope(structured: &Value) -> &Value {
    match structured {
        Value::Object(members) if members.len() == 1 => members.get("result").unwrap_or(structured),
        _ => structured,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

    use ::rmcp::model::{Annotations, Role, TextContent};
    use serde_json::json;

    use super::*;

    fn agrees(result: &CallToolResult) {
        let wire = serde_json::to_value(result).unwrap();
        let measured = measure(result, false);
        assert_eq!(measured.units, size::response_units(Some(&wire)), "{wire}");
        assert_eq!(measured.is_empty, empty::is_empty(Some(&wire)), "{wire}");
    }

    #[test]
    fn measures_what_rmcp_writes() {
        let text = |text: &str| ContentBlock::text(text);
        let mut annotated = TextContent::new("é");
        let mut annotations = Annotations::default();
        annotations.audience = Some(vec![Role::User]);
        annotated.annotations = Some(annotations);
        for content in [
            vec![],
            vec![text("")],
            vec![text(" [] ")],
            vec![text("café 🚀 \"\\\u{1}\n\u{2028}")],
            vec![text("a"), text("b")],
            vec![ContentBlock::image("aGk=", "image/png"), text("x")],
            vec![ContentBlock::Text(annotated)],
        ] {
            agrees(&CallToolResult::success(content.clone()));
            agrees(&CallToolResult::error(content));
        }
        for structured in [
            json!(null),
            json!({}),
            json!([]),
            json!(0),
            json!(" "),
            json!({"result": []}),
            json!({"result": {"result": {}}}),
            json!({"result": [1], "more": 1.0}),
            json!({"rows": [{"n": 1e21, "s": "🚀"}]}),
        ] {
            let mut result = CallToolResult::success(vec![text("x")]);
            result.structured_content = Some(structured);
            agrees(&result);
        }
    }

    #[test]
    fn older_peers_get_structured_content_that_is_no_object_as_text() {
        let mut result = CallToolResult::success(vec![]);
        result.structured_content = Some(json!([1, 2]));
        let expected = json!({"content": [{"type": "text", "text": "[1,2]"}]});
        assert_eq!(measure(&result, true).units, size::response_units(Some(&expected)));
        assert_ne!(measure(&result, false).units, measure(&result, true).units);
    }

    #[test]
    fn what_nests_too_deep_has_no_size() {
        let nest = |depth| (1..depth).fold(json!([]), |inner, _| json!([inner]));
        let mut result = CallToolResult::success(vec![]);
        for (depth, fits) in [(127, true), (128, false)] {
            result.structured_content = Some(nest(depth));
            agrees(&result);
            assert_eq!(measure(&result, false).units > 0, fits);
        }
    }
}
