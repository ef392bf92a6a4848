//! Recording one call, of any framework.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use mcpulse_wire::hash::{self, Hash12, NO_ARGUMENTS, UNREPRESENTABLE};
use mcpulse_wire::payload::Outcome;
use mcpulse_wire::text;
use serde_json::{Map, Value};

use crate::ending::{Answer, Ending, Measure};
use crate::event::{CallEvent, Event};
use crate::guard::quietly;
use crate::options::Sessions;
use crate::pulse::{Mcpulse, Producer};

/// The arguments of a call, as the client sent them: before defaults are applied or unknown fields dropped.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum Arguments<'a> {
    /// None were sent.
    #[default]
    Absent,
    /// A parsed value.
    Value(&'a Value),
    /// A parsed object.
    Object(&'a Map<String, Value>),
    /// JSON text: the best, where the framework shows it.
    Raw(&'a str),
}

impl Arguments<'_> {
    fn hash(self) -> Hash12 {
        match self {
            Self::Absent => NO_ARGUMENTS,
            Self::Value(value) => hash::args_hash(Some(value)),
            Self::Object(object) => hash::args_hash_object(Some(object)),
            Self::Raw(text) => hash::args_hash_raw(Some(text.as_bytes())),
        }
    }
}

impl<'a> From<&'a Value> for Arguments<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a Map<String, Value>> for Arguments<'a> {
    fn from(object: &'a Map<String, Value>) -> Self {
        Self::Object(object)
    }
}

impl<'a, T: Into<Arguments<'a>>> From<Option<T>> for Arguments<'a> {
    fn from(arguments: Option<T>) -> Self {
        arguments.map_or(Self::Absent, Into::into)
    }
}

/// A call about to be made. Ends with one of [`record`](Self::record), [`record_as`](Self::record_as),
/// [`record_async`](Self::record_async), [`record_async_as`](Self::record_async_as) or
/// [`start`](Self::start).
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is recorded before `record` or `start`"]
pub struct CallRecord<'a> {
    pulse: &'a Mcpulse,
    tool: &'a str,
    client: &'a str,
    conversation: Option<&'a str>,
    arguments: Arguments<'a>,
}

impl<'a> CallRecord<'a> {
    pub(crate) fn new(pulse: &'a Mcpulse, tool: &'a str) -> Self {
        Self { pulse, tool, client: text::UNKNOWN, conversation: None, arguments: Arguments::Absent }
    }

    /// The arguments, as the client sent them. They are hashed; nothing else of them is kept.
    pub fn args(mut self, arguments: impl Into<Arguments<'a>>) -> Self {
        self.arguments = arguments.into();
        self
    }

    /// The arguments as JSON text.
    pub fn args_raw(mut self, text: &'a str) -> Self {
        self.arguments = Arguments::Raw(text);
        self
    }

    /// The name of the program that speaks MCP to the server.
    pub fn client(mut self, name: &'a str) -> Self {
        self.client = name;
        self
    }

    /// What the protocol calls the conversation this call belongs to (`Mcp-Session-Id`). It never leaves the
    /// process.
    pub fn conversation(mut self, id: &'a str) -> Self {
        self.conversation = Some(id);
        self
    }

    /// Calls `handler` and records how it ended. A panic in it is recorded as `crashed` and goes on.
    pub fn record<R: Answer>(self, handler: impl FnOnce() -> R) -> R {
        self.record_as(R::ending, handler)
    }

