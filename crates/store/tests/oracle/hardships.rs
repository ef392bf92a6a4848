//! Whether random streams hold what makes these metrics hard: the other half of coverage.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::Date};
use mcpulse_store::metrics::types::Scope;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use crate::model::{Call, History};
use crate::suite::{Case, cases, rng};
use crate::view::within;

/// What a history can be asked.
type Trait = (&'static str, fn(&History) -> bool);

const TRAITS: &[Trait] = &[
    ("a call arrives late", |history| {
        history.calls.iter().any(|call| call.received_ms > call.end_ms() + 40_000)
    }),
    ("calls of a lane arrive in another order than they started", |history| {
        in_lanes(history, |a, b| a.seq < b.seq && a.started_ms > b.started_ms)
    }),
    ("calls of a lane overlap", |history| {
        in_lanes(history, |a, b| a.started_ms < b.started_ms && b.started_ms < a.end_ms())
    }),
    ("calls of a lane start together", |history| in_lanes(history, |a, b| a.started_ms == b.started_ms)),
    ("calls of a lane start, end and ask alike", |history| {
        in_lanes(history, |a, b| (a.started_ms, a.end_ms(), a.hash) == (b.started_ms, b.end_ms(), b.hash))
    }),
    ("a call starts as another of its lane ends", |history| {
        in_lanes(history, |a, b| a.duration_ms > 0 && a.end_ms() == b.started_ms)
    }),
    ("a call of no duration lies inside another of its lane", |history| {
        in_lanes(history, |a, b| {
            b.duration_ms == 0 && a.started_ms < b.started_ms && b.started_ms < a.end_ms()
        })
    }),
    ("a call repeats another of its lane", |history| {
        in_lanes(history, |a, b| a.hash != 0 && a.hash == b.hash && a.end_ms() <= b.started_ms)
    }),
    ("the pause between calls of a lane is 30 s to the millisecond", |history| {
        in_lanes(history, |a, b| b.started_ms - a.end_ms() == 30_000)
    }),
    ("arguments without a hash", |history| history.calls.iter().any(|call| call.hash == 0)),
    ("a session goes on over midnight", |history| sessions_span(history, |date| date.day().into())),
    ("a session goes on over the end of a month", |history| {
        sessions_span(history, |date| date.month().into())
    }),
    ("a session goes on over the end of a year", |history| sessions_span(history, |date| date.year().into())),
    ("clients share a session", |history| {
        let pairs: BTreeSet<_> = history.calls.iter().map(|call| (&call.session, &call.client)).collect();
        pairs.len() > history.calls.iter().map(|call| &call.session).collect::<BTreeSet<_>>().len()
    }),
    ("crowded in a minute", |history| busy(history, 61, 60_000)),
    ("crowded in an hour and in no minute", |history| {
        busy(history, 601, 3_600_000) && !busy(history, 61, 60_000)
    }),
    ("names outside ASCII", |history| {
        let odd = |name: &str| !name.is_ascii();
        history.calls.iter().any(|call| odd(&call.tool) && odd(&call.client) && odd(&call.session))
    }),
    ("surfaces interleave", |history| {
        history
            .startups
            .windows(3)
            .any(|three| three[0].surface == three[2].surface && three[0].surface != three[1].surface)
    }),
    ("a session changes its surface", |history| {
        let pairs: BTreeSet<_> =
            history.startups.iter().map(|startup| (&startup.session, startup.surface)).collect();
        pairs.len() > history.startups.iter().map(|startup| &startup.session).collect::<BTreeSet<_>>().len()
    }),
    ("a call comes before its session's startup", |history| {
        history
            .calls
            .iter()
            .any(|call| history.startup_of(call).is_some_and(|startup| startup.seq > call.seq))
    }),
    ("payloads are rejected", |history| !history.rejections.is_empty()),
];

/// Whether some two calls of one tool, session and client are like that.
fn in_lanes(history: &History, alike: impl Fn(&Call, &Call) -> bool) -> bool {
    let lane = |call: &Call| (call.tool.clone(), call.session.clone(), call.client.clone());
    let mut lanes: BTreeMap<_, Vec<&Call>> = BTreeMap::new();
    for call in &history.calls {
        lanes.entry(lane(call)).or_default().push(call);
    }
    lanes.values().any(|calls| calls.iter().any(|a| calls.iter().any(|b| a.seq != b.seq && alike(a, b))))
}

/// Whether calls of some session, at most a quarter of an hour apart, lie on different days, months or years.
fn sessions_span(history: &History, part: impl Fn(Date) -> i64) -> bool {
    let part_of = |call: &Call| {
        let at = Timestamp::from_millisecond(call.started_ms).unwrap();
        part(at.to_zoned_datetime(TimeZone::UTC).date())
    };
    history.calls.iter().any(|a| {
        history.calls.iter().any(|b| {
            a.session == b.session
                && (0..900_000).contains(&(b.started_ms - a.started_ms))
                && part_of(a) != part_of(b)
        })
    })
}

/// Whether so many calls of some session and client start within such a time.
fn busy(history: &History, count: usize, window_ms: i64) -> bool {
    let mut pairs: BTreeMap<_, Vec<i64>> = BTreeMap::new();
    for call in &history.calls {
        pairs.entry((&call.session, &call.client)).or_default().push(call.started_ms);
    }
    pairs.into_values().any(|mut starts| {
        starts.sort_unstable();
        starts.windows(count).any(|window| window[count - 1] - window[0] < window_ms)
    })
}

/// What a question can be about.
type Angle = (&'static str, fn(&Scope, &History) -> bool);

const ANGLES: &[Angle] = &[
    ("filters by tools and clients together let something through, and not all", |scope, history| {
        let passes = |call: &&Call| {
            within(scope.range, call.started_ms)
                && scope.tools.contains(&call.tool)
                && scope.clients.contains(&call.client)
        };
        let passed = history.calls.iter().filter(passes).count();
        passed > 0 && passed < history.calls.len()
    }),
    ("a day of 23 hours", |scope, history| has_point_of(scope, history, 23 * 3_600_000)),
    ("a day of 25 hours", |scope, history| has_point_of(scope, history, 25 * 3_600_000)),
    ("a range that misses a day", |scope, _| {
        // 2011-12-30T10:00:00Z: between two midnights of Apia that are not the same day's.
        scope.edges.windows(3).any(|edges| edges[1] == 1_325_239_200_000 && edges[1] - edges[0] == 86_400_000)
    }),
    ("calls in the window before", |scope, history| {
        history.calls.iter().any(|call| within(scope.range.before(), call.started_ms))
            && history.calls.iter().any(|call| within(scope.range, call.started_ms))
    }),
    ("a call on either edge of the range", |scope, history| {
        let starts = |at_ms: i64| history.calls.iter().any(|call| call.started_ms == at_ms);
        starts(scope.range.from_ms) && starts(scope.range.to_ms)
    }),
    ("a run goes over an edge", |scope, history| {
        scope.edges.iter().any(|&edge| {
            in_lanes(history, |a, b| {
                a.started_ms < edge && edge <= b.started_ms && b.started_ms - a.end_ms() <= 30_000
            })
        })
    }),
    ("a call is settled to the millisecond", |scope, history| {
        history.calls.iter().any(|call| {
            call.end_ms().max(call.received_ms) == scope.settled_as_of_ms()
                && within(scope.range, call.started_ms)
        })
    }),
    ("a server without calls", |_, history| history.calls.is_empty()),
    ("tools that are called in series, or for one answer", |scope, _| !scope.modes.is_empty()),
];

/// Whether a point of the series is so long and holds a call.
fn has_point_of(scope: &Scope, history: &History, length_ms: i64) -> bool {
    scope.edges.windows(2).any(|edges| {
        edges[1] - edges[0] == length_ms
            && history.calls.iter().any(|call| (edges[0]..edges[1]).contains(&call.started_ms))
    })
}

#[test]
fn random_streams_hold_what_is_hard() {
    let mut runner = TestRunner::new_with_rng(Config::default(), rng(1, 0));
    let mut traits: Vec<Trait> = TRAITS.to_vec();
    let mut angles: Vec<Angle> = ANGLES.to_vec();
    for _ in 0..1_000 {
        if traits.is_empty() && angles.is_empty() {
            break;
        }
        let Case { stream, questions, .. } = cases().new_tree(&mut runner).unwrap().current();
        let history = History::of(&stream.batches);
        traits.retain(|(_, holds)| !holds(&history));
        let scopes: Vec<Scope> = questions.iter().map(|question| question.scope(&stream, &history)).collect();
        angles.retain(|(_, holds)| !scopes.iter().any(|scope| holds(scope, &history)));
    }
    let missing: Vec<&str> = traits.iter().map(|one| one.0).chain(angles.iter().map(|one| one.0)).collect();
    assert!(missing.is_empty(), "never came up: {missing:?}");
}
