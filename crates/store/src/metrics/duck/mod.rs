//! Metrics of the embedded engine: [`Snapshot`] over one DuckDB connection within one transaction.

mod counts;
mod keys;
mod latency;
mod lists;
mod pieces;
mod rows;
mod sessions;
mod state;
mod surfaces;

use std::collections::HashMap;

use async_trait::async_trait;

use self::state::DuckSnapshot;
use super::MetricsError;
use super::snapshot::{
    AcceptedCount, Arrivals, By, ErrorCount, Evidence, FirstCallTally, PairCount, RegisteredTool,
    RejectedCount, RunLength, SeenBefore, SessionCounts, SessionSchemas, SessionSpan, Slice, Snapshot,
    Snapshots, SurfaceInUse, SurfaceSeen, SurfaceTool, Tally, TapeRow, VerdictCount, VersionKey, VersionSeen,
};
use super::types::{CallPage, CallRow, Range, Scope, SessionPage, SessionStartup, TapePage};
use crate::duckdb::DuckEvents;
use crate::events::EventError;
use crate::id::ServerId;

type Result<T> = std::result::Result<T, EventError>;

impl From<duckdb::Error> for MetricsError {
    fn from(error: duckdb::Error) -> Self {
        Self::Store(error.into())
    }
}

#[async_trait]
impl Snapshots for DuckEvents {
    async fn snapshot<T, Q>(
        &self,
        server: ServerId,
        scope: &Scope,
        question: Q,
    ) -> std::result::Result<T, MetricsError>
    where
        T: Send + 'static,
        Q: FnOnce(&dyn Snapshot) -> std::result::Result<T, MetricsError> + Send + 'static,
    {
        let scope = scope.clone();
        let exact_calls = self.options().exact_percentiles;
        self.read(server, move |conn| Ok(question(&DuckSnapshot::new(conn, &scope, exact_calls)?))).await?
    }
}

impl Snapshot for DuckSnapshot<'_> {
    fn tallies(&self, slice: Slice, by: By) -> Result<Vec<Tally>> {
        let mut tallies = self.count_tallies(slice, by)?;
        let mut percentiles = self.percentiles(slice, by)?;
        let began: HashMap<_, _> = tallies.iter().map(|tally| (tally.key.clone(), tally.sessions)).collect();
        let sessions = if by == By::Point { began } else { self.sessions_by(slice, by, began)? };
        for tally in &mut tallies {
            tally.latency_ms = percentiles.remove(&tally.key).unwrap_or_default();
            tally.sessions = sessions.get(&tally.key).copied().unwrap_or_default();
        }
        Ok(tallies)
    }

    fn counts(&self, slice: Slice, by: By) -> Result<Vec<Tally>> {
        self.count_tallies(slice, by)
    }

    fn first_calls(&self, slice: Slice, by: By) -> Result<Vec<FirstCallTally>> {
        self.count_first_calls(slice, by)
    }

    fn run_lengths(&self, range: Range) -> Result<Vec<RunLength>> {
        self.count_run_lengths(range)
    }

    fn sessions_started(&self, slice: Slice) -> Result<Vec<(usize, u64)>> {
        self.count_sessions_started(slice)
    }

    fn session_schemas(&self, slice: Slice) -> Result<SessionSchemas> {
        self.sum_session_schemas(slice)
    }

    fn sessions_without_startup(&self, slice: Slice) -> Result<u64> {
        self.count_sessions_without_startup(slice)
    }

    fn arrivals(&self, range: Range) -> Result<Arrivals> {
        self.count_arrivals(range)
    }

    fn durations(&self, slice: Slice, edges: &[u32]) -> Result<Vec<(usize, u64)>> {
        self.count_durations(slice, edges)
    }

    fn pairs(&self, range: Range, limit: u32) -> Result<Vec<PairCount>> {
        self.count_pairs(range, limit)
    }

    fn registered(&self, range: Range) -> Result<Vec<RegisteredTool>> {
        self.list_registered(range)
    }

    fn surfaces_in_use(&self, range: Range) -> Result<Vec<SurfaceInUse>> {
        self.list_surfaces_in_use(range)
    }

    fn names_ever_registered(&self) -> Result<Option<Vec<String>>> {
        self.list_names_ever_registered()
    }

    fn ever_called(&self, tool: &str) -> Result<bool> {
        self.row("SELECT count(*) > 0 FROM calls WHERE tool_name = $1", [tool], |row| row.get(0))
    }

    fn exposures(&self, range: Range) -> Result<Vec<(String, u64)>> {
        self.count_exposures(range)
    }

    fn surface_tools(&self) -> Result<Vec<SurfaceTool>> {
        self.list_surface_tools()
    }

    fn surfaces(&self) -> Result<Vec<SurfaceSeen>> {
        self.list_surfaces()
    }

    fn surfaces_before(&self, range: Range) -> Result<Vec<SeenBefore<u32>>> {
        self.list_surfaces_before(range)
    }

    fn versions(&self) -> Result<Vec<VersionSeen>> {
        self.list_versions()
    }

    fn versions_before(&self, range: Range) -> Result<Vec<SeenBefore<VersionKey>>> {
        self.list_versions_before(range)
    }

    fn evidence(&self, slice: Slice) -> Result<Vec<Evidence>> {
        self.count_evidence(slice)
    }

    fn errors(&self, slice: Slice) -> Result<Vec<ErrorCount>> {
        self.count_errors(slice)
    }

    fn verdicts(&self, range: Range) -> Result<Vec<VerdictCount>> {
        self.count_verdicts(range)
    }

    fn declared(&self, range: Range) -> Result<Vec<(String, Vec<String>)>> {
        self.list_declared(range)
    }

    fn sessions(&self, slice: Slice, page: &SessionPage) -> Result<(Vec<SessionCounts>, u64)> {
        self.page_of_sessions(slice, page)
    }

    fn session_span(&self, session_id: &str) -> Result<Option<SessionSpan>> {
        self.span_of_session(session_id)
    }

    fn session_startups(&self, session_id: &str) -> Result<Vec<SessionStartup>> {
        self.startups_of_session(session_id)
    }

    fn tape(&self, session_id: &str, page: &TapePage) -> Result<Vec<TapeRow>> {
        self.page_of_tape(session_id, page)
    }

    fn calls(&self, slice: Slice, page: &CallPage) -> Result<Vec<CallRow>> {
        self.page_of_calls(slice, page)
    }

    fn accepted_days(&self, range: Range) -> Result<Vec<AcceptedCount>> {
        self.count_accepted_days(range)
    }

    fn rejected_days(&self, range: Range) -> Result<Vec<RejectedCount>> {
        self.count_rejected_days(range)
    }
}
