//! What a check works with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::harness::{Harness, Launch};
use crate::ingest::{Behaviour, Ingest, Seen};
use crate::mcp::{Answer, Link, Protocol, Transport};
use crate::remote::Remote;
use crate::tour::{CLIENT, Tour};
use crate::verdict::{Fault, fail, skip};

/// What is asked of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The harness and its first arguments.
    pub command: Vec<String>,
    /// Checks to make, by number; all when empty.
    pub only: Vec<String>,
    /// Transports to use.
    pub transports: Vec<Transport>,
    /// Checks at a time.
    pub jobs: usize,
    /// How long anything may take before it counts as not happening.
    pub patience: Duration,
    /// Random documents for the property check.
    pub documents: usize,
    /// Seed of the documents.
    pub seed: u64,
    /// A server that runs already, instead of the command.
    pub remote: Option<Remote>,
}

impl Options {
    /// The defaults for a harness.
    #[must_use]
    pub fn new(command: Vec<String>) -> Self {
        Self {
            command,
            only: Vec::new(),
            transports: vec![Transport::Stdio, Transport::Http],
            jobs: 4,
            patience: Duration::from_secs(40),
            documents: 2_000,
            seed: 0x6d63_7075_6c73_6521,
            remote: None,
        }
    }
}

/// Where a tour goes, and the flags of its program.
type Visit = (Link, Vec<String>);
type Cell<T> = Arc<OnceLock<Result<T, Fault>>>;
/// What a twin answered, by where it was asked and by which series of requests.
type Said = HashMap<(Link, &'static str), Cell<Arc<Vec<Answer>>>>;

/// One run of the kit.
pub(crate) struct Kit {
    pub(crate) options: Options,
    /// Planted wherever a customer's data could be.
    pub(crate) canary: String,
    /// The ingest key of this run.
    pub(crate) key: String,
    speaks: Mutex<HashMap<Link, Cell<bool>>>,
    tours: Mutex<HashMap<Visit, Cell<Arc<Tour>>>>,
    twins: Mutex<Said>,
}

impl Kit {
    pub(crate) fn new(options: Options) -> Result<Self, Fault> {
        let (canary, key) = match &options.remote {
            Some(remote) => (remote.canary().to_owned(), remote.key().to_owned()),
            None => (random_canary()?, random_key()?),
        };
        Ok(Self {
            options,
            canary,
            key,
            speaks: Mutex::default(),
            tours: Mutex::default(),
            twins: Mutex::default(),
        })
    }

    /// How to start the harness.
    pub(crate) fn launch(&self, transport: Transport, endpoint: &str, flags: &[&str]) -> Launch {
        let mut all = Vec::new();
        if transport == Transport::Http {
            all.extend(["--transport", "http"]);
            if !flags.contains(&"--on-sigterm") {
                all.extend(["--on-sigterm", "0"]);
            }
        }
        all.extend(flags);
        Launch {
            command: self.options.command.clone(),
            transport,
            flags: all.into_iter().map(str::to_owned).collect(),
            environment: vec![
                ("MCPULSE_KEY", self.key.clone()),
                ("MCPULSE_ENDPOINT", endpoint.to_owned()),
                ("MCPULSE_HARNESS_CANARY", self.canary.clone()),
            ],
            patience: self.options.patience,
        }
    }

    pub(crate) fn patience(&self) -> Duration {
        self.options.patience
    }

    /// Skips what the MCP SDK does not speak. The unwatched twin is asked, so that no producer can hide behind it.
    pub(crate) fn demand(&self, link: Link) -> Result<(), Fault> {
        let speaks = cell(&self.speaks, link).get_or_init(|| self.ask(link)).clone()?;
        if speaks { Ok(()) } else { skip(format!("the MCP SDK does not speak {link}")) }
    }

    /// A watched program that sends to `ingest`.
    pub(crate) fn watched(&self, link: Link, ingest: &Ingest, flags: &[&str]) -> Result<Harness, Fault> {
        match &self.options.remote {
            None => Harness::start(&self.launch(link.transport, &ingest.url(), flags)),
            Some(remote) if flags.is_empty() => Ok(Harness::running(remote.url(), self.patience())),
            Some(_) => skip(format!("the server would have to be started with {}", flags.join(" "))),
        }
    }

    pub(crate) fn ingest(&self) -> Result<Ingest, Fault> {
        match &self.options.remote {
            None => Ok(Ingest::start(Behaviour::Normal)?),
            Some(remote) => Ok(remote.ingest().view()),
        }
    }

    fn ask(&self, link: Link) -> Result<bool, Fault> {
        let twin = match &self.options.remote {
            None => Harness::start(&self.launch(link.transport, "http://127.0.0.1:9", &["--unwatched"]))?,
            Some(remote) => Harness::running(remote.url(), self.patience()),
        };
        let Ok(client) = twin.connect(link, CLIENT) else { return Ok(false) };
        if link.protocol == Protocol::Meta {
            return Ok(client.discover()?.result().is_some());
        }
        if client.list_page(None)?.result().is_none() {
            return fail(format!("the unwatched twin does not list its tools ({link})"));
        }
        Ok(true)
    }

    /// The tour over `link`, made once.
    pub(crate) fn tour(&self, link: Link, flags: &[&str]) -> Result<Arc<Tour>, Fault> {
        self.demand(link)?;
        let key = (link, flags.iter().map(|flag| (*flag).to_owned()).collect());
        cell(&self.tours, key).get_or_init(|| Tour::make(self, link, flags).map(Arc::new)).clone()
    }
}

fn cell<K: std::hash::Hash + Eq, T>(map: &Mutex<HashMap<K, Cell<T>>>, key: K) -> Cell<T> {
    Arc::clone(map.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
}

pub(crate) fn random_canary() -> Result<String, Fault> {
    Ok(format!("Canary{}", random_hex(8)?))
}

pub(crate) fn random_key() -> Result<String, Fault> {
    Ok(format!("mp_live_{}", random_hex(16)?))
}

fn random_hex(bytes: usize) -> Result<String, Fault> {
    let mut random = vec![0; bytes];
    if getrandom::fill(&mut random).is_err() {
        return fail("the system has no random bytes");
    }
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A check being made.
pub(crate) struct Context<'a> {
    pub(crate) kit: &'a Kit,
    pub(crate) link: Link,
}

impl Context<'_> {
    /// A watched program that sends to `ingest`.
    pub(crate) fn watched(&self, ingest: &Ingest, flags: &[&str]) -> Result<Harness, Fault> {
        self.kit.demand(self.link)?;
        self.kit.watched(self.link, ingest, flags)
    }

    /// Its unwatched twin.
    pub(crate) fn twin(&self, flags: &[&str]) -> Result<Harness, Fault> {
        self.kit.demand(self.link)?;
        if self.kit.options.remote.is_some() {
            return skip("there is no unwatched twin beside a server that runs already");
        }
        let mut all = vec!["--unwatched"];
        all.extend(flags);
        Harness::start(&self.kit.launch(self.link.transport, "http://127.0.0.1:9", &all))
    }

    /// What the twin answers when `drive` drives it: asked once, since it answers alike every time.
    pub(crate) fn twin_answers(
        &self,
        series: &'static str,
        drive: impl FnOnce(&Harness) -> Result<Vec<Answer>, Fault>,
    ) -> Result<Arc<Vec<Answer>>, Fault> {
        let ask = || drive(&self.twin(&[])?).map(Arc::new);
        cell(&self.kit.twins, (self.link, series)).get_or_init(ask).clone()
    }

    /// Goes through cases that mostly wait, all at once.
    pub(crate) fn side_by_side<T: Send>(
        &self,
        cases: impl IntoIterator<Item = T>,
        judge: impl Fn(T) -> Result<(), Fault> + Sync,
    ) -> Result<(), Fault> {
        let judge = &judge;
        thread::scope(|scope| {
            let all: Vec<_> = cases.into_iter().map(|case| scope.spawn(move || judge(case))).collect();
            let ended =
                all.into_iter().map(|one| one.join().unwrap_or_else(|_| fail("the kit itself panicked")));
            // All of them end before the first fault is told.
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    }

    pub(crate) fn ingest(&self) -> Result<Ingest, Fault> {
        self.kit.ingest()
    }

    /// Waits until `done`, and fails with what was waited for.
    pub(crate) fn until(
        &self,
        ingest: &Ingest,
        what: &str,
        done: impl FnMut(&Seen<'_>) -> bool,
    ) -> Result<(), Fault> {
        if ingest.until(self.kit.patience(), done) {
            return Ok(());
        }
        let arrived = ingest.arrived();
        let fault = arrived
            .iter()
            .find_map(|one| one.faults.first())
            .map(|fault| format!("; what came broke {fault}"));
        let seconds = self.kit.patience().as_secs();
        fail(format!(
            "waited {seconds} s in vain for {what}; {} requests came{}",
            arrived.len(),
            fault.unwrap_or_default()
        ))
    }

    /// Ends the program and fails unless it ends well.
    pub(crate) fn end(&self, harness: &Harness) -> Result<(), Fault> {
        let ended = harness.end()?;
        if ended.code == Some(0) {
            return Ok(());
        }
        fail(format!("at the end of its input the program ended with {ended:?}"))
    }
}
