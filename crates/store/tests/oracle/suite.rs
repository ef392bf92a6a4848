//! The suite: random streams through an engine's `append`, then every question asked of both.
//!
//! An engine is plugged in by giving [`Suite`] a store; nothing here knows which one it is.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use mcpulse_store::events::{EventError, EventStore};
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::Scope;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::answers::{Asked, of_engine, of_oracle};
use crate::compare::differences;
use crate::definitions::Definitions;
use crate::facts::Facts;
use crate::generate::{Stream, streams};
use crate::model::History;
use crate::questions::{Question, questions};
use crate::view::View;

/// What the suite asks of an engine.
#[async_trait]
pub trait Engine: EventStore + Metrics {
    /// Works out what is settled as far as the engine keeps that: at most so many payloads, by this clock, and up to
    /// the last moment for nothing if it is to crash.
    async fn settle(&self, server: ServerId, now_ms: i64, most: i64, crash: bool);

    /// The same, with something to do before what is worked out is there.
    async fn settle_until(
        &self,
        server: ServerId,
        now_ms: i64,
        most: i64,
        before_commit: Box<dyn FnOnce() -> Result<(), EventError> + Send>,
    ) -> Result<(), EventError>;
}

/// When an engine settles, between two requests.
#[derive(Clone, Debug)]
pub struct Settling {
    /// After which request.
    after: Index,
    /// The clock, this long after that request.
    later_ms: i64,
    /// Payloads at most, and how often in a row.
    most: i64,
    times: u8,
    crash: bool,
}

/// One case: a stream, what is asked about it, and when the engine settles.
#[derive(Clone)]
pub struct Case {
    pub stream: Stream,
    pub questions: Vec<Question>,
    pub settlings: Vec<Settling>,
}

/// An engine under test.
pub struct Suite {
    engine: Arc<dyn Engine>,
    runtime: Runtime,
}

/// Threads that try cases side by side.
const THREADS: u32 = 2;

/// Random cases: one stream, a few questions.
pub fn cases() -> impl Strategy<Value = Case> {
    (streams(), vec(questions(), 1..3), vec(settlings(), 0..2))
        .prop_map(|(stream, questions, settlings)| Case { stream, questions, settlings })
}

fn settlings() -> impl Strategy<Value = Settling> {
    (
        any::<Index>(),
        // Up to when nothing is closed, when some is, when all of it is.
        select(&[0_i64, 340_000, 400_000, 3_600_000, 10 * 86_400_000, 400 * 86_400_000][..]),
        select(&[1_i64, 7, 30, 100_000, 100_000][..]),
        1..3_u8,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(after, later_ms, most, times, crash)| Settling {
            after,
            later_ms,
            most,
            times,
            crash,
        })
}

/// A whole number from the environment.
pub fn setting(name: &str, default: u32) -> u32 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number")))
}

impl Suite {
    /// A suite for one engine; the store is shared by all cases, each with a server of its own.
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self { engine, runtime }
    }

    /// Tries so many random cases from the seed; panics with the smallest failing one.
    pub fn compare(&self, cases_wanted: u32, seed: u32) {
        let failure = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..THREADS)
                .map(|thread| {
                    scope.spawn(move || self.try_cases(cases_wanted.div_ceil(THREADS), seed, thread))
                })
                .collect();
            workers.into_iter().filter_map(|worker| worker.join().unwrap()).next()
        });
        if let Some(report) = failure {
            panic!("{report}");
        }
    }

    fn try_cases(&self, count: u32, seed: u32, thread: u32) -> Option<String> {
        let config = Config {
            cases: count,
            max_shrink_iters: setting("ORACLE_SHRINK", 3_000),
            failure_persistence: None,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, rng(seed, thread));
        let outcome = runner.run(&cases(), |case| {
            let found = self.differences(&case);
            if found.is_empty() { Ok(()) } else { Err(TestCaseError::fail(found.join("\n"))) }
        });
        match outcome {
            Ok(()) => None,
            Err(TestError::Fail(reason, case)) => {
                Some(format!("ORACLE_SEED={seed}, thread {thread}:\n{reason}\n{case:?}"))
            }
            Err(TestError::Abort(reason)) => Some(format!("gave up: {reason}")),
        }
    }

    /// Where the engine and the oracle differ about a case.
    pub fn differences(&self, case: &Case) -> Vec<String> {
        let history = History::of(&case.stream.batches);
        let answers = self.answers(case, &history);
        self.found(&history, &answers)
    }

    /// Where the oracle differs from what a server of the engine says of a case that it holds already.
    pub fn differences_at(&self, server: ServerId, case: &Case) -> Vec<String> {
        let history = History::of(&case.stream.batches);
        let answers = self.ask(server, case, &history);
        self.found(&history, &answers)
    }

    /// The engine, and where its futures run.
    pub fn engine(&self) -> (&dyn Engine, &Runtime) {
        (&*self.engine, &self.runtime)
    }

    fn found(&self, history: &History, answers: &[(Scope, Asked, Vec<Value>)]) -> Vec<String> {
        let mut found = Vec::new();
        for (nth, (scope, asked, got)) in answers.iter().enumerate() {
            let expected = expected(history, scope, asked, &Definitions::default());
            found.extend(differing(nth, asked, &expected, got));
        }
        found
    }

    /// Asks an engine about random cases until each of the bent definitions has been told from the right one by its
    /// answers. Returns those that none of so many cases could tell. Cases whose answer is the same by all of them
    /// are passed over.
    pub fn unnoticed(
        &self,
        bent: Vec<(&'static str, Definitions)>,
        cases_wanted: u32,
        seed: u32,
    ) -> Vec<&'static str> {
        let mut runner = TestRunner::new_with_rng(Config::default(), rng(seed, 0));
        let mut left = bent;
        for _ in 0..cases_wanted {
            if left.is_empty() {
                break;
            }
            let case = cases().new_tree(&mut runner).unwrap().current();
            let history = History::of(&case.stream.batches);
            let tells = case.questions.iter().any(|question| {
                let scope = question.scope(&case.stream, &history);
                let asked = question.asked(&case.stream, &history);
                let right = expected(&history, &scope, &asked, &Definitions::default());
                left.iter().any(|(_, bent)| expected(&history, &scope, &asked, bent) != right)
            });
            if !tells {
                continue;
            }
            for (nth, (scope, asked, got)) in self.answers(&case, &history).iter().enumerate() {
                left.retain(|(_, bent)| {
                    differing(nth, asked, &expected(&history, scope, asked, bent), got).is_empty()
                });
            }
        }
        left.into_iter().map(|(name, _)| name).collect()
    }

    /// The engine's answers to the questions of a case.
    fn answers(&self, case: &Case, history: &History) -> Vec<(Scope, Asked, Vec<Value>)> {
        self.with_server(case, |server| self.ask(server, case, history))
    }

    fn ask(&self, server: ServerId, case: &Case, history: &History) -> Vec<(Scope, Asked, Vec<Value>)> {
        let questions = case.questions.iter().map(|question| {
            let scope = question.scope(&case.stream, history);
            let asked = question.asked(&case.stream, history);
            let got = asked.metrics.iter().map(|&metric| {
                let answer = of_engine(&*self.engine, server, &scope, &asked, metric);
                self.runtime.block_on(answer).unwrap()
            });
            let got = got.collect();
            (scope, asked, got)
        });
        questions.collect()
    }

    /// Appends the case to a fresh server, which is deleted afterwards.
    fn with_server<T>(&self, case: &Case, work: impl FnOnce(ServerId) -> T) -> T {
        let server = ServerId::new();
        self.runtime.block_on(play(&*self.engine, server, case));
        let answer = work(server);
        self.runtime.block_on(self.engine.delete_server(server)).unwrap();
        answer
    }
}

