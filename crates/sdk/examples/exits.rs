//! A process that records one call and ends, in the ways a process can end. The tests run it; it also shows that
//! nothing has to be called at the end.
//!
//! ```sh
//! MCPULSE_KEY=mp_live_… cargo run -p mcpulse --example exits -- return
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "`exit` and a panic are among the ways to be shown"
)]

use std::process::ExitCode;

use mcpulse::{Mcpulse, Options};
use serde_json::json;

fn main() -> ExitCode {
    let how = std::env::args().nth(1).unwrap_or_default();
    let pulse = Mcpulse::new(Options::new().debug(true));
    pulse
        .call(&how)
        .client("exits")
        .args(&json!({"canary": "argument-canary"}))
        .record(|| json!({"content": [{"type": "text", "text": "result-canary"}]}));
    match how.as_str() {
        "exit" => std::process::exit(3),
        "fork" => forked(&pulse),
        "panic" => std::panic::panic_any("the host's own"),
        _ => ExitCode::SUCCESS,
    }
}

#[cfg(unix)]
fn forked(pulse: &Mcpulse) -> ExitCode {
    match fork::fork() {
        Ok(fork::Fork::Child) => {
            pulse.call("fork-child").record(|| ());
            ExitCode::SUCCESS
        }
        Ok(fork::Fork::Parent(child)) => {
            pulse.call("fork-parent").record(|| ());
            let _ = fork::waitpid(child);
            ExitCode::SUCCESS
        }
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(not(unix))]
fn forked(_: &Mcpulse) -> ExitCode {
    ExitCode::SUCCESS
}
