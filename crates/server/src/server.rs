//! The listener: connections with bounds on number and time, and an orderly end.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use mcpulse_store::control::ControlStore;
use mcpulse_store::events::EventStore;
use mcpulse_store::export::Exports;
use mcpulse_store::metrics::Metrics;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::app::{App, Shared};
use crate::config::{Config, ConfigError};
use crate::ingest::WRITTEN_EVERY;
use crate::middleware::hosts::LocalAddress;
use crate::retention;

/// The largest head of a request.
const MAX_HEAD: usize = 64 * 1024;
/// How long to wait after the system could not hand over a connection (no descriptors left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Where a server keeps things.
#[derive(Clone)]
pub struct Stores {
    /// What producers send.
    pub events: Arc<dyn EventStore>,
    /// Every metric of it.
    pub metrics: Arc<dyn Metrics>,
    /// Calls and copies that are taken out.
    pub exports: Arc<dyn Exports>,
    /// Who may do what.
    pub control: Arc<dyn ControlStore>,
}

impl Stores {
    /// One engine for events and their metrics, and one for control.
    pub fn new<E: EventStore + Metrics + Exports, C: ControlStore>(events: Arc<E>, control: Arc<C>) -> Self {
        Self { events: events.clone(), metrics: events.clone(), exports: events, control }
    }
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A server that listens and is not yet running.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    url: String,
    app: App,
}

impl Server {
    /// Checks the settings and listens. Connections wait until [`Server::run`].
    ///
    /// # Errors
    /// When a setting cannot be used or the address cannot be listened on.
    pub async fn bind(mut config: Config, stores: Stores) -> Result<Self, BindError> {
        config.check()?;
        let listen = |error| BindError::Listen { address: config.listen, error };
        let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        config.listen = address;
        let url = match config.public()? {
            Some(public) => public.origin,
            None => format!("http://{}", reachable(address)),
        };
        let app = Shared::new(config, stores)?;
        Ok(Self { listener, address, url, app })
    }

    /// The address that is listened on, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where browsers reach the server, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where programs on this machine reach the server, without a slash at the end.
    #[must_use]
    pub fn local_url(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Serves until `stop` is ready. Then requests under way are finished, within the configured time, and the
    /// event store is closed.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, app, .. } = self;
        let config = &app.config;
        let router = crate::router::router(app.clone());
        let slots = Arc::new(Semaphore::new(config.max_connections));
        let graceful = GracefulShutdown::new();
        let (end_counting, ended) = oneshot::channel();
        let counting = tokio::spawn(count_over_limit(app.clone(), ended));
        let retaining = tokio::spawn(retention::run(app.clone(), app.stopping.subscribe()));
        let mut stop = pin!(stop);
        loop {
            let connection = tokio::select! {
                () = &mut stop => break,
                connection = accept(&listener, &slots) => connection,
            };
            let (stream, slot) = connection;
            tokio::spawn(serve(stream, slot, app.clone(), router.clone(), graceful.watcher()));
        }
        drop(listener);
        // Live tails end, so that they are not waited for.
        app.stopping.send_replace(true);
        tracing::info!("stopping: finishing requests under way");
        if tokio::time::timeout(config.shutdown_timeout(), graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not finish in time");
        }
        drop(end_counting);
        // Its last round is over before the very last one.
        let _ = counting.await;
        let _ = retaining.await;
        app.over_limit.write(&app).await;
        if let Err(error) = app.events.close().await {
            tracing::error!(%error, "closing the event store");
        }
    }
}

/// An address for the sign-in link: nobody can open `0.0.0.0`.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}

/// Writes from time to time what was refused over the limits of keys.
async fn count_over_limit(app: App, mut ended: oneshot::Receiver<()>) {
    while tokio::time::timeout(WRITTEN_EVERY, &mut ended).await.is_err() {
        app.over_limit.write(&app).await;
    }
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    let slot = Arc::clone(slots).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, slot),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve(
    stream: TcpStream,
    slot: Option<OwnedSemaphorePermit>,
    app: App,
    router: Router,
    watcher: Watcher,
) {
    let Ok(local) = stream.local_addr() else { return };
    // Answers are written whole; waiting for more to send only delays them. Failing costs only that delay.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(app.config.write_timeout()));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(LocalAddress(local));
        router.clone().oneshot(request.map(Body::new))
    });
    let held = app.telemetry.connection();
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.header_timeout())
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    if let Err(error) = watcher.watch(connection).await {
        // Clients go away in the middle of things all the time.
        tracing::debug!(%error, "connection");
    }
    drop((held, slot));
}
