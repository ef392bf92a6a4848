//! A week before the demo began: the same story in small, sent through ingest like everything else.
//!
//! It holds calls only. What a server offered is told by its producer, and that is the demo's own.

use mcpulse_wire::time::format_ms;
use serde_json::{Value, json};

const DAYS: u64 = 7;
const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;
/// Conversations in an hour of a working day, by hour (UTC): nights and lunches are quiet.
const BUSY: [u64; 24] = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 3, 2, 3, 4, 4, 3, 2, 1, 1, 1, 0, 0, 0];
/// Payloads of one request.
const BATCH: usize = 500;

/// The requests, oldest first. Nothing is younger than an hour, where the demo itself begins.
pub(super) fn batches(now_ms: i64) -> Vec<Vec<Value>> {
    let mut random = Random(0x6d63_7075_6c73_6531);
    let first_day = now_ms.div_euclid(DAY_MS) * DAY_MS - i64::try_from(DAYS).unwrap_or_default() * DAY_MS;
    let mut calls = Vec::new();
    let mut hour = first_day;
    while hour < now_ms - 2 * HOUR_MS {
        let of_day = usize::try_from(hour.rem_euclid(DAY_MS) / HOUR_MS).unwrap_or_default();
        // 1970 began on a Thursday.
        let weekend = matches!(hour.div_euclid(DAY_MS).rem_euclid(7), 2 | 3);
        let busy = BUSY.get(of_day).copied().unwrap_or_default();
        for _ in 0..if weekend { busy / 3 } else { busy } {
            let begins = hour + random.below(3_000_000);
            Conversation::begin(&mut random, begins).run(&mut calls);
        }
        hour += HOUR_MS;
    }
    calls.chunks(BATCH).map(<[Value]>::to_vec).collect()
}

/// Small, fast and the same each time: the story is what matters.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: i64) -> i64 {
        i64::try_from(self.next() >> 1).unwrap_or_default() % end
    }

    fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }
}

/// What a call came to.
#[derive(Clone, Copy)]
enum Came {
    Ok,
    Empty,
    BadArgs,
    ToolError,
    Crashed,
}

/// One conversation: two or three errands of one agent.
struct Conversation<'a> {
    random: &'a mut Random,
    session: String,
    client: &'static str,
    at_ms: i64,
}

impl<'a> Conversation<'a> {
    fn begin(random: &'a mut Random, at_ms: i64) -> Self {
        let session = format!("s_{:012x}", random.next() >> 16);
        let client = if random.chance(50) { "claude-desktop" } else { "cursor" };
        Self { random, session, client, at_ms }
    }

    fn run(mut self, calls: &mut Vec<Value>) {
        for _ in 0..2 + self.random.below(2) {
            match self.random.below(100) {
                0..34 => self.find_an_order(calls),
                34..60 => self.review_a_customer(calls),
                60..76 => self.check_a_list(calls),
                76..84 => self.follow_a_parcel(calls),
                84..91 => self.refund(calls),
                91..95 => self.call(calls, "export_report", Came::Ok, (1_400, 900), (44_000, 9_000)),
                _ => self.quote(calls),
            }
        }
    }

    /// Its description does not say what it searches, so models ask again in other words.
    fn find_an_order(&mut self, calls: &mut Vec<Value>) {
        if self.random.chance(12) {
            for _ in 0..2 {
                self.call(calls, "search_orders", Came::Empty, (40, 60), (2, 1));
            }
            return;
        }
        for _ in 0..2 + self.random.below(2) {
            self.call(calls, "search_orders", Came::Ok, (45, 80), (900, 2_400));
        }
        self.call(calls, "get_order", Came::Ok, (25, 30), (520, 300));
    }

    /// This is where the weaker client slips.
    fn review_a_customer(&mut self, calls: &mut Vec<Value>) {
        let slips = if self.client == "cursor" { 65 } else { 6 };
        if self.random.chance(slips) {
            self.call(calls, "get_customer", Came::BadArgs, (1, 2), (160, 40));
        }
        self.call(calls, "get_customer", Came::Ok, (20, 30), (380, 120));
        for _ in 0..1 + self.random.below(3) {
            self.call(calls, "list_orders", Came::Ok, (30, 40), (1_800, 900));
        }
    }

    fn check_a_list(&mut self, calls: &mut Vec<Value>) {
        for _ in 0..4 + self.random.below(4) {
            self.call(calls, "get_order", Came::Ok, (25, 30), (520, 300));
            if self.random.chance(45) {
                self.call(calls, "get_invoice", Came::Ok, (60, 90), (700, 200));
            }
        }
    }

    fn follow_a_parcel(&mut self, calls: &mut Vec<Value>) {
        for _ in 0..1 + self.random.below(4) {
            self.call(calls, "track_shipment", Came::Ok, (80, 120), (210, 60));
        }
    }

    fn refund(&mut self, calls: &mut Vec<Value>) {
        if self.random.chance(45) {
            self.call(calls, "refund_order", Came::ToolError, (30, 30), (120, 40));
        }
        self.call(calls, "refund_order", Came::Ok, (90, 60), (180, 40));
    }

    fn quote(&mut self, calls: &mut Vec<Value>) {
        let came = if self.random.chance(25) { Came::Crashed } else { Came::Ok };
        self.call(calls, "quote_shipping", came, (50, 50), (240, 60));
    }

    /// One call of about that time and size, some seconds after the one before.
    fn call(&mut self, calls: &mut Vec<Value>, tool: &str, came: Came, time: (i64, i64), size: (i64, i64)) {
        let duration_ms = time.0 + self.random.below(time.1);
        let (outcome, is_empty) = match came {
            Came::Ok => ("ok", false),
            Came::Empty => ("ok", true),
            Came::BadArgs => ("bad_args", false),
            Came::ToolError => ("tool_error", false),
            Came::Crashed => ("crashed", false),
        };
        let answers = !matches!(came, Came::Crashed);
        calls.push(json!({
            "v": 1, "type": "call", "session_id": self.session, "client_name": self.client, "tool_name": tool,
            "started_at": format_ms(self.at_ms), "duration_ms": duration_ms, "outcome": outcome,
            "response_bytes": if answers { size.0 + self.random.below(size.1) } else { 0 },
            "is_empty": is_empty, "args_hash": format!("{:012x}", (self.random.next() >> 16).max(1)),
        }));
        self.at_ms += duration_ms + 1_500 + self.random.below(9_000);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    #[test]
    fn every_payload_keeps_the_wire_and_every_day_has_some() {
        // A Friday at noon, and a Monday in the first minute.
        for now_ms in [1_796_385_600_000, 1_796_601_660_000] {
            let batches = batches(now_ms);
            let all: Vec<&Value> = batches.iter().flatten().collect();
            assert!((1_000..8_000).contains(&all.len()), "{}", all.len());
            assert!(batches.iter().all(|batch| batch.len() <= BATCH));
            let mut days = std::collections::BTreeSet::new();
            for payload in all {
                assert!(mcpulse_wire::validate::validate(payload).is_ok(), "{payload}");
                let started = payload["started_at"].as_str().unwrap();
                assert!(started < format_ms(now_ms - HOUR_MS / 2).as_str(), "{started}");
                days.insert(started[..10].to_owned());
            }
            assert!(days.len() >= 7, "{days:?}");
        }
    }
}
