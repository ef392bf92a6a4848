//! Memory over a million calls with nobody to take what is recorded.

use mcpulse::{Mcpulse, Options};
use serde_json::Value;

use super::Borrowed;

const CALLS: u32 = 1_000_000;
const PARTS: u32 = 10;
/// What a process gains and loses by itself.
const NOISE_KIB: u64 = 1_024;

/// Resident memory of this process in KiB, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

pub(super) fn run(arguments: &Value, result: &Value, dead: &str) -> anyhow::Result<()> {
    let pulse = Mcpulse::new(Options::new().key("mp_live_bench_memory").endpoint(dead));
    let mut sizes = Vec::new();
    for _ in 0..PARTS {
        for _ in 0..CALLS / PARTS {
            pulse.call("t").args(arguments).record(|| Borrowed(result));
        }
        sizes.extend(resident());
    }
    println!("memory over {CALLS} calls with nobody listening, KiB after each tenth");
    println!("  {sizes:?}");
    if let (Some(first), Some(last)) = (sizes.first(), sizes.last()) {
        let grown = last.saturating_sub(*first);
        println!(
            "  {} {grown} KiB more after the last than after the first, wanted < {NOISE_KIB}\n",
            if grown < NOISE_KIB { "reached" } else { "MISSED " }
        );
    }
    println!("  {}\n", pulse.losses());
    Ok(())
}
