//! Random streams of what producers send: small alphabets so that everything collides, and times that fall
//! on the very edges of the definitions.

use mcpulse_store::events::{NewAgreement, NewBatch, NewCall, NewPayload, Rejected};
use mcpulse_store::id::KeyId;
use mcpulse_wire::payload::{
    Agreement, Call, DeclaredAgreement, Outcome, Policy, Startup, Tool, Transport, WIRE_VERSION,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::names;

/// What one server is told, request by request, and when the question is asked.
#[derive(Clone, Debug)]
pub struct Stream {
    /// In the order in which they are appended.
    pub batches: Vec<NewBatch>,
    /// The names in use, so that filters can hit.
    pub tools: Vec<String>,
    pub clients: Vec<String>,
    /// Where the stream's clock started and ended.
    pub first_ms: i64,
    pub last_ms: i64,
}

/// Something that happens at a server.
#[derive(Clone, Debug)]
enum Event {
    Call(CallEvent),
    /// Calls of one tool in a row, each with other arguments: a list, or rewordings.
    Chain { first: CallEvent, length: usize, pause_ms: i64, sour_at: Option<usize> },
    /// Many calls in a short time, around the limits of a crowded session.
    Burst { first: CallEvent, count: usize, within_ms: i64 },
    Startup { place: Place, when: When, surface: usize, versions: Versions, delay_ms: i64 },
    Agreement { place: Place, when: When, field: usize, tools: (usize, usize), agreed: bool, window_ms: u32 },
}

#[derive(Clone, Debug)]
struct CallEvent {
    place: Place,
    tool: usize,
    when: When,
    duration_ms: u32,
    outcome: (Outcome, bool),
    hash: u64,
    units: u32,
    delay_ms: i64,
}

/// Who does it. Sessions are shared by clients on purpose.
#[derive(Clone, Copy, Debug)]
struct Place {
    session: usize,
    client: usize,
}

/// When something starts.
#[derive(Clone, Copy, Debug)]
enum When {
    /// This long after the event before, which may be before it.
    Later(i64),
    /// This long after the last call of the same tool, session and client ended.
    AfterEnd(i64),
    /// This long after the last call of the same tool, session and client started.
    AfterStart(i64),
    /// At the next local midnight of some time zone, give or take.
    Midnight { offset_h: i64, give_ms: i64 },
}

#[derive(Clone, Debug)]
struct Versions {
    sdk: Option<&'static str>,
    mcp_sdk: Option<&'static str>,
    protocol: Option<&'static str>,
    transport: Option<Transport>,
    agreements: Option<Vec<(usize, Vec<usize>)>>,
}

/// How what happened is cut into requests.
#[derive(Clone, Debug)]
struct Request {
    size: usize,
    key: usize,
    producer: &'static str,
    skew_ms: i64,
    /// Requests are appended in this order; equal ones in order of time.
    order: u8,
    rejected: Vec<(&'static str, &'static str)>,
    sent_twice: bool,
}

/// Everything random about a stream.
#[derive(Clone, Debug)]
struct Plan {
    first_ms: i64,
    tools: Vec<String>,
    clients: Vec<String>,
    sessions: Vec<String>,
    fields: Vec<String>,
    surfaces: Vec<Vec<Tool>>,
    events: Vec<Event>,
    requests: Vec<Request>,
}

/// A random stream.
pub fn streams() -> impl Strategy<Value = Stream> {
    plans().prop_map(build)
}

fn plans() -> impl Strategy<Value = Plan> {
    let names = (
        select(names::ERAS),
        names::some(names::TOOLS, 2..6),
        names::some(names::CLIENTS, 1..4),
        names::some(names::SESSIONS, 1..5),
        names::some(names::FIELDS, 2..3),
    );
    (names, vec(events(), 1..45), vec(requests(), 1..8)).prop_flat_map(
        |((first_ms, tools, clients, sessions, fields), events, requests)| {
            // One name more than is ever called, and one called name left out at times.
            let mut advertised = tools.clone();
            advertised.push("never_called".to_owned());
            advertised.push("also_never_called".to_owned());
            vec(surfaces(advertised), 1..5).prop_map(move |surfaces| Plan {
                first_ms,
                tools: tools.clone(),
                clients: clients.clone(),
                sessions: sessions.clone(),
                fields: fields.clone(),
                surfaces,
                events: events.clone(),
                requests: requests.clone(),
            })
        },
    )
}

fn places() -> impl Strategy<Value = Place> {
    (0..4_usize, 0..3_usize).prop_map(|(session, client)| Place { session, client })
}

fn whens() -> impl Strategy<Value = When> {
    prop_oneof![
        4 => select(&[0_i64, 0, 1, 5, 700, 2_000, 9_000, 29_000, -1, -3_000][..]).prop_map(When::Later),
        2 => (0..90_000_i64).prop_map(When::Later),
        1 => select(&[600_000_i64, 3_600_000, 86_400_000, 7 * 86_400_000, 40 * 86_400_000, -86_400_000][..])
            .prop_map(When::Later),
        4 => select(&[-1_i64, 0, 1, 29_999, 30_000, 30_001, 31_000][..]).prop_map(When::AfterEnd),
        2 => select(&[0_i64, 0, 1, -1][..]).prop_map(When::AfterStart),
        1 => (select(&[0_i64, 1, 2, -2, 13][..]), select(&[-1_i64, 0, 1, -500][..]))
            .prop_map(|(offset_h, give_ms)| When::Midnight { offset_h, give_ms }),
    ]
}

fn outcomes() -> impl Strategy<Value = (Outcome, bool)> {
    prop_oneof![
        8 => Just((Outcome::Ok, false)),
        2 => Just((Outcome::Ok, true)),
        1 => Just((Outcome::BadArgs, false)),
        1 => Just((Outcome::ToolError, false)),
        1 => Just((Outcome::Crashed, false)),
    ]
}

fn calls() -> impl Strategy<Value = CallEvent> {
    let duration = prop_oneof![
        2 => Just(0_u32),
        3 => 0..3_000_u32,
        2 => select(&[1_u32, 99, 100, 101, 499, 500, 501, 1_999, 2_000, 2_001, 30_000][..]),
        1 => select(&[86_400_000_u32, 3_600_000][..]),
    ];
    let units = prop_oneof![
        3 => 0..5_000_u32,
        2 => select(&[0_u32, 1, 9_999, 10_000, 10_001, 30_001][..]),
        1 => Just(2_147_483_647_u32),
    ];
    let hash = prop_oneof![1 => Just(0_u64), 8 => 1..5_u64, 1 => Just(0xffff_ffff_ffff_u64)];
    (places(), 0..6_usize, whens(), duration, outcomes(), hash, units, delays()).prop_map(
        |(place, tool, when, duration_ms, outcome, hash, units, delay_ms)| CallEvent {
            place,
            tool,
            when,
            duration_ms,
            outcome,
            hash,
            units,
            delay_ms,
        },
    )
}

/// How long after its end something arrives.
fn delays() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 0..5_000_i64,
        2 => select(&[0_i64, 39_999, 40_000, 40_001, 60_000][..]),
        1 => select(&[3_600_000_i64, 3 * 86_400_000, -30_000][..]),
    ]
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => calls().prop_map(Event::Call),
        3 => (calls(), 2..9_usize, select(&[0_i64, 900, 29_999, 30_000, 30_001][..]), option::weighted(0.2, 0..9_usize))
            .prop_map(|(first, length, pause_ms, sour_at)| Event::Chain { first, length, pause_ms, sour_at }),
        3 => (places(), whens(), 0..4_usize, versions(), delays()).prop_map(
            |(place, when, surface, versions, delay_ms)| Event::Startup { place, when, surface, versions, delay_ms }
        ),
        1 => (places(), whens(), 0..3_usize, (0..6_usize, 0..6_usize), any::<bool>(), 1..86_400_001_u32).prop_map(
            |(place, when, field, tools, agreed, window_ms)| Event::Agreement {
                place, when, field, tools, agreed, window_ms
            }
        ),
        1 => bursts(),
    ]
}