/// Appends the requests of a case, and settles between them.
pub async fn play(engine: &dyn Engine, server: ServerId, case: &Case) {
    let batches = &case.stream.batches;
    for (nth, batch) in batches.iter().enumerate() {
        engine.append(server, batch.clone()).await.unwrap();
        for settling in case.settlings.iter().filter(|settling| settling.after.index(batches.len()) == nth) {
            let now_ms = batch.received_ms + settling.later_ms;
            for _ in 0..settling.times {
                engine.settle(server, now_ms, settling.most, settling.crash).await;
            }
        }
    }
}

/// What the oracle answers.
pub fn expected(history: &History, scope: &Scope, asked: &Asked, definitions: &Definitions) -> Vec<Value> {
    let seen = definitions.filter_before_facts.then(|| history.only(scope));
    let history = seen.as_ref().unwrap_or(history);
    let facts = Facts::of(&history.calls, definitions);
    let view = View { history, facts: &facts, scope, definitions };
    asked.metrics.iter().map(|&metric| of_oracle(&view, asked, metric)).collect()
}

/// What two lists of answers differ in.
fn differing(nth: usize, asked: &Asked, expected: &[Value], got: &[Value]) -> Vec<String> {
    let answers = asked.metrics.iter().zip(expected.iter().zip(got));
    answers
        .flat_map(|(metric, (expected, got))| {
            let found = differences(expected, got).into_iter();
            found.map(move |difference| format!("question {nth} {metric:?}{difference}"))
        })
        .collect()
}

/// Random numbers that depend on the seed alone.
pub fn rng(seed: u32, thread: u32) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    bytes[4..8].copy_from_slice(&thread.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// A failing case as a table that can be worked out by hand.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let history = History::of(&self.stream.batches);
        let mut text =
            String::from("\nseq received session client tool started duration outcome units hash\n");
        for call in &history.calls {
            let times = [call.started_ms, call.duration_ms];
            writeln!(
                text,
                "{} {} {:?} {:?} {:?} {times:?} {:?} {} {:012x}",
                call.seq,
                call.received_ms,
                call.session,
                call.client,
                call.tool,
                call.slice(),
                call.units,
                call.hash
            )?;
        }
        for startup in &history.startups {
            writeln!(text, "{startup:?}")?;
        }
        for (at, surface) in history.surfaces.iter().enumerate() {
            writeln!(text, "surface {} seen {}–{}", at + 1, surface.first_seen_ms, surface.last_seen_ms)?;
            for tool in &surface.tools {
                writeln!(text, "  {tool:?}")?;
            }
        }
        for agreement in &history.agreements {
            writeln!(text, "{agreement:?}")?;
        }
        for rejection in &history.rejections {
            writeln!(text, "{rejection:?}")?;
        }
        for settling in &self.settlings {
            let after = settling.after.index(self.stream.batches.len().max(1));
            writeln!(text, "settles after request {after}: {settling:?}")?;
        }
        for (nth, batch) in self.stream.batches.iter().enumerate() {
            writeln!(text, "request {nth}: {} payloads at {}", batch.payloads.len(), batch.received_ms)?;
        }
        for (nth, question) in self.questions.iter().enumerate() {
            let scope = question.scope(&self.stream, &history);
            writeln!(text, "question {nth}: {scope:?}\n  {:?}", question.asked(&self.stream, &history))?;
        }
        f.write_str(&text)
    }
}
