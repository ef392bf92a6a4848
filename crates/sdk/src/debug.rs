//! Lines for the `debug` option: always standard error, never standard output, never a panic.

use std::io::Write;

/// Writes one line. `eprintln!` would panic when standard error is closed, and a producer never throws.
pub(crate) fn line(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("mcpulse: {text}\n").as_bytes());
}