fn bursts() -> impl Strategy<Value = Event> {
    let size = prop_oneof![
        30 => (58..63_usize, select(&[59_998_i64, 59_999, 60_000, 60_001, 70_000][..])),
        1 => (599..603_usize, select(&[3_599_999_i64, 3_600_000, 3_600_001][..])),
    ];
    (calls(), size).prop_map(|(first, (count, within_ms))| Event::Burst { first, count, within_ms })
}

fn versions() -> impl Strategy<Value = Versions> {
    (
        option::of(select(&["mcpulse-rust/0.1.0", "mcpulse-python/0.1.0", "mcpulse-python/0.2.0"][..])),
        option::of(select(&["3.0.0", "3.1.0"][..])),
        option::of(select(&["2025-06-18", "2026-07-28"][..])),
        option::of(select(&[Transport::Stdio, Transport::Http][..])),
        option::weighted(0.3, vec((0..3_usize, vec(0..6_usize, 2..4)), 0..3)),
    )
        .prop_map(|(sdk, mcp_sdk, protocol, transport, agreements)| Versions {
            sdk,
            mcp_sdk,
            protocol,
            transport,
            agreements,
        })
}

fn requests() -> impl Strategy<Value = Request> {
    let rejected = select(
        &[("/args_hash", "pattern"), ("", "additionalProperties"), ("/v", "const"), ("/tool_name", "maxLength")][..],
    );
    (
        1..40_usize,
        0..3_usize,
        select(&["mcpulse-rust/0.1.0", "mcpulse-python/0.1.0", "other"][..]),
        prop_oneof![6 => Just(0_i64), 1 => select(&[-300_000_i64, 3_600_000, 90_000_000][..])],
        prop_oneof![4 => Just(0_u8), 1 => any::<u8>()],
        prop_oneof![3 => Just(Vec::new()), 1 => vec(rejected, 1..4)],
        prop::bool::weighted(0.1),
    )
        .prop_map(|(size, key, producer, skew_ms, order, rejected, sent_twice)| Request {
            size,
            key,
            producer,
            skew_ms,
            order,
            rejected,
            sent_twice,
        })
}

