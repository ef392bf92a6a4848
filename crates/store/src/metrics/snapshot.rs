//! What an engine has to supply: counts, from one state of one server's store.
//!
//! Everything above (estimates, tests, comparisons, layout of answers) is written once against [`Snapshot`].

mod rows;

use async_trait::async_trait;

pub use self::rows::{
    AcceptedCount, Arrivals, By, ErrorCount, Evidence, FirstCallTally, Key, PairCount, ProducerKey,
    RegisteredTool, RejectedCount, RunLength, RunShape, SeenBefore, SessionCounts, SessionSchemas,
    SessionSpan, Slice, SurfaceInUse, SurfaceSeen, SurfaceTool, Tally, TapeRow, VerdictCount, VersionKey,
    VersionSeen,
};
use super::MetricsError;
use super::types::{CallPage, CallRow, Range, Scope, SessionPage, SessionStartup, TapePage};
use crate::events::EventError;
use crate::id::ServerId;

type Result<T> = std::result::Result<T, EventError>;

/// One state of one server's store, with the filters of one scope.
///
/// Rows come in no particular order unless said so. Definitions: `docs/metrics.md`.
pub trait Snapshot {
    /// Counts of calls (3.2). By point, the number of sessions is of those that begin in it.
    fn tallies(&self, slice: Slice, by: By) -> Result<Vec<Tally>>;
    /// The same without percentiles and numbers of sessions.
    fn counts(&self, slice: Slice, by: By) -> Result<Vec<Tally>>;
    /// Counts for first-call figures (4.2), in parts to be added up: split by tool as well where that makes a
    /// difference, and the calls with a follow-up behind them in rows of their own.
    fn first_calls(&self, slice: Slice, by: By) -> Result<Vec<FirstCallTally>>;
    /// The data of the fit (4.6), of all tools and clients.
    fn run_lengths(&self, range: Range) -> Result<Vec<RunLength>>;
    /// Sessions dated in each point of the series (3.7), as position and count.
    fn sessions_started(&self, slice: Slice) -> Result<Vec<(usize, u64)>>;
    /// The tool lists of sessions (3.8).
    fn session_schemas(&self, slice: Slice) -> Result<SessionSchemas>;
    /// Sessions with a matching call but no startup (7.4).
    fn sessions_without_startup(&self, slice: Slice) -> Result<u64>;
    /// Arrivals on the days a range touches, and ever (7.2, 7.3).
    fn arrivals(&self, range: Range) -> Result<Arrivals>;
    /// Calls by bin of their duration: position of the bin's lower edge in `edges`, and count (3.5). Edges are among
    /// those of 3.5.
    fn durations(&self, slice: Slice, edges: &[u32]) -> Result<Vec<(usize, u64)>>;
    /// Pairs (6.4), most first, then by names; at most `limit`. The filter by tools lets a pair through by either.
    fn pairs(&self, range: Range, limit: u32) -> Result<Vec<PairCount>>;

    /// Tools of surfaces in use (5.3), filtered by tools.
    fn registered(&self, range: Range) -> Result<Vec<RegisteredTool>>;
    /// Surfaces in use (5.1).
    fn surfaces_in_use(&self, range: Range) -> Result<Vec<SurfaceInUse>>;
    /// Names of all tools of all surfaces ever; `None` when there is no surface.
    fn names_ever_registered(&self) -> Result<Option<Vec<String>>>;
    /// Whether a call ever named the tool.
    fn ever_called(&self, tool: &str) -> Result<bool>;
    /// Settled calls in the range, of any tool, whose surface has the tool (9.7), by tool.
    fn exposures(&self, range: Range) -> Result<Vec<(String, u64)>>;
    /// Every tool of every surface ever (5.2).
    fn surface_tools(&self) -> Result<Vec<SurfaceTool>>;
    /// Every surface ever, in order of first appearance.
    fn surfaces(&self) -> Result<Vec<SurfaceSeen>>;
    /// For each surface that first appears in the range: every surface seen before, with its latest startup below.
    fn surfaces_before(&self, range: Range) -> Result<Vec<SeenBefore<u32>>>;
    /// Every producer version ever, in order of first appearance (10.4).
    fn versions(&self) -> Result<Vec<VersionSeen>>;
    /// For each producer version that first appears in the range: every other seen before, with its latest startup
    /// below.
    fn versions_before(&self, range: Range) -> Result<Vec<SeenBefore<VersionKey>>>;

    /// Evidence by tool (9.3, 9.4).
    fn evidence(&self, slice: Slice) -> Result<Vec<Evidence>>;
    /// Errors by tool (9.6).
    fn errors(&self, slice: Slice) -> Result<Vec<ErrorCount>>;
    /// Verdicts in the range (8.1), by field and pair.
    fn verdicts(&self, range: Range) -> Result<Vec<VerdictCount>>;
    /// Fields and tools declared by startups in use, whatever the filter by tools.
    fn declared(&self, range: Range) -> Result<Vec<(String, Vec<String>)>>;

    /// A page of sessions (6.2), one more than the limit if there are more, and how many there are in all.
    fn sessions(&self, slice: Slice, page: &SessionPage) -> Result<(Vec<SessionCounts>, u64)>;
    /// A session's span; without calls and startups it is unknown.
    fn session_span(&self, session_id: &str) -> Result<Option<SessionSpan>>;
    /// A session's startups by `seq`.
    fn session_startups(&self, session_id: &str) -> Result<Vec<SessionStartup>>;
    /// A page of a session's calls (6.3), one more than the limit if there are more.
    fn tape(&self, session_id: &str, page: &TapePage) -> Result<Vec<TapeRow>>;
    /// A page of matching calls (6.5), one more than the limit if there are more.
    fn calls(&self, slice: Slice, page: &CallPage) -> Result<Vec<CallRow>>;

    /// Accepted payloads on the days a range touches, by day and key.
    fn accepted_days(&self, range: Range) -> Result<Vec<AcceptedCount>>;
    /// Rejected payloads on the days a range touches.
    fn rejected_days(&self, range: Range) -> Result<Vec<RejectedCount>>;
}

/// An engine that can show one state of a server's store: all it takes to answer every question of
/// [`super::Metrics`].
#[async_trait]
pub trait Snapshots: Send + Sync + 'static {
    /// Runs a question against one state of the store, off the async threads, with the filters, the edges and the
    /// clock of a scope.
    ///
    /// # Errors
    /// Those of the question, and those of reaching the store.
    async fn snapshot<T, Q>(
        &self,
        server: ServerId,
        scope: &Scope,
        question: Q,
    ) -> std::result::Result<T, MetricsError>
    where
        T: Send + 'static,
        Q: FnOnce(&dyn Snapshot) -> std::result::Result<T, MetricsError> + Send + 'static;
}
