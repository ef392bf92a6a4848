//! The rules for single values.

use std::borrow::Cow;

use super::Violation;
use crate::hash::Hash12;
use crate::json::node::{Node, View};
use crate::payload::{Outcome, Policy, Transport, limit};
use crate::time::parse_ms;

fn string<'a>(node: impl Node<'a>) -> Result<Cow<'a, str>, Violation> {
    match node.view() {
        View::String(text) => text.valid().ok_or_else(|| Violation::here("type")),
        _ => Err(Violation::here("type")),
    }
}

/// A string of `min` to `max` code points.
fn text<'a>(node: impl Node<'a>, min: usize, max: usize) -> Result<String, Violation> {
    let text = string(node)?;
    if text.len() < min {
        return Err(Violation::here("minLength"));
    }
    // A code point is at least a byte, so most texts need no counting.
    if text.len() > max && text.chars().nth(max).is_some() {
        return Err(Violation::here("maxLength"));
    }
    Ok(text.into_owned())
}

pub(super) fn session_id<'a>(node: impl Node<'a>) -> Result<String, Violation> {
    text(node, 1, limit::SESSION_ID)
}

pub(super) fn client_name<'a>(node: impl Node<'a>) -> Result<String, Violation> {
    text(node, 1, limit::CLIENT_NAME)
}

/// The name of a tool or a field.
pub(super) fn name<'a>(node: impl Node<'a>) -> Result<String, Violation> {
    text(node, 1, limit::NAME)
}

pub(super) fn version<'a>(node: impl Node<'a>) -> Result<String, Violation> {
    text(node, 0, limit::VERSION)
}

pub(super) fn hash<'a>(node: impl Node<'a>) -> Result<Hash12, Violation> {
    string(node)?.parse().map_err(|_| Violation::here("pattern"))
}

/// A time as it was written, and in milliseconds.
pub(super) fn time<'a>(node: impl Node<'a>) -> Result<(String, i64), Violation> {
    let text = string(node)?;
    let ms = parse_ms(&text).ok_or_else(|| Violation::here("format"))?;
    Ok((text.into_owned(), ms))
}

pub(super) fn boolean<'a>(node: impl Node<'a>) -> Result<bool, Violation> {
    match node.view() {
        View::Bool(value) => Ok(value),
        _ => Err(Violation::here("type")),
    }
}

/// An integral number: `1`, `1.0` and `1e0` are the same. Numbers are read as IEEE doubles, like everywhere.
pub(super) fn integer<'a>(node: impl Node<'a>, min: u32, max: u32) -> Result<u32, Violation> {
    let View::Number(value) = node.view() else { return Err(Violation::here("type")) };
    if value.is_finite() && value.fract() != 0.0 {
        return Err(Violation::here("type"));
    }
    if value < f64::from(min) {
        return Err(Violation::here("minimum"));
    }
    if value > f64::from(max) {
        return Err(Violation::here("maximum"));
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "integral and between two u32, as just checked"
    )]
    Ok(value as u32)
}

/// The size of something, in UTF-16 code units.
pub(super) fn units<'a>(node: impl Node<'a>) -> Result<u32, Violation> {
    integer(node, 0, limit::UNITS)
}

/// The wire version.
pub(super) fn wire_version<'a>(node: impl Node<'a>) -> Result<u32, Violation> {
    match node.view() {
        View::Number(1.0) => Ok(1),
        _ => Err(Violation::here("const")),
    }
}

/// One of some words.
pub(super) fn word<'a, T: Copy>(node: impl Node<'a>, words: &[(&str, T)]) -> Result<T, Violation> {
    let View::String(text) = node.view() else { return Err(Violation::here("enum")) };
    let found = words.iter().find(|(word, _)| text.is(word));
    found.map(|(_, value)| *value).ok_or_else(|| Violation::here("enum"))
}

pub(super) fn outcome<'a>(node: impl Node<'a>) -> Result<Outcome, Violation> {
    word(
        node,
        &[
            ("ok", Outcome::Ok),
            ("bad_args", Outcome::BadArgs),
            ("tool_error", Outcome::ToolError),
            ("crashed", Outcome::Crashed),
        ],
    )
}

pub(super) fn policy<'a>(node: impl Node<'a>) -> Result<Policy, Violation> {
    word(
        node,
        &[("none", Policy::None), ("authorization", Policy::Authorization), ("identity", Policy::Identity)],
    )
}

pub(super) fn transport<'a>(node: impl Node<'a>) -> Result<Transport, Violation> {
    word(node, &[("stdio", Transport::Stdio), ("http", Transport::Http)])
}

/// An array of `min` to `max` elements, each checked.
pub(super) fn array<'a, N: Node<'a>, T>(
    node: N,
    min: usize,
    max: usize,
    check: impl Fn(N) -> Result<T, Violation>,
) -> Result<Vec<T>, Violation> {
    if !matches!(node.view(), View::Array) {
        return Err(Violation::here("type"));
    }
    let count = node.elements().take(max + 1).count();
    if count < min {
        return Err(Violation::here("minItems"));
    }
    if count > max {
        return Err(Violation::here("maxItems"));
    }
    let elements = node.elements().enumerate();
    elements
        .map(|(index, element)| check(element).map_err(|violation| violation.under(&format!("/{index}"))))
        .collect()
}