/// One of a few possible sets of tools; the few hashes make renames, rewordings and overlaps common.
fn surfaces(names: Vec<String>) -> impl Strategy<Value = Vec<Tool>> {
    let hash = || option::weighted(0.8, select(&["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"][..]));
    let fields = (
        prop::bool::weighted(0.7),
        select(&[0_u32, 120, 121, 4_000][..]),
        (hash(), hash(), hash()),
        option::weighted(0.3, select(&[Policy::None, Policy::Authorization, Policy::Identity][..])),
    );
    (vec(fields, names.len()), any::<prop::sample::Index>()).prop_map(move |(fields, turn)| {
        let mut tools: Vec<Tool> = names
            .iter()
            .zip(&fields)
            .filter(|(_, (advertised, ..))| *advertised)
            .map(|(name, (_, schema_bytes, (schema, description, norm), policy))| Tool {
                name: name.clone(),
                schema_bytes: *schema_bytes,
                schema_hash: schema.map(str::to_owned),
                description_hash: description.map(str::to_owned),
                description_norm: norm.map(str::to_owned),
                policy: *policy,
            })
            .collect();
        // Producers list tools in any order: the surface is the same.
        let middle = if tools.is_empty() { 0 } else { turn.index(tools.len()) };
        tools.rotate_left(middle);
        tools
    })
}

/// One payload and when it reaches the server's door.
struct Sent {
    payload: NewPayload,
    arrival_ms: i64,
}

