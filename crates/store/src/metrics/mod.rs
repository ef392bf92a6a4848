//! Every metric, asked of the event store: one definition that REST, the dashboard, MCP and alerts share.
//!
//! The definitions, as numbered rules, are `docs/metrics.md`. An engine supplies counts; whatever is
//! estimated, compared or tested from counts is worked out here, above the engine.

mod agreements;
mod changes;
mod clients;
mod confidence;
mod context;
mod duck;
mod estimate;
mod figures;
mod first_call;
mod ingest;
mod insights;
mod overview;
mod pairs;
pub mod range;
mod sessions;
pub mod snapshot;
pub(crate) mod sql;
mod stats;
mod surfaces;
mod tools;
pub mod types;
mod usage;

use async_trait::async_trait;

use crate::events::EventError;
use crate::id::ServerId;
use snapshot::Snapshots;
use types::{
    AgreementReport, CallPage, CallsPage, ChangeReport, ClientReport, IngestHealth, InsightReport,
    OverlapReport, Overview, PairReport, ProducerReport, Scope, SessionPage, SessionTape, SessionsPage,
    TapePage, ToolDetail, ToolReport,
};

/// Why a question about metrics has no answer.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// An input breaks a rule. Names the field and the rule, never the value.
    #[error("{field}: {rule}")]
    Invalid {
        /// The input's name, as in the query string.
        field: &'static str,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// There is no such tool or session.
    #[error("not found")]
    NotFound,
    /// The event store failed.
    #[error(transparent)]
    Store(#[from] EventError),
}

/// The questions that can be asked about one server.
///
/// Every answer is computed from one consistent state of the store. A server that has sent nothing answers
/// zeros, nulls and empty lists; only `tool` and `session` answer [`MetricsError::NotFound`].
#[async_trait]
pub trait Metrics: Send + Sync + 'static {
    /// The headline figures, against the window before, over time and by client.
    async fn overview(&self, server: ServerId, scope: &Scope) -> Result<Overview, MetricsError>;
    /// Every tool that was called or registered in the range.
    async fn tools(&self, server: ServerId, scope: &Scope) -> Result<ToolReport, MetricsError>;
    /// One tool in full. `scope.tools` is ignored.
    async fn tool(&self, server: ServerId, tool: &str, scope: &Scope) -> Result<ToolDetail, MetricsError>;
    /// Every client that called in the range.
    async fn clients(&self, server: ServerId, scope: &Scope) -> Result<ClientReport, MetricsError>;
    /// By SDK, MCP SDK version, protocol version and transport.
    async fn producers(&self, server: ServerId, scope: &Scope) -> Result<ProducerReport, MetricsError>;
    /// Sessions with a matching call, newest first.
    async fn sessions(
        &self,
        server: ServerId,
        scope: &Scope,
        page: &SessionPage,
    ) -> Result<SessionsPage, MetricsError>;
    /// One session, call by call, whatever the range, tools and clients of `scope`.
    async fn session(
        &self,
        server: ServerId,
        session_id: &str,
        scope: &Scope,
        page: &TapePage,
    ) -> Result<SessionTape, MetricsError>;
    /// Which tool follows which.
    async fn pairs(&self, server: ServerId, scope: &Scope) -> Result<PairReport, MetricsError>;
    /// What needs the owner's attention, most severe first.
    async fn insights(&self, server: ServerId, scope: &Scope) -> Result<InsightReport, MetricsError>;
    /// What changed in the range, and whether it helped.
    async fn changes(&self, server: ServerId, scope: &Scope) -> Result<ChangeReport, MetricsError>;
    /// Tools whose descriptions say the same.
    async fn overlaps(&self, server: ServerId, scope: &Scope) -> Result<OverlapReport, MetricsError>;
    /// Whether tools agreed about declared fields.
    async fn agreements(&self, server: ServerId, scope: &Scope) -> Result<AgreementReport, MetricsError>;
    /// What arrived and what was rejected.
    async fn ingest_health(&self, server: ServerId, scope: &Scope) -> Result<IngestHealth, MetricsError>;
    /// Matching calls by order of arrival.
    async fn calls(
        &self,
        server: ServerId,
        scope: &Scope,
        page: &CallPage,
    ) -> Result<CallsPage, MetricsError>;
}

/// Calls and units stay far below 2^53, so they are exact in a double.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn real(count: u64) -> f64 {
    count as f64
}

/// A share or a mean; `None` when there is nothing to divide by.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| real(part) / real(whole))
}

fn invalid(field: &'static str, rule: &'static str) -> MetricsError {
    MetricsError::Invalid { field, rule }
}

#[async_trait]
impl<E: Snapshots> Metrics for E {
    async fn overview(&self, server: ServerId, scope: &Scope) -> Result<Overview, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| overview::overview(snapshot, &asked)).await
    }

    async fn tools(&self, server: ServerId, scope: &Scope) -> Result<ToolReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| tools::tools(snapshot, &asked)).await
    }

    async fn tool(&self, server: ServerId, tool: &str, scope: &Scope) -> Result<ToolDetail, MetricsError> {
        let asked = Scope { tools: vec![tool.to_owned()], ..scope.clone() };
        let tool = tool.to_owned();
        self.snapshot(server, &asked.clone(), move |snapshot| tools::tool(snapshot, &tool, &asked)).await
    }

    async fn clients(&self, server: ServerId, scope: &Scope) -> Result<ClientReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| clients::clients(snapshot, &asked)).await
    }

    async fn producers(&self, server: ServerId, scope: &Scope) -> Result<ProducerReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| clients::producers(snapshot, &asked)).await
    }

    async fn sessions(
        &self,
        server: ServerId,
        scope: &Scope,
        page: &SessionPage,
    ) -> Result<SessionsPage, MetricsError> {
        let (asked, page) = (scope.clone(), page.clone());
        self.snapshot(server, scope, move |snapshot| sessions::sessions(snapshot, &asked, &page)).await
    }

    async fn session(
        &self,
        server: ServerId,
        session_id: &str,
        scope: &Scope,
        page: &TapePage,
    ) -> Result<SessionTape, MetricsError> {
        let (asked, page, id) = (scope.clone(), *page, session_id.to_owned());
        self.snapshot(server, scope, move |snapshot| sessions::session(snapshot, &id, &asked, &page)).await
    }

    async fn pairs(&self, server: ServerId, scope: &Scope) -> Result<PairReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| pairs::pairs(snapshot, &asked)).await
    }

    async fn insights(&self, server: ServerId, scope: &Scope) -> Result<InsightReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| insights::insights(snapshot, &asked)).await
    }

    async fn changes(&self, server: ServerId, scope: &Scope) -> Result<ChangeReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| changes::changes(snapshot, &asked)).await
    }

    async fn overlaps(&self, server: ServerId, scope: &Scope) -> Result<OverlapReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| surfaces::overlaps(snapshot, &asked)).await
    }

    async fn agreements(&self, server: ServerId, scope: &Scope) -> Result<AgreementReport, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| agreements::agreements(snapshot, &asked)).await
    }

    async fn ingest_health(&self, server: ServerId, scope: &Scope) -> Result<IngestHealth, MetricsError> {
        let asked = scope.clone();
        self.snapshot(server, scope, move |snapshot| ingest::ingest_health(snapshot, &asked)).await
    }

    async fn calls(
        &self,
        server: ServerId,
        scope: &Scope,
        page: &CallPage,
    ) -> Result<CallsPage, MetricsError> {
        let (asked, page) = (scope.clone(), *page);
        self.snapshot(server, scope, move |snapshot| sessions::calls(snapshot, &asked, &page)).await
    }
}
