//! What every handler shares.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use mcpulse_store::control::ControlStore;
use mcpulse_store::events::EventStore;
use mcpulse_store::export::Exports;
use mcpulse_store::metrics::Metrics;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::auth::Cookies;
use crate::config::{Config, ConfigError};
use crate::ingest::{KeyLimits, OverLimit};
use crate::live::Hub;
use crate::middleware::hosts::Hosts;
use crate::problem::Problem;
use crate::retention;
use crate::server::Stores;
use crate::telemetry::Telemetry;

/// How long a request waits for its turn before it is told to come back.
const TURN: Duration = Duration::from_secs(2);

/// The state of the server, shared by all requests.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) events: Arc<dyn EventStore>,
    pub(crate) metrics: Arc<dyn Metrics>,
    pub(crate) control: Arc<dyn ControlStore>,
    pub(crate) exports: Arc<dyn Exports>,
    pub(crate) hosts: Hosts,
    pub(crate) cookies: Cookies,
    pub(crate) limits: KeyLimits,
    pub(crate) over_limit: OverLimit,
    pub(crate) telemetry: Telemetry,
    pub(crate) live: Hub,
    pub(crate) retention: retention::Changed,
    /// True from the moment that the server is asked to stop.
    pub(crate) stopping: watch::Sender<bool>,
    requests: Arc<Semaphore>,
    ingest_kib: Arc<Semaphore>,
}

/// A handle on the state, cheap to clone.
pub(crate) type App = Arc<Shared>;

impl Shared {
    pub(crate) fn new(config: Config, stores: Stores) -> Result<App, ConfigError> {
        config.check()?;
        let public = config.public()?;
        Ok(Arc::new(Self {
            hosts: Hosts::new(&config, public.as_ref()),
            cookies: Cookies::new(&config, public.as_ref()),
            limits: KeyLimits::default(),
            over_limit: OverLimit::default(),
            telemetry: Telemetry::new(),
            // Starts of a program are further apart than a millisecond.
            live: Hub::new(now_ms().unsigned_abs()),
            retention: retention::Changed::default(),
            stopping: watch::Sender::new(false),
            requests: Arc::new(Semaphore::new(config.max_requests)),
            ingest_kib: Arc::new(Semaphore::new(config.max_ingest_mib as usize * 1024)),
            config,
            events: stores.events,
            metrics: stores.metrics,
            control: stores.control,
            exports: stores.exports,
        }))
    }

    /// A turn for one request; held until it is answered.
    pub(crate) async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        wait(Arc::clone(&self.requests), 1).await
    }

    /// Room for a body of that many bytes; held until the body is stored.
    pub(crate) async fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let kib = u32::try_from(bytes.div_ceil(1024).max(1)).unwrap_or(u32::MAX);
        wait(Arc::clone(&self.ingest_kib), kib).await
    }
}

async fn wait(semaphore: Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, Problem> {
    match tokio::time::timeout(TURN, semaphore.acquire_many_owned(permits)).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => {
            Err(Problem::unavailable().detail("the server is busy").retry_after(TURN.as_secs()))
        }
    }
}

/// The server's clock, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}
