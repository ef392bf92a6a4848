//! The truth of the headline: sessions whose rewordings are known, sent through ingest, against what the metrics say.
//!
//! Truth is the share of calls that are good and were not reworded. Fails when the estimate misses what
//! `docs/first-call-success.md` promises.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use flate2::read::GzDecoder;
use mcpulse_store::events::{EventStore as _, NewBatch, NewCall, NewPayload};
use mcpulse_store::metrics::Metrics as _;
use mcpulse_store::metrics::types::{FirstCall, Range, Scope};
use mcpulse_store::testing::{TempEvents, batch};
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Call, Outcome};

/// The estimate may be off by this much over all calls.
const OVERALL: f64 = 0.05;
/// At least this share of tools lies inside the stated interval.
const INSIDE: f64 = 0.90;
/// Payloads in a request, as the wire allows.
const BATCH: usize = 500;
/// Long enough for every call to be settled.
const DAY_MS: i64 = 86_400_000;

/// One call and whether the model reworded it.
struct Labelled {
    call: NewCall,
    was_reworded: bool,
}

/// One line of the table.
struct Line {
    tool: String,
    calls: u64,
    truth: f64,
    figures: FirstCall,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut tools, mut inside) = (0_u32, 0_u32);
    for path in files()? {
        let lines = runtime.block_on(measure(&read(&path)?))?;
        print(&path, &lines);
        for line in &lines {
            check(line)?;
        }
        let tools_only = &lines[1..];
        tools += u32::try_from(tools_only.len())?;
        inside += u32::try_from(tools_only.iter().filter(|line| line.is_inside()).count())?;
    }
    println!("{inside} of {tools} tools lie inside their interval.\n");
    ensure!(f64::from(inside) >= INSIDE * f64::from(tools), "too few tools lie inside their interval");
    Ok(())
}

/// `spec/labelled-sessions-*.csv.gz`, by name.
fn files() -> anyhow::Result<Vec<PathBuf>> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&spec).with_context(|| format!("{} is not there", spec.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("labelled-sessions-") && name.ends_with(".csv.gz") {
            files.push(path);
        }
    }
    files.sort();
    ensure!(!files.is_empty(), "there are no labelled sessions in spec/");
    Ok(files)
}

fn read(path: &Path) -> anyhow::Result<Vec<Labelled>> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    let rows = text.lines().zip(1..).skip(1);
    rows.map(|(row, number)| labelled(row).with_context(|| format!("line {number} of {}", path.display())))
        .collect()
}

/// `session_id,client_name,tool_name,started_at_ms,duration_ms,outcome,is_empty,args_hash,was_reworded`
fn labelled(row: &str) -> anyhow::Result<Labelled> {
    let cells: Vec<&str> = row.split(',').collect();
    let &[session, client, tool, started, duration, outcome, empty, hash, reworded] = cells.as_slice() else {
        anyhow::bail!("has {} columns instead of 9", cells.len());
    };
    let outcome: Outcome = serde_json::from_value(serde_json::Value::from(outcome))?;
    let started_ms: i64 = started.parse()?;
    let call = Call {
        v: 1,
        session_id: session.to_owned(),
        client_name: client.to_owned(),
        tool_name: tool.to_owned(),
        // The store goes by the parsed time.
        started_at: String::new(),
        duration_ms: duration.parse()?,
        outcome,
        response_bytes: 0,
        is_empty: empty == "1",
        args_hash: Hash12::try_from(hash)?,
    };
    Ok(Labelled { call: NewCall { call, started_ms }, was_reworded: reworded == "1" })
}

/// Sends the calls through ingest and asks for their figures: all calls first, then tool by tool.
async fn measure(calls: &[Labelled]) -> anyhow::Result<Vec<Line>> {
    let events = TempEvents::open()?;
    let starts = calls.iter().map(|labelled| labelled.call.started_ms);
    let (first, last) = (starts.clone().min().unwrap_or_default(), starts.max().unwrap_or_default());
    for chunk in calls.chunks(BATCH) {
        let payloads = chunk.iter().map(|labelled| NewPayload::Call(labelled.call.clone())).collect();
        let sent: NewBatch = batch(events.key, last + 1_000, payloads);
        events.store.append(events.server, sent).await?;
    }
    let range = Range { from_ms: first, to_ms: last + 1 };
    let scope = Scope {
        range,
        edges: vec![range.from_ms, range.to_ms],
        tools: Vec::new(),
        clients: Vec::new(),
        now_ms: last + DAY_MS,
        modes: BTreeMap::new(),
        usd_per_million_tokens: 3.0,
    };
    let overall = events.store.overview(events.server, &scope).await?.figures;
    let report = events.store.tools(events.server, &scope).await?;
    let mut lines = vec![Line {
        tool: "all calls".to_owned(),
        calls: overall.calls,
        truth: truth(calls.iter()),
        figures: overall.first_call,
    }];
    lines.extend(report.tools.into_iter().map(|row| Line {
        truth: truth(calls.iter().filter(|labelled| labelled.call.call.tool_name == row.tool)),
        tool: row.tool,
        calls: row.figures.calls,
        figures: row.figures.first_call,
    }));
    Ok(lines)
}

fn truth<'a>(calls: impl Iterator<Item = &'a Labelled>) -> f64 {
    let (mut all, mut right) = (0_u32, 0_u32);
    for labelled in calls {
        let call = &labelled.call.call;
        all += 1;
        right += u32::from(call.outcome == Outcome::Ok && !call.is_empty && !labelled.was_reworded);
    }
    f64::from(right) / f64::from(all)
}

impl Line {
    fn estimate(&self) -> f64 {
        self.figures.first_call_success.unwrap_or(f64::NAN)
    }

    fn strict(&self) -> f64 {
        self.figures.strict.unwrap_or(f64::NAN)
    }

    fn is_inside(&self) -> bool {
        self.figures
            .interval
            .is_some_and(|interval| interval.low <= self.truth && self.truth <= interval.high)
    }
}

fn check(line: &Line) -> anyhow::Result<()> {
    let off = (line.estimate() - line.truth).abs();
    ensure!(
        off <= (line.strict() - line.truth).abs(),
        "the estimate for {} is further from the truth than strict",
        line.tool
    );
    ensure!(line.tool != "all calls" || off <= OVERALL, "the estimate over all calls is off by {off:.3}");
    Ok(())
}

fn print(path: &Path, lines: &[Line]) {
    println!("{}\n", path.file_name().unwrap_or_default().to_string_lossy());
    println!("| tool | calls | truth | strict | estimate | interval | lenient |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for line in lines {
        let percent =
            |share: Option<f64>| share.map_or_else(String::new, |share| format!("{:.1} %", share * 100.0));
        let interval = line.figures.interval;
        println!(
            "| {} | {} | {} | {} | {} | {} to {}{} | {} |",
            line.tool,
            line.calls,
            percent(Some(line.truth)),
            percent(line.figures.strict),
            percent(line.figures.first_call_success),
            percent(interval.map(|interval| interval.low)),
            percent(interval.map(|interval| interval.high)),
            if line.is_inside() { "" } else { " (missed)" },
            percent(line.figures.lenient),
        );
    }
    println!();
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_estimate_keeps_its_promises() -> anyhow::Result<()> {
        super::run()
    }
}
