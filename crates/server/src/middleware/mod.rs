//! What happens around every handler, from the outside in: telemetry, headers, panics, host, origin, turn.

pub(crate) mod around;
pub(crate) mod headers;
pub(crate) mod hosts;