/// Turns the plan into requests.
fn build(plan: Plan) -> Stream {
    let mut clock = Clock { now_ms: plan.first_ms, last: Vec::new() };
    let mut sent = Vec::new();
    for event in &plan.events {
        happen(&plan, event, &mut clock, &mut sent);
    }
    sent.sort_by_key(|sent| sent.arrival_ms);
    let first_ms = sent.iter().map(|sent| sent.arrival_ms).min().unwrap_or(plan.first_ms).min(plan.first_ms);
    let last_ms = sent.iter().map(|sent| sent.arrival_ms).max().unwrap_or(plan.first_ms).max(plan.first_ms);

    let keys: Vec<KeyId> = (0..3).map(|_| KeyId::new()).collect();
    let mut batches: Vec<(u8, NewBatch)> = Vec::new();
    let mut requests = plan.requests.iter().cycle();
    let mut rest = sent.into_iter().peekable();
    while rest.peek().is_some() {
        let Some(request) = requests.next() else { break };
        let taken: Vec<Sent> = rest.by_ref().take(request.size).collect();
        let arrival_ms = taken.iter().map(|sent| sent.arrival_ms).max().unwrap_or(plan.first_ms);
        let batch = NewBatch {
            key: keys[request.key],
            producer: request.producer.to_owned(),
            idempotency_key: Some(format!("{:032x}", batches.len())),
            received_ms: arrival_ms + request.skew_ms,
            rejected: (0_u32..)
                .zip(&request.rejected)
                .map(|(nth, (path, rule))| Rejected {
                    index: u32::try_from(taken.len()).unwrap() + nth,
                    path: (*path).to_owned(),
                    rule: (*rule).to_owned(),
                })
                .collect(),
            payloads: taken.into_iter().map(|sent| sent.payload).collect(),
        };
        if request.sent_twice {
            batches.push((request.order, batch.clone()));
        }
        batches.push((request.order, batch));
    }
    batches.sort_by_key(|(order, _)| *order);
    Stream {
        batches: batches.into_iter().map(|(_, batch)| batch).collect(),
        tools: plan.tools,
        clients: plan.clients,
        first_ms,
        last_ms,
    }
}

/// The stream's clock, and the last call of each tool, session and client.
struct Clock {
    now_ms: i64,
    last: Vec<((usize, usize, usize), (i64, i64))>,
}

impl Clock {
    fn resolve(&mut self, when: When, who: Option<(usize, usize, usize)>) -> i64 {
        let last = who.and_then(|who| self.last.iter().rev().find(|(other, _)| *other == who)).map(|(_, times)| *times);
        self.now_ms = match (when, last) {
            (When::Later(ms), _) => self.now_ms + ms,
            (When::AfterEnd(ms), Some((_, end))) => end + ms,
            (When::AfterStart(ms), Some((start, _))) => start + ms,
            (When::AfterEnd(ms) | When::AfterStart(ms), None) => self.now_ms + ms,
            (When::Midnight { offset_h, give_ms }, _) => {
                const DAY: i64 = 86_400_000;
                let shift = offset_h * 3_600_000;
                ((self.now_ms + shift).div_euclid(DAY) + 1) * DAY - shift + give_ms
            }
        };
        self.now_ms
    }
}

