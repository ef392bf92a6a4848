//! What random streams are made of: small alphabets so that everything collides, and times that fall on the very
//! edges of the definitions.

use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Outcome, Policy, Tool, Transport};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::names;

/// Twelve hex digits hold no more.
pub const MOST_HASH: u64 = 0xffff_ffff_ffff;

/// Something that happens at a server.
#[derive(Clone, Debug)]
pub enum Event {
    Call(CallEvent),
    /// Calls of one tool in a row, each with other arguments: a list, or rewordings.
    Chain {
        first: CallEvent,
        length: usize,
        pause_ms: i64,
        sour_at: Option<usize>,
    },
    /// Many calls in a short time, around the limits of a crowded session.
    Burst {
        first: CallEvent,
        count: usize,
        within_ms: i64,
    },
    Startup {
        place: Place,
        when: When,
        surface: usize,
        versions: Versions,
        delay_ms: i64,
    },
    /// Enough calls of one tool for a judgement, by changing sessions and clients.
    Bulk {
        first: CallEvent,
        count: usize,
        pause_ms: i64,
        outcomes: Vec<(Outcome, bool)>,
        same_hash: bool,
    },
    /// A tool that did well for hours and then fails one time in so many for most of an hour.
    BadHour {
        first: CallEvent,
        one_in: usize,
    },
    /// One verdict, or enough for a judgement, of which one in so many disagrees.
    Agreement {
        place: Place,
        when: When,
        field: usize,
        tools: (usize, usize),
        one_in: usize,
        times: usize,
    },
}

#[derive(Clone, Debug)]
pub struct CallEvent {
    pub place: Place,
    pub tool: usize,
    pub when: When,
    pub duration_ms: u32,
    pub outcome: (Outcome, bool),
    pub hash: u64,
    pub units: u32,
    pub delay_ms: i64,
}

/// Who does it. Sessions are shared by clients on purpose.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub session: usize,
    pub client: usize,
}

/// When something starts.
#[derive(Clone, Copy, Debug)]
pub enum When {
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
pub struct Versions {
    pub sdk: Option<&'static str>,
    pub mcp_sdk: Option<&'static str>,
    pub protocol: Option<&'static str>,
    pub transport: Option<Transport>,
    pub agreements: Option<Vec<(usize, Vec<usize>)>>,
}

/// How what happened is cut into requests.
#[derive(Clone, Debug)]
pub struct Request {
    pub size: usize,
    pub key: usize,
    pub producer: &'static str,
    pub skew_ms: i64,
    /// Requests are appended in this order; equal ones in order of time.
    pub order: u8,
    pub rejected: Vec<(&'static str, &'static str)>,
    pub sent_twice: bool,
}

/// Everything random about a stream.
#[derive(Clone, Debug)]
pub struct Plan {
    pub first_ms: i64,
    pub tools: Vec<String>,
    pub clients: Vec<String>,
    pub sessions: Vec<String>,
    pub fields: Vec<String>,
    pub surfaces: Vec<Vec<Tool>>,
    pub events: Vec<Event>,
    pub requests: Vec<Request>,
}

/// A random plan.
pub fn plans() -> impl Strategy<Value = Plan> {
    (
        select(names::ERAS),
        names::some(names::TOOLS, 2..6),
        names::some(names::CLIENTS, 1..4),
        names::some(names::SESSIONS, 1..5),
        names::some(names::FIELDS, 2..3),
        vec(surfaces(), 1..5),
        vec(events(), 0..32),
        vec(requests(), 1..8),
    )
        .prop_map(|(first_ms, tools, clients, sessions, fields, surfaces, events, requests)| Plan {
            first_ms,
            surfaces: surfaces.iter().map(|surface| surface.with_names(&tools)).collect(),
            tools,
            clients,
            sessions,
            fields,
            events,
            requests,
        })
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
    let hash = prop_oneof![1 => Just(0_u64), 8 => 1..5_u64, 1 => Just(MOST_HASH)];
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
        1 => (
            places(),
            whens(),
            0..3_usize,
            (0..6_usize, 0..6_usize),
            1..15_usize,
            prop_oneof![3 => Just(1_usize), 1 => 19..30_usize],
        )
            .prop_map(|(place, when, field, tools, one_in, times)| Event::Agreement {
                place, when, field, tools, one_in, times
            }),
        1 => bursts(),
        1 => (calls(), 1..10_usize).prop_map(|(first, one_in)| Event::BadHour { first, one_in }),
        2 => (
            calls(),
            prop_oneof![19..22_usize, 22..90_usize],
            select(&[1_100_i64, 9_000, 31_000, 200_000][..]),
            vec(outcomes(), 1..5),
            any::<bool>(),
        )
            .prop_map(|(first, count, pause_ms, outcomes, same_hash)| Event::Bulk {
                first, count, pause_ms, outcomes, same_hash
            }),
    ]
}

fn bursts() -> impl Strategy<Value = Event> {
    let size = prop_oneof![
        7 => (58..63_usize, select(&[59_998_i64, 59_999, 60_000, 60_001, 70_000][..])),
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
        &[
            ("/args_hash", "pattern"),
            ("", "additionalProperties"),
            ("/v", "const"),
            ("/tool_name", "maxLength"),
        ][..],
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

/// A set of tools before they have names.
#[derive(Clone, Debug)]
struct SurfacePlan {
    /// For each name whether it is advertised, and how.
    entries: Vec<(bool, Tool)>,
    turn: usize,
    /// An entry listed once more under the first one's name.
    twice: Option<usize>,
}

/// One of a few possible sets of tools; the few hashes make renames, rewordings and overlaps common.
fn surfaces() -> impl Strategy<Value = SurfacePlan> {
    let hash = || option::weighted(0.8, select(&["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"][..]));
    let entry = (
        prop::bool::weighted(0.7),
        select(&[0_u32, 120, 121, 4_000][..]),
        (hash(), hash(), hash()),
        option::weighted(0.3, select(&[Policy::None, Policy::Authorization, Policy::Identity][..])),
    )
        .prop_map(|(advertised, schema_bytes, (schema, description, norm), policy)| {
            let tool = Tool {
                name: String::new(),
                schema_bytes,
                schema_hash: schema.map(hash12),
                description_hash: description.map(hash12),
                description_norm: norm.map(hash12),
                policy,
            };
            (advertised, tool)
        });
    (vec(entry, 7), 0..7_usize, option::weighted(0.1, 0..7_usize))
        .prop_map(|(entries, turn, twice)| SurfacePlan { entries, turn, twice })
}

impl SurfacePlan {
    /// Called names and two that nobody calls.
    fn with_names(&self, called: &[String]) -> Vec<Tool> {
        let names = called.iter().map(String::as_str).chain(["never_called", "also_never_called"]);
        let mut tools: Vec<Tool> = names
            .zip(&self.entries)
            .filter(|(_, (advertised, _))| *advertised)
            .map(|(name, (_, tool))| Tool { name: name.to_owned(), ..tool.clone() })
            .collect();
        if let Some(twice) = self.twice
            && let Some(name) = tools.first().map(|tool| tool.name.clone())
        {
            tools.push(Tool { name, ..self.entries[twice].1.clone() });
        }
        // Producers list tools in any order: the surface is the same.
        let turn = self.turn % tools.len().max(1);
        tools.rotate_left(turn);
        tools
    }
}

/// A hash from its text.
pub fn hash12(text: &str) -> Hash12 {
    text.parse().unwrap()
}
