//! Traffic made up: the same for the same number of calls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{SystemTime, UNIX_EPOCH};

use mcpulse_store::events::{NewBatch, NewCall, NewPayload};
use mcpulse_store::id::KeyId;
use mcpulse_store::testing::{call, startup};
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Outcome, Startup};

pub(crate) const DAY_MS: i64 = 86_400_000;
pub(crate) const TOOL: &str = "tool_03";
const TOOLS: usize = 20;
const CLIENTS: [&str; 5] = ["claude-desktop", "cursor", "vscode", "zed", "unknown"];
const CALLS: u64 = 12;
const BATCH: usize = 20_000;

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Numbers without a pattern that matters here (`SplitMix64`).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Sessions that begin evenly over a time, each with a startup and about twelve calls, in order of time.
pub(crate) struct Traffic {
    sessions: u64,
    begin_ms: i64,
    span_ms: i64,
    key: KeyId,
    next_session: u64,
    /// What each running session does next: when, which session, which of its calls (0: its startup).
    due: BinaryHeap<Reverse<(i64, u64, u64)>>,
    names: Vec<String>,
    batch: usize,
    salt: u64,
}

impl Traffic {
    pub(crate) fn new(calls: u64, begin_ms: i64, end_ms: i64) -> Self {
        Self {
            sessions: calls / CALLS,
            begin_ms,
            // The last sessions have time to end.
            span_ms: end_ms - begin_ms - 600_000,
            key: KeyId::new(),
            next_session: 0,
            due: BinaryHeap::new(),
            names: (0..TOOLS).map(|tool| format!("tool_{tool:02}")).collect(),
            batch: BATCH,
            salt: mixed(begin_ms.unsigned_abs()),
        }
    }

    pub(crate) fn in_batches_of(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    fn start_of(&self, session: u64) -> i64 {
        let at = i128::from(self.span_ms) * i128::from(session) / i128::from(self.sessions.max(1));
        self.begin_ms + i64::try_from(at).unwrap_or(i64::MAX)
    }

    fn session_id(&self, session: u64) -> String {
        format!("s_{:012x}", mixed(session ^ self.salt) >> 16)
    }

    /// The next payload with its time.
    pub(crate) fn step(&mut self) -> Option<(i64, NewPayload)> {
        let begins = (self.next_session < self.sessions).then(|| self.start_of(self.next_session));
        if let Some(at) = begins
            && self.due.peek().is_none_or(|Reverse((due, ..))| at <= *due)
        {
            self.due.push(Reverse((at, self.next_session, 0)));
            self.next_session += 1;
        }
        let Reverse((at, session, nth)) = self.due.pop()?;
        let random = mixed(session * 64 + nth);
        if nth < CALLS {
            let pause = 2_000 + i64::try_from(random % 28_000).unwrap_or_default();
            self.due.push(Reverse((at + pause, session, nth + 1)));
        }
        let payload = if nth == 0 {
            NewPayload::Startup(self.startup(session))
        } else {
            NewPayload::Call(self.call(at, session, random))
        };
        Some((at, payload))
    }

    fn startup(&self, session: u64) -> Startup {
        // Four wordings one after another, each with a version of its own.
        let era = session * 4 / self.sessions.max(1);
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut startup = startup(&self.session_id(session), &names);
        CLIENTS[usize::try_from(mixed(session) % 5).unwrap_or_default()].clone_into(&mut startup.client_name);
        startup.sdk = Some(format!("mcpulse-rust/0.{era}.0"));
        for tool in &mut startup.tools {
            tool.description_hash = hash(1 + era);
            tool.schema_hash = hash(1);
        }
        startup
    }

    fn call(&self, at: i64, session: u64, random: u64) -> NewCall {
        let tool = usize::try_from((random >> 8) % 40).unwrap_or_default();
        // The first tools are called more often than the last.
        let tool = if tool >= TOOLS { (tool - TOOLS) / 4 } else { tool };
        let mut call = call(&self.session_id(session), &self.names[tool], at);
        CLIENTS[usize::try_from(mixed(session) % 5).unwrap_or_default()]
            .clone_into(&mut call.call.client_name);
        call.call.started_at = String::new();
        call.call.duration_ms = skewed(random >> 16, 20, 4_000);
        call.call.response_bytes = skewed(random >> 24, 100, 40_000);
        call.call.outcome = match (random >> 40) % 100 {
            0..3 => Outcome::BadArgs,
            3..5 => Outcome::ToolError,
            5 => Outcome::Crashed,
            _ => Outcome::Ok,
        };
        call.call.is_empty = (random >> 40) % 100 >= 95;
        if let Some(hash) = hash(1 + (random >> 12) % (1 << 47)) {
            call.call.args_hash = hash;
        }
        call
    }
}

/// Mostly near the least, seldom near the most.
fn skewed(random: u64, least: u32, most: u32) -> u32 {
    let share = f64::from(u32::try_from(random & 0xffff).unwrap_or_default()) / 65_536.0;
    let value = f64::from(least) * (f64::from(most) / f64::from(least)).powf(share);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between two numbers that fit"
    )]
    let value = value as u32;
    value
}

fn hash(number: u64) -> Option<Hash12> {
    format!("{number:012x}").parse().ok()
}

impl Iterator for Traffic {
    type Item = NewBatch;

    fn next(&mut self) -> Option<NewBatch> {
        let mut payloads = Vec::with_capacity(self.batch);
        let mut last_ms = 0;
        while payloads.len() < self.batch {
            let Some((at, payload)) = self.step() else { break };
            last_ms = at;
            payloads.push(payload);
        }
        let batch = NewBatch {
            key: self.key,
            producer: "mcpulse-rust/0.1.0".to_owned(),
            idempotency_key: None,
            received_ms: last_ms + 5_000,
            payloads,
            rejected: Vec::new(),
        };
        (!batch.payloads.is_empty()).then_some(batch)
    }
}