fn happen(plan: &Plan, event: &Event, clock: &mut Clock, sent: &mut Vec<Sent>) {
    let session = |place: &Place| plan.sessions[place.session % plan.sessions.len()].clone();
    let client = |place: &Place| plan.clients[place.client % plan.clients.len()].clone();
    match event {
        Event::Call(call) => call.happen(plan, clock, sent),
        Event::Chain { first, length, pause_ms, sour_at } => {
            for nth in 0..*length {
                let sour = *sour_at == Some(nth);
                CallEvent {
                    when: if nth == 0 { first.when } else { When::AfterEnd(*pause_ms) },
                    hash: first.hash + u64::try_from(nth).unwrap() & 0xffff_ffff_ffff,
                    outcome: if sour { (Outcome::Ok, true) } else { (Outcome::Ok, false) },
                    duration_ms: first.duration_ms % 5_000,
                    ..first.clone()
                }
                .happen(plan, clock, sent);
            }
        }
        Event::Burst { first, count, within_ms } => {
            let from_ms = clock.resolve(first.when, None);
            for nth in 0..*count {
                let share = i64::try_from(nth).unwrap() * within_ms / i64::try_from(count - 1).unwrap();
                CallEvent {
                    when: When::Later(from_ms + share - clock.now_ms),
                    duration_ms: first.duration_ms % 200,
                    ..first.clone()
                }
                .happen(plan, clock, sent);
            }
        }
        Event::Startup { place, when, surface, versions, delay_ms } => {
            let at_ms = clock.resolve(*when, None);
            let named = |tool: &usize| plan.tools[tool % plan.tools.len()].clone();
            sent.push(Sent {
                payload: NewPayload::Startup(Startup {
                    v: WIRE_VERSION,
                    session_id: session(place),
                    client_name: client(place),
                    tools: plan.surfaces[surface % plan.surfaces.len()].clone(),
                    sdk: versions.sdk.map(str::to_owned),
                    mcp_sdk_version: versions.mcp_sdk.map(str::to_owned),
                    protocol_version: versions.protocol.map(str::to_owned),
                    transport: versions.transport,
                    agreements: versions.agreements.as_ref().map(|declared| {
                        declared
                            .iter()
                            .map(|(field, tools)| DeclaredAgreement {
                                field: plan.fields[field % plan.fields.len()].clone(),
                                tools: tools.iter().map(named).collect(),
                            })
                            .collect()
                    }),
                }),
                arrival_ms: at_ms + delay_ms,
            });
        }
        Event::Agreement { place, when, field, tools, agreed, window_ms } => {
            let at_ms = clock.resolve(*when, None);
            let mut pair = [tools.0, tools.1].map(|tool| plan.tools[tool % plan.tools.len()].clone());
            pair.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            let [tool_a, tool_b] = pair;
            sent.push(Sent {
                payload: NewPayload::Agreement(NewAgreement {
                    agreement: Agreement {
                        v: WIRE_VERSION,
                        session_id: session(place),
                        field: plan.fields[field % plan.fields.len()].clone(),
                        tool_a,
                        tool_b,
                        agreed: *agreed,
                        checked_at: rfc3339(at_ms),
                        window_ms: *window_ms,
                    },
                    checked_ms: at_ms,
                }),
                arrival_ms: at_ms,
            });
        }
    }
}

impl CallEvent {
    fn happen(&self, plan: &Plan, clock: &mut Clock, sent: &mut Vec<Sent>) {
        let tool = self.tool % plan.tools.len();
        let session = self.place.session % plan.sessions.len();
        let client = self.place.client % plan.clients.len();
        let started_ms = clock.resolve(self.when, Some((tool, session, client)));
        let end_ms = started_ms + i64::from(self.duration_ms);
        clock.last.push(((tool, session, client), (started_ms, end_ms)));
        sent.push(Sent {
            payload: NewPayload::Call(NewCall {
                call: Call {
                    v: WIRE_VERSION,
                    session_id: plan.sessions[session].clone(),
                    client_name: plan.clients[client].clone(),
                    tool_name: plan.tools[tool].clone(),
                    started_at: rfc3339(started_ms),
                    duration_ms: self.duration_ms,
                    outcome: self.outcome.0,
                    response_bytes: self.units,
                    is_empty: self.outcome.1,
                    args_hash: format!("{:012x}", self.hash),
                },
                started_ms,
            }),
            arrival_ms: end_ms + self.delay_ms,
        });
    }
}

fn rfc3339(at_ms: i64) -> String {
    format!("{:.3}", jiff::Timestamp::from_millisecond(at_ms).unwrap())
}
