//! The `mcpulse` binary.
fn main() {}
