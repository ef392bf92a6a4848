//! The stream's state, driven by a clock that the test holds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use mcpulse_wire::hash::{Hash12, NO_ARGUMENTS};
use mcpulse_wire::payload::{Outcome, Payload};
use serde_json::Value;

use super::batch::{BODY_MAX, assemble};
use super::core::{Answer, BATCH_AGE, BATCH_AT, BATCH_MAX, Batch, Core, RETRY_AFTER, RING, Step};
use crate::event::{CallEvent, Event, Surface};
use crate::losses::Losses;

fn call(tool: &str) -> Event {
    Event::Call(CallEvent {
        session: "s_000000000000".into(),
        client: "unknown".into(),
        tool: tool.into(),
        started_at: SystemTime::UNIX_EPOCH,
        duration_ms: 1,
        outcome: Outcome::Ok,
        response_bytes: 0,
        is_empty: true,
        args_hash: NO_ARGUMENTS,
    })
}

fn surface(name: &str) -> Surface {
    let json = format!(
        r#"{{"v":1,"type":"startup","session_id":"s","client_name":"c","tools":[{{"name":"{name}","schema_bytes":1}}]}}"#
    );
    Surface { fingerprint: Hash12::of_bytes(name.as_bytes()), json: json.into() }
}

struct Bench {
    core: Core,
    now: Instant,
}

impl Bench {
    fn new() -> Self {
        Self { core: Core::default(), now: Instant::now() }
    }

    fn push(&mut self, count: usize) {
        for index in 0..count {
            self.core.push(call(&format!("t{index}")), self.now);
        }
        self.balance();
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
    }

    /// Does what the sender does, up to the request.
    fn batch(&mut self) -> Option<Arc<Batch>> {
        loop {
            match self.core.next(self.now) {
                Step::Wait(_) => return None,
                Step::Assemble(draft) => {
                    let (batch, rest) = assemble(draft).unwrap();
                    self.core.adopt(batch, rest);
                    self.balance();
                }
                Step::Send(batch) => return Some(batch),
            }
        }
    }

    fn settle(&mut self, answer: Answer) {
        self.core.settle(answer, self.now);
        self.balance();
    }

    fn losses(&mut self) -> Losses {
        *self.core.losses()
    }

    /// Nothing is ever lost without being counted.
    fn balance(&mut self) {
        let Losses { recorded, sent, overflowed, refused, waiting, .. } = self.losses();
        assert_eq!(recorded, sent + overflowed + refused + waiting);
    }
}

fn payloads(batch: &Batch) -> Vec<Payload> {
    let body: Value = serde_json::from_slice(&batch.body).unwrap();
    serde_json::from_value(body.get("batch").unwrap().clone()).unwrap()
}

fn startup_of(batch: &Batch) -> Option<String> {
    match payloads(batch).into_iter().next() {
        Some(Payload::Startup(startup)) => Some(startup.tools.first().unwrap().name.clone()),
        _ => None,
    }
}

#[test]
fn thirty_payloads_make_a_batch_at_once() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT - 1);
    assert!(bench.batch().is_none());
    bench.push(1);
    assert_eq!(payloads(&bench.batch().unwrap()).len(), BATCH_AT);
}

#[test]
fn five_seconds_make_a_batch_of_whatever_there_is() {
    let mut bench = Bench::new();
    bench.push(1);
    assert!(matches!(bench.core.next(bench.now), Step::Wait(Some(until)) if until == bench.now + BATCH_AGE));
    bench.pass(BATCH_AGE);
    assert_eq!(payloads(&bench.batch().unwrap()).len(), 1);
}

#[test]
fn a_request_holds_at_most_five_hundred_payloads_the_startup_included() {
    let mut bench = Bench::new();
    bench.push(RING);
    bench.core.surface(surface("a"), bench.now);
    let first = bench.batch().unwrap();
    assert_eq!(payloads(&first).len(), BATCH_MAX);
    bench.settle(Answer::Taken);
    assert_eq!(payloads(&bench.batch().unwrap()).len(), BATCH_MAX);
    bench.settle(Answer::Taken);
    bench.pass(BATCH_AGE);
    assert_eq!(payloads(&bench.batch().unwrap()).len(), 1);
}

