//! What is asked and what is answered, free of any engine.
//!
//! Shares are between 0 and 1 and `null` when nothing was there to be shared. Times are milliseconds since
//! 1970-01-01T00:00:00Z. Sizes are UTF-16 units; tokens are units ÷ 4; money is US dollars.

mod agreements;
mod calls;
mod changes;
mod clients;
mod confidence;
mod figures;
mod ingest;
mod insights;
mod overview;
mod pairs;
mod scope;
mod sessions;
mod tools;

pub use agreements::{AgreementReport, AgreementRow, Overlap, OverlapReport};
pub use calls::{CallPage, CallRow, CallsPage, LinkKind, TapeCall};
pub use changes::{
    Change, ChangeKind, ChangeReport, Comparison, ImpactSide, ProducerVersion, Renamed, SurfaceSummary,
    ToolImpact, Verdict,
};
pub use clients::{ClientReport, ClientRow, ProducerConfidence, ProducerReport, ProducerRow, ToolOfClient};
pub use confidence::Confidence;
pub use figures::{Figures, FirstCall, Interval, Latency, Outcomes, Response};
pub use ingest::{AcceptedDay, IngestHealth, RejectedRow, Usage, UsageDay};
pub use insights::{Insight, InsightKind, InsightReport, Severity};
pub use overview::{Overview, Point, SessionCost};
pub use pairs::{Pair, PairReport};
pub use scope::{Range, Scope};
pub use sessions::{
    SessionCursor, SessionPage, SessionRow, SessionStartup, SessionTape, SessionsPage, TapeCursor, TapePage,
};
pub use tools::{ClientOfTool, HistogramBin, ToolDetail, ToolReport, ToolRow, ToolStatus};

/// The outcome of a call, in the spelling of the wire.
pub use mcpulse_wire::payload::Outcome;

/// The schema of [`Outcome`], which `mcpulse-wire` does not describe itself.
#[derive(utoipa::ToSchema)]
#[schema(as = Outcome, rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
pub enum OutcomeSchema {
    /// The author's handler returned a result without `isError`.
    Ok,
    /// The handler never ran: validation or binding failed, or there is no such tool.
    BadArgs,
    /// The handler returned `isError: true`, or raised the MCP SDK's deliberate tool error.
    ToolError,
    /// Anything else escaped the handler, or the MCP SDK rejected its result.
    Crashed,
}
