//! An ingest that keeps every byte and can behave as badly as networks and servers do.

mod record;
mod serve;

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcpulse_wire::hash::args_hash_raw;
use mcpulse_wire::payload::{Agreement, Call, Payload, Startup};

pub(crate) use record::{Arrived, Given};

/// Arguments of calls that are made only so that a batch is due.
pub(crate) const FILLING: &str = r#"{"filling":true}"#;

/// How the ingest treats requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// 202 for everything.
    Normal,
    /// Takes the request and never answers, until the behaviour changes.
    Hold,
    /// 202 after a while.
    Slow(Duration),
    /// This status, with `Retry-After` if there is one.
    Status(u16, Option<String>),
    /// A redirect to this URL.
    Redirect(String),
    /// Bytes that are no HTTP.
    Garbage,
    /// 200 and a body that is not what an ingest says.
    Lying,
    /// Stores the batch and closes the connection in the middle of the answer.
    CutAnswer,
    /// Stores the batch and closes the connection without an answer.
    NoAnswer,
}

#[derive(Debug, Default)]
struct State {
    behaviour: Option<Behaviour>,
    arrived: Vec<Arrived>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    stop: AtomicBool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running ingest.
#[derive(Debug)]
pub(crate) struct Ingest {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Requests before this one belong to other checks.
    from: usize,
    /// What it was part of goes on when it is dropped.
    is_view: bool,
}

impl Ingest {
    pub(crate) fn start(behaviour: Behaviour) -> io::Result<Self> {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into(), behaviour)
    }

    pub(crate) fn start_at(address: SocketAddr, behaviour: Behaviour) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        shared.lock().behaviour = Some(behaviour);
        serve::spawn(listener, &shared);
        Ok(Self { address, shared, from: 0, is_view: false })
    }

    /// The same ingest, for one check: what has arrived before is another's.
    pub(crate) fn view(&self) -> Self {
        let from = self.shared.lock().arrived.len();
        Self { address: self.address, shared: Arc::clone(&self.shared), from, is_view: true }
    }

    /// An address where nobody listens until [`Ingest::come_back`].
    pub(crate) fn dead() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        Ok(Self { address: listener.local_addr()?, shared: Arc::default(), from: 0, is_view: false })
    }

    /// Listens where nobody did.
    pub(crate) fn come_back(&self) -> io::Result<()> {
        self.behave(Behaviour::Normal);
        serve::spawn(TcpListener::bind(self.address)?, &self.shared);
        Ok(())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the behaviour, for requests that are held too.
    pub(crate) fn behave(&self, behaviour: Behaviour) {
        self.shared.lock().behaviour = Some(behaviour);
        self.shared.changed.notify_all();
    }

    /// Waits until what has arrived satisfies `done`. False when `patience` ran out.
    pub(crate) fn until(&self, patience: Duration, mut done: impl FnMut(&Seen<'_>) -> bool) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        loop {
            if done(&Seen(self.mine(&state))) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Everything that has arrived.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.mine(&self.shared.lock()).to_vec()
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        Seen(self.mine(&self.shared.lock())).calls()
    }

    pub(crate) fn startups(&self) -> Vec<Startup> {
        Seen(self.mine(&self.shared.lock())).startups()
    }

    /// Those of other checks too: a session sends a surface once.
    pub(crate) fn all_startups(&self) -> Vec<Startup> {
        Seen(&self.shared.lock().arrived).startups()
    }

    pub(crate) fn agreements(&self) -> Vec<Agreement> {
        Seen(self.mine(&self.shared.lock())).agreements()
    }

    fn mine<'a>(&self, state: &'a State) -> &'a [Arrived] {
        state.arrived.get(self.from..).unwrap_or_default()
    }
}

impl Drop for Ingest {
    fn drop(&mut self) {
        if self.is_view {
            return;
        }
        self.shared.stop.store(true, Ordering::Release);
        self.shared.changed.notify_all();
        // Wakes the listener, so that its thread ends.
        let _ = std::net::TcpStream::connect_timeout(&self.address, Duration::from_millis(200));
    }
}

/// What has arrived, seen while nothing more can.
pub(crate) struct Seen<'a>(pub(crate) &'a [Arrived]);

impl Seen<'_> {
    /// How many requests have been given what there was to give.
    pub(crate) fn answered(&self) -> usize {
        self.0.iter().filter(|arrived| arrived.answered.is_some()).count()
    }

    /// What an ingest would have stored: each idempotency key once.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Payload> {
        let mut keys = HashSet::new();
        self.0
            .iter()
            .filter(|arrived| arrived.given.stores())
            .filter(move |arrived| keys.insert(arrived.idempotency_key().to_owned()))
            .flat_map(|arrived| &arrived.payloads)
    }

    /// Those that are more than filling.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let filling = args_hash_raw(Some(FILLING.as_bytes()));
        let call = |payload: &Payload| match payload {
            Payload::Call(call) if call.args_hash != filling => Some(call.clone()),
            _ => None,
        };
        self.stored().filter_map(call).collect()
    }

    pub(crate) fn startups(&self) -> Vec<Startup> {
        let startup =
            |payload: &Payload| if let Payload::Startup(one) = payload { Some(one.clone()) } else { None };
        self.stored().filter_map(startup).collect()
    }

    pub(crate) fn agreements(&self) -> Vec<Agreement> {
        let verdict =
            |payload: &Payload| if let Payload::Agreement(one) = payload { Some(one.clone()) } else { None };
        self.stored().filter_map(verdict).collect()
    }
}
