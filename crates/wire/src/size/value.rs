//! Sizes of parsed values. Order changes no length, so nothing is sorted, and nothing is written.

use serde_json::Value;

use crate::canonical::MAX_DEPTH;
use crate::json::count::escaped_units;
use crate::json::number::number_units;

/// `None` when the value has no canonical form.
pub(crate) fn units(value: &Value) -> Option<usize> {
    value_units(value, 0)
}

/// The units of an object with these members. `depth` is how many containers are around it.
pub(crate) fn object_units<'a>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    depth: usize,
) -> Option<usize> {
    if depth == MAX_DEPTH {
        return None;
    }
    let mut total = 0;
    let mut count = 0;
    for (key, value) in members {
        // The quotes and the colon.
        total += escaped_units(key.as_bytes()) + 3 + value_units(value, depth + 1)?;
        count += 1;
    }
    Some(total + brackets_and_commas(count))
}

pub(crate) fn value_units(value: &Value, depth: usize) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(true) => Some(4),
        Value::Bool(false) => Some(5),
        Value::Number(number) => number_units(number),
        Value::String(text) => Some(escaped_units(text.as_bytes()) + 2),
        Value::Array(items) => {
            if depth == MAX_DEPTH {
                return None;
            }
            let inside = items.iter().try_fold(0, |sum, item| Some(sum + value_units(item, depth + 1)?))?;
            Some(inside + brackets_and_commas(items.len()))
        }
        Value::Object(members) => object_units(members.iter(), depth),
    }
}

/// What a container of `count` entries adds to them.
pub(crate) fn brackets_and_commas(count: usize) -> usize {
    2 + count.saturating_sub(1)
}
