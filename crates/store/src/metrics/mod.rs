//! Every metric, asked of the event store: one definition that REST, the dashboard, MCP and alerts share.
//!
//! The definitions, as numbered rules, are `docs/metrics.md`. An engine supplies counts; whatever is
//! estimated, compared or tested from counts is worked out here, above the engine.

pub mod range;
pub mod types;

use async_trait::async_trait;

use crate::events::EventError;
use crate::id::ServerId;
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
