//! Random scopes: what is asked about a stream, with edges where the data is.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use mcpulse_store::control::ToolMode;
use mcpulse_store::metrics::range::{Granularity, days};
use mcpulse_store::metrics::types::{Range, Scope};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::answers::{Asked, METRICS, Metric};
use crate::generate::Stream;
use crate::model::History;

/// Time zones worth asking in: skipped days, half hours, both sides of daylight saving.
pub const ZONES: &[&str] =
    &["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", "America/Los_Angeles"];

/// A question before it meets a stream.
#[derive(Clone, Debug)]
pub struct Question {
    span: SpanOfTime,
    tools: Vec<Name>,
    clients: Vec<Name>,
    now: Now,
    modes: Vec<(Index, ToolMode)>,
    usd: f64,
    /// What is asked with this scope.
    metrics: Vec<Metric>,
    tool: Name,
    session: Index,
    page: u32,
}

#[derive(Clone, Debug)]
enum SpanOfTime {
    /// Whole days of a time zone around the stream: days after its first day, and how many.
    Days { zone: &'static str, skip: i64, count: i64, granularity: Granularity },
    /// From and to the starts of two calls, give or take a millisecond, cut anywhere.
    Calls { from: (Index, i64), to: (Index, i64), cuts: Vec<Index> },
    /// Everything, in one point.
    All,
}

#[derive(Clone, Debug)]
enum Name {
    Known(Index),
    Unknown(&'static str),
}

#[derive(Clone, Debug)]
enum Now {
    /// This long after the last arrival.
    AfterAll(i64),
    /// Exactly as a call becomes settled, give or take.
    AsSettles(Index, i64),
}

/// A random question.
pub fn questions() -> impl Strategy<Value = Question> {
    let span = prop_oneof![
        5 => (
            select(ZONES),
            -2..4_i64,
            prop_oneof![4 => 1..4_i64, 2 => 5..20_i64, 1 => Just(60_i64)],
            select(&[Granularity::Hour, Granularity::Day, Granularity::Week][..]),
        )
            .prop_map(|(zone, skip, count, granularity)| SpanOfTime::Days { zone, skip, count, granularity }),
        3 => (
            (any::<Index>(), -1..2_i64),
            (any::<Index>(), -1..2_i64),
            vec(any::<Index>(), 0..4)
        )
            .prop_map(|(from, to, cuts)| SpanOfTime::Calls { from, to, cuts }),
        4 => Just(SpanOfTime::All),
    ];
    let now = prop_oneof![
        3 => select(&[0_i64, 39_999, 40_000, 40_001, 3_600_000, 86_400_000, -60_000][..]).prop_map(Now::AfterAll),
        2 => (any::<Index>(), -1..2_i64).prop_map(|(call, give_ms)| Now::AsSettles(call, give_ms)),
    ];
    (
        span,
        names(&["no_such_tool", "never_called", "SEARCH", "'"]),
        names(&["no such client", "Cursor"]),
        now,
        prop_oneof![2 => Just(Vec::new()), 1 => vec((any::<Index>(), modes()), 1..4)],
        select(&[3.0_f64, 0.0, 0.15, 75.0][..]),
        (subsequence(METRICS, 1..3), name(&["no_such_tool", "never_called", ""]), any::<Index>(), 1..30_u32),
    )
        .prop_map(|(span, tools, clients, now, modes, usd, (metrics, tool, session, page))| Question {
            span,
            tools,
            clients,
            now,
            modes,
            usd,
            metrics,
            tool,
            session,
            page,
        })
}

fn name(unknown: &'static [&'static str]) -> impl Strategy<Value = Name> {
    prop_oneof![5 => any::<Index>().prop_map(Name::Known), 1 => select(unknown).prop_map(Name::Unknown)]
}

fn names(unknown: &'static [&'static str]) -> impl Strategy<Value = Vec<Name>> {
    prop_oneof![3 => Just(Vec::new()), 2 => vec(name(unknown), 1..3)]
}

