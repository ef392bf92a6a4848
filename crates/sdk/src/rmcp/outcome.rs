//! What a call came to.

use ::rmcp::ErrorData;
use ::rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use mcpulse_wire::payload::Outcome;

use super::slot::Reached;

/// How `rmcp` begins the error of arguments that do not fit a tool's parameters. Pinned by a test.
const BINDING_PREFIX: &str = "failed to deserialize parameters:";
/// How `rmcp` begins the error of an extension that a tool asks for and the transport did not bring: the
/// server's mistake, never the client's. Pinned by a test.
const EXTENSION_PREFIX: &str = "missing extension ";

/// What is known of the tool that was called. Asked only when a call failed.
pub(super) trait Facts {
    /// Whether a `ToolRouter` has it.
    fn is_routed(&self) -> bool;
    /// Whether the server lists tools, but not this one.
    fn is_unlisted(&self) -> bool;
}

/// Whether `error` is the one that `rmcp`'s own extractor raises.
pub(super) fn is_binding_failure(error: &ErrorData) -> bool {
    error.code == ErrorCode::INVALID_PARAMS && error.message.starts_with(BINDING_PREFIX)
}

/// The outcome of a call that was answered with a result.
pub(super) fn of_result(result: &CallToolResult, reached: Reached, facts: &impl Facts) -> Outcome {
    if result.is_error != Some(true) {
        return Outcome::Ok;
    }
    let never_ran = match reached {
        Reached::Unbound => true,
        Reached::Bound | Reached::Route => false,
        Reached::Request if has_binding_shape(result) => facts.is_routed(),
        Reached::Request => !facts.is_routed() && facts.is_unlisted(),
    };
    if never_ran { Outcome::BadArgs } else { Outcome::ToolError }
}

/// The outcome of a call that was answered with a JSON-RPC error.
///
/// `ErrorData` is the one error type that `rmcp` gives a handler, so raising it is deliberate, except with the
/// code that says "internal error": that is how what escaped a handler, and results that cannot be serialised,
/// arrive here.
pub(super) fn of_error(error: &ErrorData, reached: Reached, facts: &impl Facts) -> Outcome {
    if reached == Reached::Unbound {
        return Outcome::BadArgs;
    }
    if error.code == ErrorCode::INTERNAL_ERROR
        || (error.code == ErrorCode::INVALID_PARAMS && error.message.starts_with(EXTENSION_PREFIX))
    {
        return Outcome::Crashed;
    }
    // Without a router, `call_tool` is all there is, and the code alone says whether it could use the request.
    let no_use = matches!(error.code, ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND);
    if reached == Reached::Request && !facts.is_routed() && (no_use || facts.is_unlisted()) {
        return Outcome::BadArgs;
    }
    Outcome::ToolError
}

/// The result that a `ToolRouter` makes of [`is_binding_failure`].
fn has_binding_shape(result: &CallToolResult) -> bool {
    result.structured_content.is_none()
        && matches!(result.content.as_slice(), [ContentBlock::Text(part)] if part.text.starts_with(BINDING_PREFIX))
}
