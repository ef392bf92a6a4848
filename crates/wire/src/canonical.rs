//! The canonical form (RFC 8785) of JSON: keys sorted by UTF-16 code units at every depth, numbers as IEEE
//! doubles written as ECMAScript writes them, strings escaped only where ECMAScript escapes them.
//!
//! Both ways in give the same bytes: [`canonicalize`] takes a parsed value, [`canonicalize_raw`] takes text,
//! where a repeated key keeps its last value. Neither panics, recurses beyond [`MAX_DEPTH`], or takes time
//! that is not linear in the input (sorting aside).

mod sink;
mod text;
mod value;

use std::fmt;

use serde_json::{Map, Value};

pub use sink::Sink;
use text::Pieces;
pub(crate) use text::{Entry, Members, Output, read_text};
use value::write_object;

/// Containers may nest this deep; JSON that nests deeper has no canonical form.
pub const MAX_DEPTH: usize = 128;

/// Why JSON has no canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRepresentable {
    /// The text is not JSON (or not UTF-8).
    NotJson,
    /// A string or a key holds half a surrogate pair.
    LoneSurrogate,
    /// A number is past the largest double.
    NumberOutOfRange,
    /// Containers nest deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for NotRepresentable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not JSON",
            Self::LoneSurrogate => "a string holds a lone surrogate",
            Self::NumberOutOfRange => "a number is out of range",
            Self::TooDeep => "nested deeper than 128 containers",
        })
    }
}

impl std::error::Error for NotRepresentable {}

/// The canonical form of a parsed value.
///
/// # Errors
/// When the value nests too deep, or holds a number past the largest double (only possible with serde_json's
/// `arbitrary_precision`).
pub fn canonicalize(value: &Value) -> Result<String, NotRepresentable> {
    let mut out = Vec::new();
    write_canonical(value, &mut out)?;
    into_string(out)
}

/// The canonical form of JSON text.
///
/// # Errors
/// When the text is not JSON, nests too deep, or holds a lone surrogate or a number past the largest double.
pub fn canonicalize_raw(text: &[u8]) -> Result<String, NotRepresentable> {
    let mut out = Vec::new();
    write_canonical_raw(text, &mut out)?;
    into_string(out)
}

/// Writes the canonical form of a parsed value into `sink`, piece by piece. After an error `sink` holds a part.
///
/// # Errors
/// As [`canonicalize`].
pub fn write_canonical<S: Sink>(value: &Value, sink: &mut S) -> Result<(), NotRepresentable> {
    value::write_value(value, sink)
}

/// Writes the canonical form of an object into `sink`, piece by piece. After an error `sink` holds a part.
///
/// # Errors
/// As [`canonicalize`].
pub fn write_canonical_object<S: Sink>(
    object: &Map<String, Value>,
    sink: &mut S,
) -> Result<(), NotRepresentable> {
    write_object(object, sink)
}

/// Writes the canonical form of JSON text into `sink`. After an error nothing has been written.
///
/// # Errors
/// As [`canonicalize_raw`].
pub fn write_canonical_raw<S: Sink>(text: &[u8], sink: &mut S) -> Result<(), NotRepresentable> {
    let text = std::str::from_utf8(text).map_err(|_| NotRepresentable::NotJson)?;
    read_text(text, 0, Pieces::default())?.write(text.as_bytes(), sink);
    Ok(())
}

fn into_string(bytes: Vec<u8>) -> Result<String, NotRepresentable> {
    // Built from strings and ASCII only, so this cannot fail; checking is cheap beside the rest.
    String::from_utf8(bytes).map_err(|_| NotRepresentable::NotJson)
}
