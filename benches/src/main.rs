//! Ratios against named peers, each in the same run: `cargo run --release -p mcpulse-benches -- <suite>…`.
//! Without a suite all of them run. `scale:1,10` is the suite `scale` with other sizes, in millions of calls.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod harness;
mod headline;
mod record;
mod scale;
mod wire;

use anyhow::bail;

/// A suite by its name.
type Suite = (&'static str, fn(Option<&str>) -> anyhow::Result<()>);

const SUITES: &[Suite] = &[
    ("wire", |_| wire::run()),
    ("record", |_| record::run()),
    ("headline", |_| headline::run()),
    ("scale", scale::run),
];

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<(&str, Option<&str>)> = asked
        .iter()
        .map(|asked| {
            asked.split_once(':').map_or((asked.as_str(), None), |(name, sizes)| (name, Some(sizes)))
        })
        .collect();
    if let Some((unknown, _)) = asked.iter().find(|(name, _)| SUITES.iter().all(|(suite, _)| suite != name)) {
        let known: Vec<&str> = SUITES.iter().map(|(suite, _)| *suite).collect();
        bail!("no suite is called {unknown}; there are: {}", known.join(", "));
    }
    for (name, run) in SUITES {
        let wanted = asked.iter().find(|(asked, _)| asked == name);
        if asked.is_empty() || wanted.is_some() {
            println!("# {name}\n");
            run(wanted.and_then(|(_, sizes)| *sizes))?;
        }
    }
    Ok(())
}