    /// As [`record`](Self::record), for a result type that `judge` knows how to read.
    pub fn record_as<R>(
        self,
        judge: impl for<'r> FnOnce(&'r R) -> Ending<'r>,
        handler: impl FnOnce() -> R,
    ) -> R {
        let running = self.start();
        match catch_unwind(AssertUnwindSafe(handler)) {
            Ok(result) => {
                running.finish_by(|| judge(&result));
                result
            }
            Err(panic) => {
                running.finish(Ending::crashed());
                resume_unwind(panic)
            }
        }
    }

    /// Awaits `handler` and records how it ended. A panic in it is recorded as `crashed` and goes on; a future
    /// that is dropped before it ends was cancelled and is not recorded.
    ///
    /// The arguments are hashed at once, so the future returned does not borrow them.
    pub fn record_async<R: Answer, F: Future<Output = R>>(
        self,
        handler: F,
    ) -> impl Future<Output = R> + use<R, F> {
        self.record_async_as(R::ending, handler)
    }

    /// As [`record_async`](Self::record_async), for a result type that `judge` knows how to read.
    pub fn record_async_as<R, F: Future<Output = R>, J: for<'r> FnOnce(&'r R) -> Ending<'r>>(
        self,
        judge: J,
        handler: F,
    ) -> impl Future<Output = R> + use<R, F, J> {
        let running = self.start();
        async move {
            match CatchUnwind::new(handler).await {
                Ok(result) => {
                    running.finish_by(|| judge(&result));
                    result
                }
                Err(panic) => {
                    running.finish(Ending::crashed());
                    resume_unwind(panic)
                }
            }
        }
    }

    /// Starts the clock. For frameworks where a call begins in one place and ends in another.
    #[must_use = "a call that is dropped before it is finished counts as cancelled"]
    pub fn start(self) -> RunningCall {
        let started_at = SystemTime::now();
        let state = self.pulse.producer().and_then(|producer| {
            quietly(|| {
                let session = match (producer.sessions, self.conversation) {
                    (Sessions::Conversation, Some(id)) => producer.run()?.conversations.session(id)?,
                    _ => Arc::clone(producer.run()?.session()),
                };
                Some(State {
                    producer: Arc::clone(producer),
                    session,
                    conversation: self.conversation.map(Into::into),
                    client: text::client_name(self.client).as_ref().into(),
                    tool: text::name(self.tool).as_ref().into(),
                    args_hash: quietly(|| self.arguments.hash()).unwrap_or(UNREPRESENTABLE),
                    started_at,
                    // Last, so that our own work is not counted as the handler's.
                    started: Instant::now(),
                })
            })
            .flatten()
        });
        RunningCall { state }
    }
}

/// A call on its way.
#[derive(Debug)]
#[must_use = "a call that is dropped before it is finished counts as cancelled"]
pub struct RunningCall {
    state: Option<State>,
}

/// What is known of a call when it begins.
pub(crate) struct State {
    producer: Arc<Producer>,
    session: Arc<str>,
    conversation: Option<Box<str>>,
    client: Arc<str>,
    tool: Box<str>,
    args_hash: Hash12,
    started_at: SystemTime,
    started: Instant,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl RunningCall {
    /// Records the call.
    pub fn finish(self, ending: Ending<'_>) {
        self.finish_by(|| ending);
    }

    /// Reads the result only after the clock has stopped, and survives what the reading does.
    fn finish_by<'r>(mut self, judge: impl FnOnce() -> Ending<'r>) {
        let Some(state) = self.state.take() else { return };
        let ran = state.started.elapsed();
        let producer = Arc::clone(&state.producer);
        let done = quietly(|| {
            let ending = judge();
            state.push(ran, ending.outcome, ending.measure(), ending.structured());
        });
        if done.is_none() {
            producer.stream().count(|losses| losses.failed += 1);
        }
    }

    /// Records nothing and counts nothing: the call has not ended.
    pub fn forget(mut self) {
        self.state = None;
    }

    /// Takes the call out, to be finished elsewhere.
    #[cfg(feature = "rmcp")]
    pub(crate) fn into_state(mut self) -> Option<State> {
        self.state.take()
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            let _ = quietly(|| state.producer.stream().count(|losses| losses.cancelled += 1));
        }
    }
}

impl State {
    #[cfg(feature = "rmcp")]
    pub(crate) fn producer(&self) -> &Arc<Producer> {
        &self.producer
    }

    #[cfg(feature = "rmcp")]
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Puts the call into the ring, and the verdicts of the agreements it takes part in.
    pub(crate) fn push(self, ran: Duration, outcome: Outcome, measure: Measure, structured: Option<&Value>) {
        let producer = &self.producer;
        let verdicts = match structured.filter(|_| outcome == Outcome::Ok) {
            Some(structured) => producer.run().map_or_else(Vec::new, |run| {
                run.latest.compare(
                    &producer.agreements,
                    run.session(),
                    self.conversation.as_deref(),
                    &self.tool,
                    structured,
                    Instant::now(),
                )
            }),
            None => Vec::new(),
        };
        producer.stream().push(Event::Call(CallEvent {
            session: self.session,
            client: self.client,
            tool: self.tool,
            started_at: self.started_at,
            duration_ms: text::duration_ms(ran),
            outcome,
            response_bytes: measure.units,
            is_empty: outcome == Outcome::Ok && measure.is_empty,
            args_hash: self.args_hash,
        }));
        for verdict in verdicts {
            producer.stream().push(Event::Agreement(verdict));
        }
    }
}

/// A future whose panic is caught, so that it can be recorded before it goes on.
pub(crate) struct CatchUnwind<F> {
    future: Pin<Box<F>>,
}

impl<F> CatchUnwind<F> {
    pub(crate) fn new(future: F) -> Self {
        Self { future: Box::pin(future) }
    }
}

impl<F: Future> Future for CatchUnwind<F> {
    type Output = Result<F::Output, Box<dyn std::any::Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.future.as_mut();
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}
