//! Whether a result answers anything. Asked of calls whose outcome is `ok` only.

use std::collections::HashSet;

use serde_json::Value;

use crate::json::node::{Node, RawNode, View};
use crate::json::scan::{Escape, read_escape};
use crate::json::trim_blank;
use crate::size::counts;

/// Whether a result is empty: no result or nothing left of it, no content parts, or one text part that says
/// nothing. `structuredContent` decides instead when it is present and not null.
#[must_use]
pub fn is_empty(result: Option<&Value>) -> bool {
    result.is_none_or(node_is_empty)
}

/// [`is_empty`] of a result that is still text. Text that is not JSON is an answer.
#[must_use]
pub fn is_empty_raw(result: Option<&[u8]>) -> bool {
    result.is_none_or(|bytes| {
        std::str::from_utf8(bytes).ok().and_then(RawNode::parse).is_some_and(node_is_empty)
    })
}

/// Whether a text part with this text says nothing: it is blank, or JSON for null, a blank string, `[]` or `{}`.
#[must_use]
pub fn is_empty_text(text: &str) -> bool {
    let text = trim_blank(text);
    let inside = |open, close| text.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    text.is_empty()
        || text == "null"
        || inside('[', ']').or_else(|| inside('{', '}')).is_some_and(|inside| trim_blank(inside).is_empty())
        || inside('"', '"').is_some_and(is_blank_json_string)
}

/// Whether the content of a JSON string literal is grammatical and nothing but blanks, escaped ones included.
fn is_blank_json_string(content: &str) -> bool {
    let bytes = content.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' => at += 1,
            b'\\' => match read_escape(bytes, at) {
                Some((Escape::Char(' ' | '\t' | '\n' | '\r'), next)) => at = next,
                _ => return false,
            },
            _ => return false,
        }
    }
    true
}

fn node_is_empty<'a, N: Node<'a>>(result: N) -> bool {
    if !matches!(result.view(), View::Object) {
        return value_is_empty(result);
    }
    if let Some(structured) = result.member("structuredContent").filter(|value| !value.is_null()) {
        return value_is_empty(open_envelope(structured));
    }
    match result.member("content").filter(|value| !value.is_null()) {
        Some(content) => content_is_empty(content),
        // Anything else that is left is an answer.
        None => !has_members(result),
    }
}

/// Whether any member counts; of repeated keys only the last one can.
fn has_members<'a, N: Node<'a>>(result: N) -> bool {
    let mut counting = HashSet::new();
    for (key, value) in result.members() {
        match key.valid() {
            Some(key) if counts(&key, value) => {
                counting.insert(key);
            }
            Some(key) => {
                counting.remove(&key);
            }
            // Not representable, so certainly something.
            None => return true,
        }
    }
    !counting.is_empty()
}

/// What a lone `{"result": x}` holds; everything else as it is.
fn open_envelope<'a, N: Node<'a>>(structured: N) -> N {
    let is_lone =
        matches!(structured.view(), View::Object) && structured.members().all(|(key, _)| key.is("result"));
    structured.member("result").filter(|_| is_lone).unwrap_or(structured)
}

fn content_is_empty<'a, N: Node<'a>>(content: N) -> bool {
    if !matches!(content.view(), View::Array) {
        return false;
    }
    let mut parts = content.elements();
    match (parts.next(), parts.next()) {
        (None, _) => true,
        (Some(part), None) => part_is_empty(part),
        (Some(_), Some(_)) => false,
    }
}

fn part_is_empty<'a, N: Node<'a>>(part: N) -> bool {
    let is_text =
        part.member("type").is_some_and(|kind| matches!(kind.view(), View::String(s) if s.is("text")));
    let text = part.member("text").map(Node::view);
    match text {
        Some(View::String(text)) if is_text => text.valid().is_some_and(|text| is_empty_text(&text)),
        _ => false,
    }
}

fn value_is_empty<'a, N: Node<'a>>(value: N) -> bool {
    match value.view() {
        View::Null => true,
        View::String(text) => text.valid().is_some_and(|text| is_empty_text(&text)),
        View::Array => value.elements().next().is_none(),
        View::Object => value.members().next().is_none(),
        View::Bool(_) | View::Number(_) => false,
    }
}