fn modes() -> impl Strategy<Value = ToolMode> {
    select(&[ToolMode::InSeries, ToolMode::OneAnswer][..])
}

impl Question {
    /// What is asked besides the scope.
    pub fn asked(&self, stream: &Stream, history: &History) -> Asked {
        let sessions: BTreeSet<&String> = history
            .calls
            .iter()
            .map(|call| &call.session)
            .chain(history.startups.iter().map(|startup| &startup.session))
            .collect();
        let sessions: Vec<&String> = sessions.into_iter().collect();
        // One more than there are: a session that nobody has heard of.
        let session =
            sessions.get(self.session.index(sessions.len() + 1)).map_or("s_nobody", |session| session);
        Asked {
            metrics: self.metrics.clone(),
            tool: self.tool.among(&stream.tools),
            session: session.to_owned(),
            page: self.page,
        }
    }

    /// The scope this question has for a stream and what became of it.
    pub fn scope(&self, stream: &Stream, history: &History) -> Scope {
        let (range, edges) = self.span.resolve(stream, history);
        let now_ms = match &self.now {
            Now::AsSettles(call, give_ms) if !history.calls.is_empty() => {
                let call = call.get(&history.calls);
                call.end_ms().max(call.received_ms) + 40_000 + give_ms
            }
            Now::AsSettles(_, give_ms) | Now::AfterAll(give_ms) => stream.last_ms + give_ms,
        };
        Scope {
            range,
            edges,
            tools: pick(&self.tools, &stream.tools),
            clients: pick(&self.clients, &stream.clients),
            now_ms,
            modes: self
                .modes
                .iter()
                .map(|(tool, mode)| (tool.get(&stream.tools).clone(), *mode))
                .collect::<BTreeMap<_, _>>(),
            usd_per_million_tokens: self.usd,
        }
    }
}

fn pick(names: &[Name], known: &[String]) -> Vec<String> {
    let mut picked: Vec<String> = names.iter().map(|name| name.among(known)).collect();
    picked.dedup();
    picked
}

impl Name {
    fn among(&self, known: &[String]) -> String {
        match self {
            Self::Known(at) => at.get(known).clone(),
            Self::Unknown(name) => (*name).to_owned(),
        }
    }
}

impl SpanOfTime {
    fn resolve(&self, stream: &Stream, history: &History) -> (Range, Vec<i64>) {
        let whole = Range { from_ms: stream.first_ms - 100 * 86_400_000, to_ms: stream.last_ms + 86_400_000 };
        match self {
            Self::Days { zone, skip, count, granularity } => {
                let tz = TimeZone::get(zone).unwrap();
                let first = Timestamp::from_millisecond(stream.first_ms)
                    .unwrap()
                    .to_zoned_datetime(tz.clone())
                    .date();
                let from = first.checked_add(Span::new().days(*skip)).unwrap();
                let to = from.checked_add(Span::new().days(count - 1)).unwrap();
                match days(from, to, &tz, Some(*granularity)) {
                    Ok(days) => (days.range, days.edges),
                    // The one day that Apia skipped.
                    Err(_) => Self::All.resolve(stream, history),
                }
            }
            Self::Calls { from, to, cuts } if !history.calls.is_empty() => {
                let ends = [from, to].map(|(call, give_ms)| call.get(&history.calls).started_ms + give_ms);
                let range = Range {
                    from_ms: ends[0].min(ends[1]),
                    to_ms: ends[0].max(ends[1]).max(ends[0].min(ends[1]) + 1),
                };
                let inside = cuts.iter().map(|call| call.get(&history.calls).started_ms);
                let mut edges: Vec<i64> = inside
                    .filter(|cut| range.from_ms < *cut && *cut < range.to_ms)
                    .chain([range.from_ms, range.to_ms])
                    .collect();
                edges.sort_unstable();
                edges.dedup();
                (range, edges)
            }
            Self::Calls { .. } | Self::All => (whole, vec![whole.from_ms, whole.to_ms]),
        }
    }
}
