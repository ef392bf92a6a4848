//! How answers, memory and files grow with the number of calls, beside SQLite with covering indexes in the same run.
//!
//! `scale` alone measures 1 and 10 million calls; `scale:1,10,50` others.

mod data;
mod sqlite;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use mcpulse_store::duckdb::{DuckEvents, Options};
use mcpulse_store::events::EventStore;
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::range::RangeInput;
use mcpulse_store::metrics::types::{Scope, SessionPage};
use tokio::runtime::Runtime;

use self::data::{DAY_MS, Traffic, now_ms};

const DEFAULT_MILLIONS: [u64; 2] = [1, 10];
/// How often each question is asked.
const TIMES: usize = 7;
/// Payloads a second that arrive while questions are asked.
const BUSY: u64 = 1_000;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question {
    Overview,
    Tools,
    OneTool,
    Sessions,
    Changes,
}

const QUESTIONS: [Question; 5] =
    [Question::Overview, Question::Tools, Question::OneTool, Question::Sessions, Question::Changes];

pub(crate) fn run(sizes: Option<&str>) -> anyhow::Result<()> {
    let millions: Vec<u64> = match sizes {
        None => DEFAULT_MILLIONS.to_vec(),
        Some(text) => text
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .context("sizes are millions of calls")?,
    };
    println!(
        "30 days, 20 tools, 5 clients, sessions of about 12 calls with a startup each; medians of {TIMES}.\n"
    );
    for millions in millions {
        measure(millions)?;
    }
    Ok(())
}

fn measure(millions: u64) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let runtime = Runtime::new()?;
    let calls = millions * 1_000_000;
    let end_ms = now_ms();
    let server = ServerId::new();
    let store = Arc::new(DuckEvents::open(dir.path(), Options::default())?);

    println!("## {millions} million calls\n");
    let start = Instant::now();
    for batch in Traffic::new(calls, end_ms - 30 * DAY_MS, end_ms) {
        runtime.block_on(store.append(server, batch))?;
    }
    println!("appended in {:.0} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    while !runtime.block_on(store.is_settled(server))? {
        runtime.block_on(tokio::time::sleep(Duration::from_millis(100)));
    }
    println!("and worked out {:.0} s later", start.elapsed().as_secs_f64());

    let quiet = ask_all(&runtime, &store, server)?;
    let stop = Arc::new(AtomicBool::new(false));
    let ingest = runtime.spawn(arrive(Arc::clone(&store), server, Arc::clone(&stop)));
    runtime.block_on(tokio::time::sleep(Duration::from_secs(5)));
    let busy = ask_all(&runtime, &store, server)?;
    stop.store(true, Ordering::Relaxed);
    let sent = runtime.block_on(ingest)??;
    let memory = memory_peak_mb();
    runtime.block_on(store.close())?;
    drop(store);
    let bytes = size_of_dir(&dir.path().join("events"))?;

    let peer = sqlite::Peer::fill(&dir.path().join("peer.sqlite"), calls, end_ms - 30 * DAY_MS, end_ms)?;
    println!("\n{:<10} {:>10} {:>22} {:>10}", "question", "quiet", "at 1 000 payloads/s", "SQLite");
    for (at, question) in QUESTIONS.into_iter().enumerate() {
        let theirs = median((0..3).map(|_| peer.ask(question, end_ms)).collect::<Result<_, _>>()?);
        let name = format!("{question:?}");
        println!("{name:<10} {:>7.0} ms {:>19.0} ms {theirs:>7.0} ms", quiet[at], busy[at]);
    }
    println!("\npayloads that arrived meanwhile: {sent}");
    println!("bytes a call: {:.1}; SQLite: {:.1}", ratio(bytes, calls), ratio(peer.bytes()?, calls));
    println!("memory of the process at most, before SQLite: {memory} MB\n");
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "for a table")]
fn ratio(bytes: u64, calls: u64) -> f64 {
    bytes as f64 / calls as f64
}

fn ask_all(runtime: &Runtime, store: &Arc<DuckEvents>, server: ServerId) -> anyhow::Result<Vec<f64>> {
    QUESTIONS
        .into_iter()
        .map(|question| {
            let times: anyhow::Result<Vec<f64>> =
                (0..TIMES).map(|_| runtime.block_on(ask(store, server, question))).collect();
            Ok(median(times?))
        })
        .collect()
}

/// Milliseconds one question took.
async fn ask(store: &DuckEvents, server: ServerId, question: Question) -> anyhow::Result<f64> {
    let days = RangeInput { last_days: Some(31), ..RangeInput::default() }.resolve(now_ms())?;
    let scope = Scope {
        range: days.range,
        edges: days.edges,
        tools: Vec::new(),
        clients: Vec::new(),
        now_ms: now_ms(),
        modes: std::collections::BTreeMap::new(),
        usd_per_million_tokens: 3.0,
    };
    let start = Instant::now();
    match question {
        Question::Overview => drop(store.overview(server, &scope).await?),
        Question::Tools => drop(store.tools(server, &scope).await?),
        Question::OneTool => drop(store.tool(server, data::TOOL, &scope).await?),
        Question::Sessions => {
            drop(store.sessions(server, &scope, &SessionPage { after: None, limit: 50 }).await?);
        }
        Question::Changes => drop(store.changes(server, &scope).await?),
    }
    Ok(start.elapsed().as_secs_f64() * 1_000.0)
}

/// Sends until told to stop.
async fn arrive(store: Arc<DuckEvents>, server: ServerId, stop: Arc<AtomicBool>) -> anyhow::Result<u64> {
    let start = Instant::now();
    let mut sent = 0;
    // The same traffic as before, in real time: a hundred million calls in so long come at about this rate.
    let begin_ms = now_ms();
    let rate = i64::try_from(BUSY * 12 / 13)?;
    let mut traffic =
        Traffic::new(100_000_000, begin_ms, begin_ms + 100_000_000 / rate * 1_000).in_batches_of(100);
    while !stop.load(Ordering::Relaxed) {
        if let Some(mut batch) = traffic.next() {
            batch.received_ms = now_ms();
            sent += batch.payloads.len() as u64;
            store.append(server, batch).await?;
        }
        let due = Duration::from_millis(sent * 1_000 / BUSY);
        tokio::time::sleep(due.saturating_sub(start.elapsed())).await;
    }
    Ok(sent)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn size_of_dir(dir: &std::path::Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Where the system says it; 0 elsewhere.
fn memory_peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default() / 1_024
}
