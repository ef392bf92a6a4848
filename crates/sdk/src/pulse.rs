//! The producer that users hold.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpulse_wire::payload::Policy;

use crate::agreements::Declared;
use crate::debug;
use crate::guard::quietly;
use crate::losses::Losses;
use crate::options::{Options, Resolved, Sessions};
use crate::record::CallRecord;
use crate::stream::{self, Carrier, Destination, Handle, Run, Stream};
use crate::transport::Transport;

/// Records tool calls. Cheap to clone and to make anew: everything that goes to one destination shares one
/// session, one ring and one thread.
#[derive(Clone)]
pub struct Mcpulse {
    producer: Option<Arc<Producer>>,
}

/// A stream, and how this part of the host wants it used.
pub(crate) struct Producer {
    handle: Arc<Handle>,
    pub(crate) policies: BTreeMap<String, Policy>,
    pub(crate) agreements: Declared,
    pub(crate) sessions: Sessions,
}

impl Producer {
    pub(crate) fn stream(&self) -> &Arc<Stream> {
        self.handle.stream()
    }

    pub(crate) fn run(&self) -> Option<&Run> {
        self.stream().run()
    }

    /// Says why something was not sent, when `debug` asks for it.
    #[cfg_attr(not(feature = "rmcp"), expect(dead_code, reason = "only adapters have such reasons"))]
    pub(crate) fn debug(&self, text: impl FnOnce() -> String) {
        if self.stream().debugs() {
            debug::line(&text());
        }
    }
}

impl Mcpulse {
    /// A producer that sends over HTTP. Never fails: what cannot work is off, and `debug` says why.
    #[must_use]
    pub fn new(options: Options) -> Self {
        #[cfg(feature = "http")]
        let carrier = Some(Carrier::Http);
        #[cfg(not(feature = "http"))]
        let carrier = None;
        Self::open(options, carrier)
    }

    /// A producer that sends through `transport`. Producers with the same transport and destination share a
    /// session.
    #[must_use]
    pub fn with_transport(options: Options, transport: Arc<dyn Transport>) -> Self {
        Self::open(options, Some(Carrier::Custom(transport)))
    }

    /// A producer that does nothing.
    #[must_use]
    pub fn off() -> Self {
        Self { producer: None }
    }

    fn open(options: Options, carrier: Option<Carrier>) -> Self {
        let producer = quietly(|| {
            let resolved = options.resolve();
            let debug = resolved.debug;
            let producer = Self::attach(resolved, carrier);
            match producer {
                Ok(producer) => Some(Arc::new(producer)),
                Err(reason) => {
                    if debug {
                        debug::line(&format!("off: {reason}"));
                    }
                    None
                }
            }
        });
        Self { producer: producer.flatten() }
    }

    fn attach(resolved: Resolved, carrier: Option<Carrier>) -> Result<Producer, &'static str> {
        if let Some(reason) = resolved.off {
            return Err(reason);
        }
        let carrier = carrier.ok_or("built without the feature `http` and given no transport")?;
        let destination = Destination { endpoint: resolved.endpoint, key: resolved.key };
        let handle = stream::open(destination, carrier).ok_or("the system gives no random bytes")?;
        handle.stream().set_debug(resolved.debug);
        if resolved.debug {
            resolved.complaints.iter().for_each(|complaint| debug::line(complaint));
        }
        Ok(Producer {
            handle,
            policies: resolved.policies,
            agreements: Declared::new(resolved.agreements),
            sessions: resolved.sessions,
        })
    }

    pub(crate) fn producer(&self) -> Option<&Arc<Producer>> {
        self.producer.as_ref()
    }

    /// Whether anything is recorded.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.producer.is_some()
    }

    /// The id of this process's session with this destination.
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        Some(self.producer()?.run()?.session().as_ref().to_owned())
    }

    /// Begins the record of a call of `tool`.
    pub fn call<'a>(&'a self, tool: &'a str) -> CallRecord<'a> {
        CallRecord::new(self, tool)
    }

    /// Sends what has been recorded and waits for the answer, at most `timeout`. True when nothing is left.
    ///
    /// The end of the process flushes by itself (at most 1 s), so this is for tests, and for processes that
    /// are stopped by a signal.
    pub fn flush(&self, timeout: Duration) -> bool {
        let Some(producer) = self.producer() else { return true };
        let now = Instant::now();
        // A sum past the clock's range means "as long as it takes".
        let deadline = now.checked_add(timeout).unwrap_or(now + Duration::from_secs(86_400));
        quietly(|| producer.stream().flush(deadline)).unwrap_or(false)
    }

    /// What was recorded, sent and lost so far.
    #[must_use]
    pub fn losses(&self) -> Losses {
        self.producer().map(|producer| producer.stream().losses()).unwrap_or_default()
    }
}

impl Default for Mcpulse {
    /// [`Self::new`] with the options of the environment.
    fn default() -> Self {
        Self::new(Options::new())
    }
}

impl fmt::Debug for Mcpulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcpulse").field("on", &self.is_on()).finish_non_exhaustive()
    }
}
