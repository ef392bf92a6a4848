//! How a call ended, and what its result measures.

use mcpulse_wire::payload::Outcome;
use mcpulse_wire::{empty, size};
use serde_json::Value;

/// What is kept of a result: its size and whether it answers anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) units: u32,
    pub(crate) is_empty: bool,
}

impl Measure {
    /// Nothing was answered, or a JSON-RPC error.
    pub(crate) const NOTHING: Self = Self { units: 0, is_empty: true };
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    pub(crate) outcome: Outcome,
    result: Body<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Body<'a> {
    None,
    Value(&'a Value),
    Raw(&'a str),
}

impl<'a> Ending<'a> {
    /// The handler returned the `result` object of `tools/call`: `ok`, or `tool_error` if it says
    /// `"isError": true`.
    #[must_use]
    pub fn of(result: &'a Value) -> Self {
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        let outcome = if is_error { Outcome::ToolError } else { Outcome::Ok };
        Self { outcome, result: Body::Value(result) }
    }

    /// The handler returned nothing.
    #[must_use]
    pub fn ok() -> Self {
        Self { outcome: Outcome::Ok, result: Body::None }
    }

    /// The arguments failed validation or binding, or there is no such tool: the handler never ran.
    #[must_use]
    pub fn bad_args() -> Self {
        Self { outcome: Outcome::BadArgs, result: Body::None }
    }

    /// The handler said that it failed.
    #[must_use]
    pub fn tool_error() -> Self {
        Self { outcome: Outcome::ToolError, result: Body::None }
    }

    /// Anything else escaped the handler.
    #[must_use]
    pub fn crashed() -> Self {
        Self { outcome: Outcome::Crashed, result: Body::None }
    }

    /// The `result` object that answered the client. It is measured; nothing of it is kept.
    #[must_use]
    pub fn with_result(mut self, result: &'a Value) -> Self {
        self.result = Body::Value(result);
        self
    }

    /// The `result` object that answered the client, as JSON text.
    #[must_use]
    pub fn with_raw_result(mut self, text: &'a str) -> Self {
        self.result = Body::Raw(text);
        self
    }

    pub(crate) fn measure(&self) -> Measure {
        let asked = self.outcome == Outcome::Ok;
        match self.result {
            Body::None => Measure::NOTHING,
            Body::Value(value) => Measure {
                units: size::response_units(Some(value)),
                is_empty: asked && empty::is_empty(Some(value)),
            },
            Body::Raw(text) => Measure {
                units: size::response_units_raw(Some(text.as_bytes())),
                is_empty: asked && empty::is_empty_raw(Some(text.as_bytes())),
            },
        }
    }

    /// Where declared fields are looked for.
    pub(crate) fn structured(&self) -> Option<&'a Value> {
        match self.result {
            Body::Value(value) => value.get("structuredContent").filter(|value| !value.is_null()),
            Body::None | Body::Raw(_) => None,
        }
    }
}

/// A handler's return value that says how the call ended.
pub trait Answer {
    /// How the call ended.
    fn ending(&self) -> Ending<'_>;
}

/// The `result` object of `tools/call`.
impl Answer for Value {
    fn ending(&self) -> Ending<'_> {
        Ending::of(self)
    }
}

/// No result.
impl Answer for () {
    fn ending(&self) -> Ending<'_> {
        Ending::ok()
    }
}

/// An error that leaves the handler is `crashed`; use
/// [`record_as`](crate::CallRecord::record_as) where some of them are deliberate.
impl<T: Answer, E> Answer for Result<T, E> {
    fn ending(&self) -> Ending<'_> {
        match self {
            Ok(value) => value.ending(),
            Err(_) => Ending::crashed(),
        }
    }
}
