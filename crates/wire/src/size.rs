//! Sizes: UTF-16 code units of the compact ECMAScript JSON, which is as long as the canonical form.

mod text;
mod value;

use serde_json::Value;

use crate::json::count;
use crate::json::node::{Node, RawNode, View};
use crate::payload::limit;

/// UTF-16 code units of a text: `café` is 4, 🚀 is 2.
#[must_use]
pub fn utf16_length(text: &str) -> usize {
    count::utf16_units(text.as_bytes())
}

/// UTF-16 code units of a text as a JSON string, the quotes included.
#[must_use]
pub fn json_string_units(text: &str) -> usize {
    count::escaped_units(text.as_bytes()) + 2
}

/// UTF-16 code units of a value that stands inside `depth` containers; `None` when the whole has no canonical
/// form. For producers that measure a result piece by piece.
#[must_use]
pub fn nested_units(value: &Value, depth: usize) -> Option<usize> {
    value::value_units(value, depth)
}

/// UTF-16 code units of a value as compact JSON; 0 when it has no canonical form.
#[must_use]
pub fn json_units(value: &Value) -> u32 {
    value::units(value).map_or(0, clamp)
}

/// UTF-16 code units of JSON text once it is compact; 0 when it has no canonical form.
#[must_use]
pub fn json_units_raw(text: &[u8]) -> u32 {
    std::str::from_utf8(text).ok().and_then(|text| text::units(text, 0)).map_or(0, clamp)
}

/// `response_bytes` of a result: the size of the object the MCP SDK puts on the wire, less `_meta`,
/// `resultType`, members that are null and an `isError` that is false. 0 for no result.
#[must_use]
pub fn response_units(result: Option<&Value>) -> u32 {
    match result {
        None | Some(Value::Null) => 0,
        Some(Value::Object(members)) => {
            let kept = members.iter().filter(|(key, value)| counts(key, *value));
            value::object_units(kept, 0).map_or(0, clamp)
        }
        Some(other) => json_units(other),
    }
}

/// [`response_units`] of a result that is still text.
#[must_use]
pub fn response_units_raw(result: Option<&[u8]>) -> u32 {
    let units = || {
        let text = std::str::from_utf8(result?).ok()?;
        let node = RawNode::parse(text)?;
        match node.view() {
            View::Null => None,
            View::Object => text::object_units(node, counts),
            _ => text::units(text, 0),
        }
    };
    units().map_or(0, clamp)
}

/// Whether a member of a result is part of the answer.
pub(crate) fn counts<'a>(key: &str, value: impl Node<'a>) -> bool {
    let left_out = matches!(
        (key, value.view()),
        ("_meta" | "resultType", _) | (_, View::Null) | ("isError", View::Bool(false))
    );
    !left_out
}

fn clamp(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(limit::UNITS).min(limit::UNITS)
}
