//! The producer: one `record` end to end, and what watching adds to a call of an `rmcp` server.

mod ingest;
mod memory;
mod server;

use mcpulse::{Mcpulse, Options};
use serde_json::{Value, json};

use crate::harness::{compare, peer};

/// About 2 KB of arguments and 10 KB of result, as a busy tool has them.
fn arguments() -> Value {
    let lines: Vec<Value> = (0..24)
        .map(|index| json!({"sku": format!("SKU-{index:05}"), "title": "Café table, \"Nova\"", "quantity": index % 5 + 1, "price": 12.5}))
        .collect();
    json!({"customer": "Zoë Müller", "note": "Ring twice.\nCall ahead.", "lines": lines})
}

fn text() -> String {
    "Order 4711 was shipped on 2026-11-28 to Zoë Müller, \"rear entrance\".\n".repeat(140)
}

pub(crate) fn run() -> anyhow::Result<()> {
    let (arguments, result) = (arguments(), json!({"content": [{"type": "text", "text": text()}]}));
    let alive = ingest::start()?;
    let dead = ingest::nobody()?;
    for (title, endpoint) in
        [("ring empty, batches taken at once", &alive), ("ring full, nobody listens", &dead)]
    {
        let ours = Mcpulse::new(Options::new().key("mp_live_bench").endpoint(endpoint));
        let theirs = published::McPulse::new(published::Options::new("mp_live_bench").endpoint(endpoint));
        // Both rings are in their final state before anything is timed.
        for _ in 0..2_000 {
            ours.call("t").args(&arguments).record(|| result.clone());
            let _ = theirs.record("t", Some(&arguments), || Ok::<_, ()>(result.clone()));
        }
        let outcome = compare(
            &format!("record, {title}"),
            &[
                peer("mcpulse", || {
                    ours.call("t").args(&arguments).record(|| Borrowed(&result)).0.is_object()
                }),
                peer("mcpulse 0.1.0 (published)", || {
                    theirs.record("t", Some(&arguments), || Ok::<_, ()>(BorrowedTheirs(&result))).is_ok()
                }),
            ],
        );
        let ratio = outcome.ratio(1);
        println!(
            "  {} {ratio:.2}× as fast as the peer, wanted ≥ 5×\n",
            if ratio >= 5.0 { "reached" } else { "MISSED " }
        );
    }
    server::run(&arguments, &text(), &alive)?;
    memory::run(&arguments, &result, &dead)
}

/// A result that is not cloned for the measurement: the host's own work is not ours to time.
struct Borrowed<'a>(&'a Value);

impl mcpulse::Answer for Borrowed<'_> {
    fn ending(&self) -> mcpulse::Ending<'_> {
        mcpulse::Ending::of(self.0)
    }
}

struct BorrowedTheirs<'a>(&'a Value);

impl published::AsResult for BorrowedTheirs<'_> {
    fn as_result_json(&self) -> Option<Value> {
        // Its trait takes results by value; there is no other way in.
        Some(self.0.clone())
    }
}
