//! The stream of one watcher.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use futures_util::{Stream, stream};
use mcpulse_store::control::ControlStore;
use mcpulse_store::events::{EventError, Rejected};
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::MetricsError;
use mcpulse_store::metrics::types::{CallPage, Range, Scope};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};
use utoipa::ToSchema;

use super::hub::{Arrived, Watcher};
use super::id::LastSeen;
use crate::app::{App, now_ms};
use crate::auth::{Need, Principal, Via};
use crate::problem::Problem;

/// Calls are read at most this often: what arrives in between comes together.
const PACE: Duration = Duration::from_millis(200);
/// Calls that are read at once.
const PAGE: u32 = 500;
/// Arrivals that a watcher may be behind; beyond it is told how many it missed.
const MAX_BEHIND: u64 = 10_000;
/// How often it is looked whether the watcher may still watch; a word is sent that often too.
const LOOK: Duration = Duration::from_secs(5);

/// Which tails are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tails {
    pub(crate) calls: bool,
    pub(crate) ingest_health: bool,
}

/// One ingest request: what was stored, and which payloads were not.
#[derive(Serialize, ToSchema)]
pub(crate) struct IngestEvent {
    /// When it arrived, milliseconds since 1970.
    received_ms: i64,
    /// The key it came by.
    key_id: String,
    /// From `User-Agent`; `other` when it is not a MCPulse producer.
    producer: String,
    /// Calls stored.
    calls: u32,
    /// Startups stored.
    startups: u32,
    /// Agreements stored.
    agreements: u32,
    /// Payloads rejected.
    rejected: u32,
    /// The first 20 rejected payloads: where and by which rule, never what they held.
    #[schema(max_items = 20)]
    rejections: Vec<Rejected>,
    /// Milliseconds from the end of the newest call to its arrival: up to some seconds is usual, as producers send in
    /// batches. Less than 0: the producer's clock is ahead of the server's. `null` without calls.
    lag_ms: Option<i64>,
}

impl From<&Arrived> for IngestEvent {
    fn from(arrived: &Arrived) -> Self {
        Self {
            received_ms: arrived.received_ms,
            key_id: arrived.key.to_string(),
            producer: arrived.producer.clone(),
            calls: arrived.calls,
            startups: arrived.startups,
            agreements: arrived.agreements,
            rejected: arrived.rejected_count,
            rejections: arrived.rejected.clone(),
            lag_ms: arrived.lag_ms,
        }
    }
}

/// What a watcher was too slow, or too late, to be told one by one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Missed {
    /// Arrivals (of any client and tool) that are left out of the tail of calls.
    arrivals: u64,
    /// Ingest requests that are left out. `null` when their number is not known: the server was started anew.
    requests: Option<u64>,
}

/// Why a watcher goes on.
enum Woken {
    Arrival,
    Pace,
    Look,
    End,
}

/// What one watcher watches.
pub(crate) struct Watching {
    app: App,
    principal: Principal,
    server: ServerId,
    tails: Tails,
    tools: Vec<String>,
    clients: Vec<String>,
    watcher: Watcher,
    stopping: watch::Receiver<bool>,
    seq: u64,
    number: u64,
    ready: VecDeque<Event>,
    look: tokio::time::Interval,
    next_read: Instant,
    /// Whether there is more to be read than was.
    behind: bool,
}

/// Begins to watch, after what was seen before or from now on.
pub(crate) async fn stream(
    app: App,
    principal: Principal,
    server: ServerId,
    tails: Tails,
    filters: (Vec<String>, Vec<String>),
    last: Option<LastSeen>,
) -> Result<impl Stream<Item = Result<Event, Infallible>>, Problem> {
    let watcher = app.live.watch(server).ok_or_else(|| {
        Problem::unavailable().detail("too many live tails are open").retry_after(LOOK.as_secs())
    })?;
    let stopping = app.stopping.subscribe();
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    look.reset();
    let (tools, clients) = filters;
    let number = watcher.number;
    let mut watching = Watching {
        app,
        principal,
        server,
        tails,
        tools,
        clients,
        watcher,
        stopping,
        seq: 0,
        number,
        ready: VecDeque::new(),
        look,
        next_read: Instant::now(),
        behind: true,
    };
    watching.begin(last).await?;
    Ok(stream::unfold(watching, |mut watching| async move {
        let event = watching.next().await?;
        Some((Ok(event), watching))
    }))
}

impl Watching {
    /// Finds the place to go on from.
    async fn begin(&mut self, last: Option<LastSeen>) -> Result<(), Problem> {
        let newest = if self.tails.calls { self.newest().await? } else { 0 };
        let (seq, batch) = last.map_or((None, None), |last| (last.seq, last.batch));
        // An id from the future is of another store: a backup was restored.
        self.seq = seq.unwrap_or(newest).min(newest);
        let mut missed = Missed { arrivals: 0, requests: Some(0) };
        if newest - self.seq > MAX_BEHIND {
            missed.arrivals = newest - MAX_BEHIND - self.seq;
            self.seq = newest - MAX_BEHIND;
        }
        match batch.filter(|_| self.tails.ingest_health) {
            Some((run, number)) if run == self.app.live.run() => self.number = number.min(self.number),
            Some(_) => missed.requests = None,
            None => {}
        }
        // Says where the watcher is, so that it can come back before anything has arrived.
        self.ready.push_back(
            Event::default().id(self.id()).event("ready").data("{}").retry(Duration::from_secs(2)),
        );
        if missed.arrivals > 0 || missed.requests.is_none() {
            self.say("missed", &missed);
        }
        Ok(())
    }

