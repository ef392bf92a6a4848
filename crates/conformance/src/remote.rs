//! A server that runs already: driven over HTTP, its producer sending to an ingest of the kit's at an address that
//! was known before the server was started.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::checks::Check;
use crate::harness::pause;
use crate::ingest::{Behaviour, Ingest};
use crate::kit::{random_canary, random_key};
use crate::mcp::{Link, Protocol};

/// How often a server that is not there yet is looked for.
const TICK: Duration = Duration::from_millis(200);

/// Checks that need nothing but a running server. They are made one after the other, in this order: the tour, which
/// lets the list of tools grow, comes last.
const MADE: &[&str] = &[
    "K-201", "K-206", "K-207", "K-208", "K-209", "K-214", "K-301", "K-302", "K-303", "K-910", "K-923",
    "K-202", "K-203", "K-204", "K-205", "K-501", "K-503", "K-601", "K-602", "K-603", "K-605", "K-921",
    "K-922", "K-210",
];

/// A running server and the ingest that its producer sends to.
#[derive(Clone, Debug)]
pub struct Remote {
    url: String,
    key: String,
    canary: String,
    ingest: Arc<Ingest>,
}

impl Remote {
    /// Begins to listen at `address` for what a server's producer sends with `key`, or with a new one.
    ///
    /// # Errors
    /// When nothing can listen there, or the system has no random bytes.
    pub fn listen(address: SocketAddr, key: Option<String>) -> io::Result<Self> {
        let none = || io::Error::other("the system has no random bytes");
        Ok(Self {
            url: String::new(),
            key: key.or_else(|| random_key().ok()).ok_or_else(none)?,
            canary: random_canary().map_err(|_| none())?,
            ingest: Arc::new(Ingest::start_at(address, Behaviour::Normal)?),
        })
    }

    /// Says where the server is.
    #[must_use]
    pub fn serving(self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self }
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the server's producer must be given, as environment variables.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, String); 3] {
        [
            ("MCPULSE_ENDPOINT", self.ingest.url()),
            ("MCPULSE_KEY", self.key.clone()),
            ("MCPULSE_HARNESS_CANARY", self.canary.clone()),
        ]
    }

    /// Waits until something listens at the URL. False when `patience` ran out.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let rest = self.url.strip_prefix("http://").unwrap_or(&self.url);
        let authority = rest.split('/').next().unwrap_or_default();
        let is_there = || {
            let addresses = authority.to_socket_addrs().into_iter().flatten();
            addresses.into_iter().any(|address| TcpStream::connect_timeout(&address, TICK).is_ok())
        };
        loop {
            if is_there() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            pause(TICK);
        }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn canary(&self) -> &str {
        &self.canary
    }

    pub(crate) fn ingest(&self) -> &Ingest {
        &self.ingest
    }
}

/// The place of a check among those that are made; `None` for one that is not.
pub(crate) fn place(check: &Check) -> Option<usize> {
    MADE.iter().position(|id| *id == check.id)
}

/// Why a check is not made with a running server, if it is not.
pub(crate) fn reason(check: &Check, link: Option<Link>) -> Option<&'static str> {
    const STARTED_SO: &str =
        "the kit would have to start the program itself, with other flags or more than once";
    if place(check).is_some() {
        let startups = check.id.starts_with("K-6");
        return (startups && link.is_some_and(|link| link.protocol == Protocol::Meta))
            .then_some("a session sends its startup once: over 2025-11-25");
    }
    Some(match check.id.get(..3) {
        Some("K-1") => "the program's mode `fixtures` takes lines on standard input",
        Some("K-4") => "there is no unwatched twin beside a server that runs already",
        Some("K-7") => {
            "the kit would have to start the program itself, with an ingest that fails from the beginning"
        }
        Some("K-9") if check.id.starts_with("K-90") => "the server is not the kit's to end",
        _ => STARTED_SO,
    })
}
