//! Validation: which payloads the wire takes, and for each that it does not, where and by which rule.
//!
//! A violation names a JSON Pointer and a rule, never a value, and never a name that the sender made up. The
//! rules are those of `spec/wire.schema.json` and the few that JSON Schema cannot say (`spec/protocol.md`).
//! They are checked in a fixed order and the first that fails is reported: the payload is an object; `v`;
//! `type`; unknown fields; then the fields in the order of the schema.

mod fields;
mod payloads;
mod values;

use std::fmt;

use serde_json::Value;

use crate::json::node::{Node, RawNode, View};
use crate::payload::{Agreement, Call, Payload, Startup, limit};

/// A payload that follows every rule, with its time read.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// A call.
    Call {
        /// The payload.
        call: Call,
        /// `started_at` in milliseconds since 1970, rounded down.
        started_ms: i64,
    },
    /// A startup.
    Startup(Startup),
    /// An agreement.
    Agreement {
        /// The payload.
        agreement: Agreement,
        /// `checked_at` in milliseconds since 1970, rounded down.
        checked_ms: i64,
    },
}

impl From<Checked> for Payload {
    fn from(checked: Checked) -> Self {
        match checked {
            Checked::Call { call, .. } => Self::Call(call),
            Checked::Startup(startup) => Self::Startup(startup),
            Checked::Agreement { agreement, .. } => Self::Agreement(agreement),
        }
    }
}

/// Where a payload breaks which rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// JSON Pointer into the payload; for an unknown field that of its parent.
    pub path: String,
    /// A keyword of JSON Schema, or `order` for a pair of tools that is not in UTF-16 order.
    pub rule: &'static str,
}

impl Violation {
    /// A violation of a field of the object at hand.
    fn field(name: &str, rule: &'static str) -> Self {
        Self { path: format!("/{name}"), rule }
    }

    /// A violation of the value at hand.
    fn here(rule: &'static str) -> Self {
        Self { path: String::new(), rule }
    }

    /// The same seen from further out.
    fn under(mut self, outer: &str) -> Self {
        self.path.insert_str(0, outer);
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} breaks the rule `{}`",
            if self.path.is_empty() { "the payload" } else { &self.path },
            self.rule
        )
    }
}

impl std::error::Error for Violation {}

/// The payloads of one request, in its order, each judged on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// What each payload came to.
    pub payloads: Vec<Result<Checked, Violation>>,
}

/// Why a request holds no batch at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The body is not JSON (or not UTF-8).
    NotJson,
    /// The body is not an object.
    NotAnObject,
    /// `batch` is left out.
    NoBatch,
    /// `batch` is not an array.
    BatchNotAnArray,
    /// `batch` holds more than 500 payloads: how many.
    TooManyPayloads(usize),
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "the body is not JSON",
            Self::NotAnObject => "the body is not an object",
            Self::NoBatch => "`batch` is required",
            Self::BatchNotAnArray => "`batch` must be an array",
            Self::TooManyPayloads(_) => "`batch` holds more than 500 payloads",
        })
    }
}

impl std::error::Error for EnvelopeError {}

/// Reads the body of an ingest request. JSON that no Unicode string or double can hold (half a surrogate
/// pair, `1e400`) and JSON of any depth cost only the payload they are in.
///
/// # Errors
/// When the body as a whole is not `{"batch": […]}` with at most 500 payloads.
pub fn decode_batch(body: &[u8]) -> Result<Batch, EnvelopeError> {
    let text = std::str::from_utf8(body).map_err(|_| EnvelopeError::NotJson)?;
    let envelope = RawNode::parse(text).ok_or(EnvelopeError::NotJson)?;
    if !matches!(envelope.view(), View::Object) {
        return Err(EnvelopeError::NotAnObject);
    }
    let batch = envelope.member("batch").filter(|batch| !batch.is_null()).ok_or(EnvelopeError::NoBatch)?;
    if !matches!(batch.view(), View::Array) {
        return Err(EnvelopeError::BatchNotAnArray);
    }
    // Counted before anything is decoded: a hostile body costs one walk.
    let payloads = batch.elements().count();
    if payloads > limit::BATCH {
        return Err(EnvelopeError::TooManyPayloads(payloads));
    }
    Ok(Batch { payloads: batch.elements().map(payloads::payload).collect() })
}

/// Checks one parsed payload.
///
/// # Errors
/// The first rule it breaks.
pub fn validate(payload: &Value) -> Result<Checked, Violation> {
    payloads::payload(payload)
}

/// Checks one payload that is still text. Text that is not JSON breaks the rule `json`.
///
/// # Errors
/// The first rule it breaks.
pub fn validate_raw(payload: &[u8]) -> Result<Checked, Violation> {
    let text = std::str::from_utf8(payload).ok();
    let node = text.and_then(RawNode::parse).ok_or_else(|| Violation::here("json"))?;
    payloads::payload(node)
}