    /// The newest call's place in the order of arrival.
    async fn newest(&self) -> Result<u64, Problem> {
        let page = CallPage::Before { seq: None, limit: 1 };
        let newest = self.app.metrics.calls(self.server, &self.scope(true), &page).await?;
        Ok(newest.calls.first().map_or(0, |call| call.seq))
    }

    fn scope(&self, all: bool) -> Scope {
        // Whenever they started.
        let range = Range { from_ms: i64::MIN, to_ms: i64::MAX };
        let names = |names: &Vec<String>| if all { Vec::new() } else { names.clone() };
        Scope {
            range,
            edges: vec![range.from_ms, range.to_ms],
            tools: names(&self.tools),
            clients: names(&self.clients),
            now_ms: now_ms(),
            modes: BTreeMap::new(),
            usd_per_million_tokens: 0.0,
        }
    }

    /// The next event. `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.behind && Instant::now() >= self.next_read {
                self.next_read = Instant::now() + PACE;
                self.behind = false;
                if let Err(problem) = self.read().await {
                    tracing::debug!(status = %problem.status(), "a live tail ends");
                    return None;
                }
                continue;
            }
            match self.wait().await {
                Woken::Arrival => self.behind = true,
                Woken::Pace => {}
                Woken::Look if self.may_watch().await => {
                    // Keeps the connection alive, and finds out whether anybody is there.
                    return Some(Event::default().comment("still here").id(self.id()));
                }
                Woken::Look | Woken::End => return None,
            }
        }
    }

    async fn wait(&mut self) -> Woken {
        tokio::select! {
            _ = self.stopping.wait_for(|stopping| *stopping) => Woken::End,
            changed = self.watcher.changed.changed(), if !self.behind => match changed {
                Ok(()) => Woken::Arrival,
                // The server was deleted.
                Err(_) => Woken::End,
            },
            () = tokio::time::sleep_until(self.next_read), if self.behind => Woken::Pace,
            _ = self.look.tick() => Woken::Look,
        }
    }

    /// Makes events of what arrived.
    async fn read(&mut self) -> Result<(), Problem> {
        if self.tails.ingest_health {
            let (missed, batches) = self.app.live.after(self.server, self.number);
            if missed > 0 {
                self.number += missed;
                self.say("missed", &Missed { arrivals: 0, requests: Some(missed) });
            }
            for batch in batches {
                self.number += 1;
                self.say("ingest", &IngestEvent::from(&*batch));
            }
        }
        if self.tails.calls {
            let filtered = !(self.tools.is_empty() && self.clients.is_empty());
            let newest = if filtered { self.newest().await? } else { 0 };
            let page = CallPage::After { seq: self.seq, limit: PAGE };
            let answer = self.app.metrics.calls(self.server, &self.scope(false), &page).await;
            let calls = match answer {
                Ok(calls) => calls,
                // It may be busy; what was not read is read the next time.
                Err(MetricsError::Store(EventError::Unavailable(_) | EventError::Engine(_))) => {
                    self.behind = true;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            };
            self.behind |= calls.next.is_some();
            let caught_up = calls.next.is_none();
            for call in calls.calls {
                self.seq = call.seq;
                self.say("call", &call);
            }
            // What the filters leave out is behind it too.
            if caught_up {
                self.seq = self.seq.max(newest);
            }
        }
        Ok(())
    }

    fn say(&mut self, name: &str, data: &impl Serialize) {
        let event = Event::default().event(name).id(self.id());
        match event.json_data(data) {
            Ok(event) => self.ready.push_back(event),
            Err(error) => tracing::error!(%error, "an event of a live tail"),
        }
    }

    fn id(&self) -> String {
        LastSeen {
            seq: self.tails.calls.then_some(self.seq),
            batch: self.tails.ingest_health.then(|| (self.app.live.run(), self.number)),
        }
        .to_string()
    }

    /// Whether the credential is still taken, and the server still in reach.
    async fn may_watch(&self) -> bool {
        let control: &dyn ControlStore = &*self.app.control;
        let open = match self.principal.via {
            Via::Cookie(login) => control.login_is_open(login, now_ms()).await,
            Via::Token(token) => control.token_is_open(token, now_ms()).await,
        };
        let Ok(memberships) = control.memberships(self.principal.user.id).await else { return false };
        let mut principal = self.principal.clone();
        principal
            .memberships
            .retain(|known| memberships.iter().any(|now| now.account.id == known.account.id));
        let server = principal.server(control, &self.server.to_string(), Need::READ).await;
        matches!(open, Ok(true)) && server.is_ok()
    }
}
