//! Counts of calls and of arrivals.

use duckdb::params;

use super::rows::Columns;
use super::sql::{file, split};
use super::{DuckSnapshot, Result};
use crate::metrics::snapshot::{
    Arrivals, By, ErrorCount, Evidence, FirstCallTally, PairCount, RunLength, RunShape, SessionSchemas,
    Slice, Tally, VerdictCount,
};
use crate::metrics::types::Range;

impl DuckSnapshot<'_> {
    pub(super) fn count_tallies(&self, slice: Slice, by: By) -> Result<Vec<Tally>> {
        self.facts()?;
        if by == By::Point {
            self.edges()?;
        }
        let sql = self.filters.of(slice).fill(&split(file!("tallies"), by));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok(Tally {
                key: columns.key()?,
                outcomes: columns.outcomes()?,
                settled: columns.outcomes()?,
                latency_ms: [columns.value()?, columns.value()?, columns.value()?, columns.value()?],
                units: columns.value()?,
                max_units: columns.value()?,
                sessions: columns.count()?,
                first_ms: columns.value()?,
                last_ms: columns.value()?,
                newest_ms: columns.value()?,
                known_client: columns.count()?,
                crowded: columns.count()?,
            })
        })
    }

    pub(super) fn count_first_calls(&self, slice: Slice, by: By) -> Result<Vec<FirstCallTally>> {
        self.facts()?;
        if by == By::Point {
            self.edges()?;
        }
        let sql = self.filters.of(slice).fill(&split(file!("first_calls"), by));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            let key = columns.key()?;
            let tool = columns.value()?;
            let (steps, clean) = (columns.maybe_count()?, columns.value::<Option<bool>>()?);
            Ok(FirstCallTally {
                key,
                tool,
                followed_in: steps.zip(clean).map(|(steps, clean)| RunShape { steps, clean }),
                settled: columns.count()?,
                good: columns.count()?,
                sequence: columns.count()?,
                failed: columns.count()?,
                empty: columns.count()?,
                strict: columns.count()?,
                retried: columns.count()?,
                followed: columns.count()?,
            })
        })
    }

    pub(super) fn count_run_lengths(&self, range: Range) -> Result<Vec<RunLength>> {
        self.facts()?;
        let params = self.slice_params(Slice { range, by_tools: false, by_clients: false });
        self.rows(file!("run_lengths"), params, |row| {
            let mut columns = Columns::new(row);
            Ok(RunLength { tool: columns.value()?, steps: columns.count()?, runs: columns.count()? })
        })
    }

    pub(super) fn count_sessions_started(&self, slice: Slice) -> Result<Vec<(usize, u64)>> {
        self.facts()?;
        self.edges()?;
        let sql = self.filters.of(slice).fill(file!("sessions_started"));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok((columns.count()?, columns.count()?))
        })
    }

    pub(super) fn sum_session_schemas(&self, slice: Slice) -> Result<SessionSchemas> {
        self.facts()?;
        let sql = self.filters.of(slice).fill(file!("session_schemas"));
        self.row(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok(SessionSchemas { sessions: columns.count()?, units: columns.value()? })
        })
    }

    pub(super) fn count_sessions_without_startup(&self, slice: Slice) -> Result<u64> {
        self.facts()?;
        let sql = self.filters.of(slice).fill(file!("sessions_without_startup"));
        self.row(&sql, self.slice_params(slice), |row| Columns::new(row).count())
    }

    pub(super) fn count_arrivals(&self, range: Range) -> Result<Arrivals> {
        let [first, last] = range.utc_days();
        self.row(file!("arrivals"), params![first, last], |row| {
            let mut columns = Columns::new(row);
            Ok(Arrivals {
                accepted: columns.count()?,
                rejected: columns.count()?,
                newest_ms: columns.value()?,
            })
        })
    }

    pub(super) fn count_durations(&self, slice: Slice, edges: &[u32]) -> Result<Vec<(usize, u64)>> {
        self.facts()?;
        self.conn.execute_batch(
            "CREATE OR REPLACE TEMP TABLE bins (position BIGINT, from_ms UINTEGER, to_ms UINTEGER)",
        )?;
        let mut insert = self.conn.prepare("INSERT INTO bins VALUES (?, ?, ?)")?;
        for (position, from) in (0_i64..).zip(edges) {
            let to = usize::try_from(position + 1).ok().and_then(|next| edges.get(next));
            insert.execute(params![position, from, to])?;
        }
        let sql = self.filters.of(slice).fill(file!("durations"));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok((columns.count()?, columns.count()?))
        })
    }

    pub(super) fn count_pairs(&self, range: Range, limit: u32) -> Result<Vec<PairCount>> {
        self.facts()?;
        // Which tools are wanted is asked of the pair, not of its first call.
        let either = self.filters.either("c.tool_name", "c.next_tool");
        let sql =
            self.filters.of(Slice::any_tool(range)).fill(file!("pairs")).replace("{either_tool}", &either);
        let [from, to, as_of] = self.slice_params(Slice::any_tool(range));
        self.rows(&sql, params![from, to, as_of, limit], |row| {
            let mut columns = Columns::new(row);
            Ok(PairCount {
                from: columns.value()?,
                to: columns.value()?,
                count: columns.count()?,
                from_calls: columns.count()?,
            })
        })
    }

    pub(super) fn count_evidence(&self, slice: Slice) -> Result<Vec<Evidence>> {
        self.facts()?;
        let sql = self.filters.of(slice).fill(file!("evidence"));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok(Evidence {
                tool: columns.value()?,
                settled: columns.count()?,
                empty: columns.count()?,
                slow: columns.count()?,
                good: columns.count()?,
                mean_units: columns.value()?,
                mean_log: columns.value()?,
                variance_log: columns.value()?,
            })
        })
    }

    pub(super) fn count_errors(&self, slice: Slice) -> Result<Vec<ErrorCount>> {
        self.facts()?;
        let sql = self.filters.of(slice).fill(file!("errors"));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok(ErrorCount { tool: columns.value()?, settled: columns.count()?, errors: columns.count()? })
        })
    }

    pub(super) fn count_verdicts(&self, range: Range) -> Result<Vec<VerdictCount>> {
        let session = if self.filters.clients {
            "session_id IN (SELECT session_id FROM calls WHERE client_name IN (SELECT name FROM wanted_clients))"
        } else {
            "true"
        };
        let sql = file!("verdicts")
            .replace("{either_tool}", &self.filters.either("tool_a", "tool_b"))
            .replace("{session_of_client}", session);
        self.rows(&sql, params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok(VerdictCount {
                field: columns.value()?,
                tool_a: columns.value()?,
                tool_b: columns.value()?,
                checked: columns.count()?,
                agreed: columns.count()?,
                last_disagreement_ms: columns.value()?,
            })
        })
    }
}