#[test]
fn a_request_holds_at_most_a_mebibyte_and_nothing_is_lost_to_that() {
    let mut bench = Bench::new();
    // The longest name there is, every character escaped.
    let long = "\u{1}".repeat(200);
    for _ in 0..BATCH_MAX {
        bench.core.push(call(&long), bench.now);
    }
    let mut sent = 0;
    while let Some(batch) = bench.batch() {
        assert!(batch.body.len() <= BODY_MAX);
        sent += payloads(&batch).len();
        bench.settle(Answer::Taken);
        bench.pass(BATCH_AGE);
    }
    assert_eq!(sent, BATCH_MAX);
}

#[test]
fn a_batch_without_an_answer_is_tried_again_as_it_was() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    let first = bench.batch().unwrap();
    bench.settle(Answer::Later(None));
    bench.push(5);
    bench.pass(RETRY_AFTER - Duration::from_millis(1));
    assert!(bench.batch().is_none());
    bench.pass(Duration::from_millis(1));
    let second = bench.batch().unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    bench.settle(Answer::Taken);
    assert_eq!(bench.losses().sent, BATCH_AT as u64);
}

#[test]
fn retry_after_is_kept_for_the_whole_destination() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    bench.batch().unwrap();
    bench.settle(Answer::Later(Some(Duration::from_secs(60))));
    bench.push(BATCH_AT);
    bench.core.hurry();
    bench.pass(Duration::from_secs(59));
    assert!(bench.batch().is_none());
    assert!(bench.core.is_drained(bench.now));
    bench.pass(Duration::from_secs(1));
    assert!(bench.batch().is_some());
}

#[test]
fn an_absurd_retry_after_does_not_silence_us_for_good() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    bench.batch().unwrap();
    bench.settle(Answer::Later(Some(Duration::MAX)));
    bench.pass(Duration::from_secs(3_600));
    assert!(bench.batch().is_some());
}

#[test]
fn any_other_answer_ends_the_batch() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    bench.batch().unwrap();
    bench.settle(Answer::Refused);
    assert!(bench.batch().is_none());
    assert_eq!(bench.losses().refused, BATCH_AT as u64);
}

#[test]
fn a_full_ring_drops_the_oldest_and_counts_it() {
    let mut bench = Bench::new();
    bench.push(RING);
    bench.core.push(call("newest"), bench.now);
    bench.balance();
    assert_eq!(bench.losses().overflowed, 1);
    let batch = bench.batch().unwrap();
    assert!(matches!(payloads(&batch).first(), Some(Payload::Call(call)) if call.tool_name == "t1"));
}

#[test]
fn a_batch_that_the_ring_no_longer_holds_is_not_tried_again() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    let first = bench.batch().unwrap();
    bench.settle(Answer::Later(None));
    bench.push(RING);
    assert_eq!(bench.losses().overflowed, BATCH_AT as u64);
    bench.pass(RETRY_AFTER);
    let next = bench.batch().unwrap();
    assert_ne!(next.idempotency_key, first.idempotency_key);
}

#[test]
fn a_batch_pushed_out_while_on_its_way_still_counts_when_it_is_taken() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    bench.batch().unwrap();
    bench.push(RING);
    assert_eq!(bench.losses().overflowed, 0);
    bench.settle(Answer::Taken);
    assert_eq!(bench.losses().sent, BATCH_AT as u64);

    bench.batch().unwrap();
    bench.push(RING);
    bench.settle(Answer::Later(None));
    bench.pass(RETRY_AFTER);
    assert_eq!(payloads(&bench.batch().unwrap()).len(), BATCH_MAX);
}

