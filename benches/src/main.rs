//! Ratios against named peers, each in the same run: `cargo run --release -p mcpulse-benches -- <suite>…`.
//! Without a suite all of them run.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod harness;
mod headline;
mod record;
mod wire;

use anyhow::bail;

/// A suite by its name.
type Suite = (&'static str, fn() -> anyhow::Result<()>);

const SUITES: &[Suite] = &[("wire", wire::run), ("record", record::run), ("headline", headline::run)];

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked.iter().find(|name| SUITES.iter().all(|(suite, _)| suite != name)) {
        let known: Vec<&str> = SUITES.iter().map(|(suite, _)| *suite).collect();
        bail!("no suite is called {unknown}; there are: {}", known.join(", "));
    }
    for (name, run) in SUITES {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            println!("# {name}\n");
            run()?;
        }
    }
    Ok(())
}
