//! A store with a few calls in it, and scopes over it.

use std::collections::BTreeMap;

use mcpulse_store::events::{NewCall, NewPayload};
use mcpulse_store::metrics::range::RangeInput;
use mcpulse_store::metrics::types::{Range, Scope};
use mcpulse_store::testing::TempEvents;
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Outcome, Startup};

/// 2026-03-01T12:00:00Z, a Sunday.
pub const NOON: i64 = 1_772_366_400_000;
pub const HOUR: i64 = 3_600_000;
pub const DAY: i64 = 24 * HOUR;

/// A store with calls that all arrived at one moment.
pub async fn store_of(received_ms: i64, payloads: Vec<NewPayload>) -> TempEvents {
    let events = TempEvents::open().unwrap();
    let appended = events.append(received_ms, payloads).await.unwrap();
    assert!(appended.rejected.is_empty());
    events
}

pub fn calls(calls: Vec<NewCall>) -> Vec<NewPayload> {
    calls.into_iter().map(NewPayload::Call).collect()
}

/// Days in UTC, long after everything has settled.
pub fn days(from: &str, to: &str) -> Scope {
    zoned(from, to, "UTC")
}

pub fn zoned(from: &str, to: &str, tz: &str) -> Scope {
    let input = RangeInput { from: Some(from), to: Some(to), tz: Some(tz), ..RangeInput::default() };
    let days = input.resolve(NOON).unwrap();
    Scope {
        range: days.range,
        edges: days.edges,
        tools: Vec::new(),
        clients: Vec::new(),
        now_ms: NOON + 400 * DAY,
        modes: BTreeMap::new(),
        usd_per_million_tokens: 3.0,
    }
}

/// A range of its own, in one piece.
pub fn piece(from_ms: i64, to_ms: i64) -> Scope {
    Scope { range: Range { from_ms, to_ms }, edges: vec![from_ms, to_ms], ..days("2026-03-01", "2026-03-01") }
}

/// Changes to a call, one after another.
pub trait Tweak: Sized {
    fn lasting(self, ms: u32) -> Self;
    fn hash(self, number: u64) -> Self;
    fn outcome(self, outcome: Outcome) -> Self;
    fn empty(self) -> Self;
    fn units(self, units: u32) -> Self;
    fn client(self, name: &str) -> Self;
}

impl Tweak for NewCall {
    fn lasting(mut self, ms: u32) -> Self {
        self.call.duration_ms = ms;
        self
    }

    fn hash(mut self, number: u64) -> Self {
        self.call.args_hash = hash(number);
        self
    }

    fn outcome(mut self, outcome: Outcome) -> Self {
        self.call.outcome = outcome;
        self
    }

    fn empty(mut self) -> Self {
        self.call.is_empty = true;
        self
    }

    fn units(mut self, units: u32) -> Self {
        self.call.response_bytes = units;
        self
    }

    fn client(mut self, name: &str) -> Self {
        self.call.client_name = name.to_owned();
        self
    }
}

pub fn hash(number: u64) -> Hash12 {
    Hash12::try_from(format!("{number:012x}").as_str()).unwrap()
}

/// A startup whose tools have their hashes from a name and a wording.
pub fn described(session: &str, tools: &[(&str, u64, u64)]) -> Startup {
    let names: Vec<&str> = tools.iter().map(|tool| tool.0).collect();
    let mut startup = mcpulse_store::testing::startup(session, &names);
    for (entry, &(_, schema, description)) in startup.tools.iter_mut().zip(tools) {
        entry.schema_hash = Some(hash(schema));
        entry.description_hash = Some(hash(description));
        entry.description_norm = Some(hash(description));
    }
    startup
}