#[test]
fn the_newest_startup_leads_every_batch_until_one_is_taken() {
    let mut bench = Bench::new();
    bench.core.surface(surface("a"), bench.now);
    bench.pass(BATCH_AGE);
    assert_eq!(startup_of(&bench.batch().unwrap()).as_deref(), Some("a"));
    bench.settle(Answer::Refused);
    assert!(bench.batch().is_none());
    for answer in [Answer::Refused, Answer::Refused, Answer::Taken] {
        bench.push(BATCH_AT);
        assert_eq!(startup_of(&bench.batch().unwrap()).as_deref(), Some("a"));
        bench.settle(answer);
    }
    bench.push(BATCH_AT);
    assert_eq!(startup_of(&bench.batch().unwrap()), None);
}

#[test]
fn the_newest_startup_survives_a_ring_that_overflows_for_hours() {
    let mut bench = Bench::new();
    bench.core.surface(surface("a"), bench.now);
    for _ in 0..10 {
        bench.push(RING);
        if bench.batch().is_some() {
            bench.settle(Answer::Later(None));
        }
        bench.pass(RETRY_AFTER);
    }
    assert_eq!(startup_of(&bench.batch().unwrap()).as_deref(), Some("a"));
    bench.settle(Answer::Taken);
}

#[test]
fn a_surface_is_sent_once_and_a_replaced_one_waits_in_the_ring() {
    let mut bench = Bench::new();
    bench.core.surface(surface("a"), bench.now);
    assert!(!bench.core.surface(surface("a"), bench.now));
    bench.core.surface(surface("b"), bench.now);
    bench.balance();
    bench.pass(BATCH_AGE);
    let batch = bench.batch().unwrap();
    let names: Vec<_> = payloads(&batch)
        .into_iter()
        .map(|payload| match payload {
            Payload::Startup(startup) => startup.tools.first().unwrap().name.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["b", "a"]);
    bench.settle(Answer::Taken);
    assert!(!bench.core.surface(surface("a"), bench.now));
    assert!(!bench.core.surface(surface("b"), bench.now));
    assert_eq!(bench.losses().waiting, 0);
}

#[test]
fn an_older_surface_that_was_lost_is_sent_again_when_clients_see_it_again() {
    let mut bench = Bench::new();
    bench.core.surface(surface("a"), bench.now);
    bench.pass(BATCH_AGE);
    bench.batch().unwrap();
    bench.core.surface(surface("b"), bench.now);
    bench.balance();
    bench.settle(Answer::Refused);
    assert!(bench.core.surface(surface("a"), bench.now));
}

#[test]
fn surfaces_without_end_are_forgotten_rather_than_kept() {
    let mut bench = Bench::new();
    for index in 0..3_000 {
        bench.core.surface(surface(&index.to_string()), bench.now);
        bench.balance();
    }
    assert!(bench.losses().waiting <= RING as u64 + 1);
}

#[test]
fn a_hurried_stream_does_not_wait_for_number_or_age() {
    let mut bench = Bench::new();
    bench.push(1);
    bench.core.hurry();
    assert!(bench.batch().is_some());
    assert!(!bench.core.is_drained(bench.now));
    bench.settle(Answer::Taken);
    assert!(bench.batch().is_none());
    assert!(bench.core.is_drained(bench.now));
    bench.push(1);
    assert!(bench.batch().is_none(), "the hurry is over once everything was tried");
}

#[test]
fn a_sender_that_failed_loses_what_it_was_building_and_nothing_else() {
    let mut bench = Bench::new();
    bench.push(BATCH_AT);
    let Step::Assemble(_) = bench.core.next(bench.now) else { panic!("a batch was due") };
    bench.core.recover();
    assert_eq!(bench.losses().failed, BATCH_AT as u64);
    bench.push(BATCH_AT);
    let first = bench.batch().unwrap();
    bench.core.recover();
    assert!(Arc::ptr_eq(&first, &bench.batch().unwrap()));
}
