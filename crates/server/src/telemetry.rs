//! What `/metrics` shows, in the Prometheus text format. Labels never hold names that came from outside.

use std::time::Duration;

use http::{Method, StatusCode};
use mcpulse_store::events::Rejected;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper edges in seconds: a group commit takes milliseconds, a query over years may take seconds.
const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Rule {
    rule: String,
}

/// Why a whole ingest request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refusal {
    status: u16,
}

type Durations = Family<Route, Histogram, fn() -> Histogram>;

/// One more on a gauge until it is dropped, also when the future that holds it is.
pub(crate) struct Held(Gauge);

impl Held {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The counters of one server.
pub(crate) struct Telemetry {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Durations,
    accepted: Counter,
    replayed: Counter,
    rejected: Family<Rule, Counter>,
    refused: Family<Refusal, Counter>,
    connections: Gauge,
    waiting: Gauge,
}

impl Telemetry {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("mcpulse");
        let requests = Family::<Request, Counter>::default();
        let durations: Durations = Family::new_with_constructor(|| Histogram::new(SECONDS));
        let (accepted, replayed) = (Counter::default(), Counter::default());
        let rejected = Family::<Rule, Counter>::default();
        let refused = Family::<Refusal, Counter>::default();
        let (connections, waiting) = (Gauge::default(), Gauge::default());

        registry.register("http_requests", "Answers sent", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "From the head of a request to the head of its answer",
            Unit::Seconds,
            durations.clone(),
        );
        registry.register("http_connections", "Connections held now", connections.clone());
        registry.register("ingest_payloads_accepted", "Payloads stored", accepted.clone());
        registry.register(
            "ingest_payloads_replayed",
            "Payloads whose idempotency key was answered as before",
            replayed.clone(),
        );
        registry.register("ingest_payloads_rejected", "Payloads rejected, by rule", rejected.clone());
        registry.register("ingest_batches_refused", "Batches refused whole, by status", refused.clone());
        registry.register(
            "ingest_batches_waiting",
            "Batches that wait for their commit now",
            waiting.clone(),
        );

        Self { registry, requests, durations, accepted, replayed, rejected, refused, connections, waiting }
    }

    /// Counts one answer. `route` is the pattern, never the path.
    pub(crate) fn answered(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        // Any token is a method to HTTP: only the usual ones get a series of their own.
        let method = match method.as_str() {
            known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
            _ => "other",
        };
        let labels = Request { method: method.to_owned(), route: route.to_owned(), status: status.as_u16() };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// Counts payloads that were stored.
    pub(crate) fn accepted(&self, payloads: u64) {
        self.accepted.inc_by(payloads);
    }

    /// Counts payloads whose batch had been answered before.
    pub(crate) fn replayed(&self, payloads: u64) {
        self.replayed.inc_by(payloads);
    }

    /// Counts rejected payloads.
    pub(crate) fn rejected(&self, rejected: &[Rejected]) {
        for one in rejected {
            self.rejected.get_or_create(&Rule { rule: one.rule.clone() }).inc();
        }
    }

    /// Counts a batch refused whole.
    pub(crate) fn refused(&self, status: StatusCode) {
        self.refused.get_or_create(&Refusal { status: status.as_u16() }).inc();
    }

    /// Counts a connection for as long as the guard lives.
    pub(crate) fn connection(&self) -> Held {
        Held::new(&self.connections)
    }

    /// Counts a batch that waits for its commit for as long as the guard lives.
    pub(crate) fn waiting(&self) -> Held {
        Held::new(&self.waiting)
    }

    /// Everything, in the text format.
    pub(crate) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
