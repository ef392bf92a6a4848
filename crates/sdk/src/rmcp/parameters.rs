//! The extractor that knows whether the arguments could be bound.

use std::borrow::Cow;

use ::rmcp::ErrorData;
use ::rmcp::handler::server::common::FromContextPart;
use ::rmcp::handler::server::tool::ToolCallContext;
use ::rmcp::handler::server::wrapper;
use ::rmcp::schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::slot::{Reached, note};

/// Takes the place of `rmcp`'s `Parameters` in a tool's signature and behaves the same, down to the text of the
/// error; besides, it tells the watching layer whether the arguments could be bound.
///
/// The `#[tool]` macro finds the input schema by the name `Parameters`, so import this one instead of `rmcp`'s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters<P>(pub P);

impl<S, P: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for Parameters<P> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let bound = wrapper::Parameters::<P>::from_context_part(context);
        note(if bound.is_ok() { Reached::Bound } else { Reached::Unbound });
        bound.map(|wrapper::Parameters(parameters)| Self(parameters))
    }
}

impl<P: JsonSchema> JsonSchema for Parameters<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::json_schema(generator)
    }
}
