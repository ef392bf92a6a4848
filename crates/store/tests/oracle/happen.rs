//! Lets what was planned happen: what is sent, and when it reaches the server.

use mcpulse_store::events::{NewAgreement, NewCall, NewPayload};
use mcpulse_wire::payload::{Agreement, Call, DeclaredAgreement, Outcome, Startup, WIRE_VERSION};

use crate::plan::{CallEvent, Event, MOST_HASH, Place, Plan, Versions, When, hash12};

/// Milliseconds in a day.
const DAY_MS: i64 = 86_400_000;

/// One payload and when it reaches the server's door.
pub struct Sent {
    pub payload: NewPayload,
    pub arrival_ms: i64,
}

/// Tool, session and client.
type Lane = (usize, usize, usize);

/// A plan as it happens.
pub struct Story<'a> {
    plan: &'a Plan,
    clock_ms: i64,
    /// Start and end of every call so far.
    calls: Vec<(Lane, i64, i64)>,
    sent: Vec<Sent>,
}

impl<'a> Story<'a> {
    /// Everything that a plan leads to, in order of happening.
    pub fn of(plan: &'a Plan) -> Vec<Sent> {
        let mut story = Self { plan, clock_ms: plan.first_ms, calls: Vec::new(), sent: Vec::new() };
        for event in &plan.events {
            story.happen(event);
        }
        story.sent
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Call(call) => self.call(call),
            Event::Chain { first, length, pause_ms, sour_at } => {
                self.chain(first, *length, *pause_ms, *sour_at)
            }
            Event::Burst { first, count, within_ms } => self.burst(first, *count, *within_ms),
            Event::Bulk { first, count, pause_ms, outcomes, same_hash } => {
                for nth in 0..*count {
                    self.call(&CallEvent {
                        place: Place {
                            session: first.place.session + nth / 12,
                            client: first.place.client + nth,
                        },
                        when: if nth == 0 { first.when } else { When::Later(*pause_ms) },
                        outcome: outcomes[nth % outcomes.len()],
                        hash: if *same_hash { first.hash } else { (first.hash + nth as u64 % 7) & MOST_HASH },
                        duration_ms: first.duration_ms % 5_000,
                        units: first.units / 100_000 + first.units % 60_000 + (nth as u32 * 37) % 1_000,
                        ..first.clone()
                    });
                }
            }
            Event::BadHour { first, one_in } => self.bad_hour(first, *one_in),
            Event::Startup { place, when, surface, versions, delay_ms } => {
                let at_ms = self.resolve(*when, None);
                let payload = NewPayload::Startup(self.startup(*place, *surface, versions));
                self.sent.push(Sent { payload, arrival_ms: at_ms + delay_ms });
            }
            Event::Agreement { place, when, field, tools, one_in, times } => {
                let from_ms = self.resolve(*when, None);
                for nth in 0..*times {
                    let at_ms = from_ms + nth as i64 * 700;
                    let agreed = nth % one_in != one_in - 1;
                    let payload = NewPayload::Agreement(self.verdict(*place, *field, *tools, agreed, at_ms));
                    self.sent.push(Sent { payload, arrival_ms: at_ms });
                }
            }
        }
    }

    /// Moves the clock.
    fn resolve(&mut self, when: When, lane: Option<Lane>) -> i64 {
        let last = lane.and_then(|lane| self.calls.iter().rev().find(|(other, ..)| *other == lane));
        self.clock_ms = match (when, last) {
            (When::Later(ms), _) => self.clock_ms + ms,
            (When::AfterEnd(ms), Some((_, _, end))) => end + ms,
            (When::AfterStart(ms), Some((_, start, _))) => start + ms,
            (When::AfterEnd(ms) | When::AfterStart(ms), None) => self.clock_ms + ms,
            (When::Midnight { offset_h, give_ms }, _) => {
                let shift = offset_h * 3_600_000;
                ((self.clock_ms + shift).div_euclid(DAY_MS) + 1) * DAY_MS - shift + give_ms
            }
        };
        self.clock_ms
    }

    fn call(&mut self, call: &CallEvent) {
        let plan = self.plan;
        let tool = call.tool % plan.tools.len();
        let session = call.place.session % plan.sessions.len();
        let client = call.place.client % plan.clients.len();
        let started_ms = self.resolve(call.when, Some((tool, session, client)));
        let end_ms = started_ms + i64::from(call.duration_ms);
        self.calls.push(((tool, session, client), started_ms, end_ms));
        let payload = NewPayload::Call(NewCall {
            call: Call {
                v: WIRE_VERSION,
                session_id: plan.sessions[session].clone(),
                client_name: plan.clients[client].clone(),
                tool_name: plan.tools[tool].clone(),
                started_at: rfc3339(started_ms),
                duration_ms: call.duration_ms,
                outcome: call.outcome.0,
                response_bytes: call.units,
                is_empty: call.outcome.1,
                args_hash: hash12(&format!("{:012x}", call.hash)),
            },
            started_ms,
        });
        self.sent.push(Sent { payload, arrival_ms: end_ms + call.delay_ms });
    }

    fn chain(&mut self, first: &CallEvent, length: usize, pause_ms: i64, sour_at: Option<usize>) {
        for nth in 0..length {
            self.call(&CallEvent {
                when: if nth == 0 { first.when } else { When::AfterEnd(pause_ms) },
                hash: (first.hash + nth as u64) & MOST_HASH,
                outcome: (Outcome::Ok, sour_at == Some(nth)),
                duration_ms: first.duration_ms % 5_000,
                ..first.clone()
            });
        }
    }

    fn burst(&mut self, first: &CallEvent, count: usize, within_ms: i64) {
        let from_ms = self.resolve(first.when, None);
        for nth in 0..count {
            let at_ms = from_ms + nth as i64 * within_ms / (count as i64 - 1);
            self.call(&CallEvent {
                when: When::Later(at_ms - self.clock_ms),
                duration_ms: first.duration_ms % 200,
                ..first.clone()
            });
        }
    }

    fn bad_hour(&mut self, first: &CallEvent, one_in: usize) {
        for nth in 0..140_usize {
            let (pause_ms, fails) = if nth < 80 { (150_000, false) } else { (55_000, nth % one_in == 0) };
            self.call(&CallEvent {
                place: Place { session: first.place.session + nth / 40, ..first.place },
                when: if nth == 0 { first.when } else { When::Later(pause_ms) },
                outcome: (if fails { Outcome::ToolError } else { Outcome::Ok }, false),
                duration_ms: first.duration_ms % 5_000,
                delay_ms: first.delay_ms % 5_000,
                ..first.clone()
            });
        }
    }

    fn startup(&self, place: Place, surface: usize, versions: &Versions) -> Startup {
        let plan = self.plan;
        let declared = |(field, tools): &(usize, Vec<usize>)| DeclaredAgreement {
            field: plan.fields[field % plan.fields.len()].clone(),
            tools: tools.iter().map(|tool| plan.tools[tool % plan.tools.len()].clone()).collect(),
        };
        Startup {
            v: WIRE_VERSION,
            session_id: plan.sessions[place.session % plan.sessions.len()].clone(),
            client_name: plan.clients[place.client % plan.clients.len()].clone(),
            tools: plan.surfaces[surface % plan.surfaces.len()].clone(),
            sdk: versions.sdk.map(str::to_owned),
            mcp_sdk_version: versions.mcp_sdk.map(str::to_owned),
            protocol_version: versions.protocol.map(str::to_owned),
            transport: versions.transport,
            agreements: versions.agreements.as_ref().map(|fields| fields.iter().map(declared).collect()),
        }
    }

    fn verdict(
        &self,
        place: Place,
        field: usize,
        tools: (usize, usize),
        agreed: bool,
        checked_ms: i64,
    ) -> NewAgreement {
        let plan = self.plan;
        let mut pair = [tools.0, tools.1].map(|tool| plan.tools[tool % plan.tools.len()].clone());
        pair.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        let [tool_a, tool_b] = pair;
        NewAgreement {
            agreement: Agreement {
                v: WIRE_VERSION,
                session_id: plan.sessions[place.session % plan.sessions.len()].clone(),
                field: plan.fields[field % plan.fields.len()].clone(),
                tool_a,
                tool_b,
                agreed,
                checked_at: rfc3339(checked_ms),
                window_ms: 300_000,
            },
            checked_ms,
        }
    }
}

fn rfc3339(at_ms: i64) -> String {
    format!("{:.3}", jiff::Timestamp::from_millisecond(at_ms).unwrap())
}
