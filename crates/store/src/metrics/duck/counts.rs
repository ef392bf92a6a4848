//! Counts of calls, from sums and from single calls.

use std::rc::Rc;

use duckdb::params;

use super::Result;
use super::keys::Parts;
use super::pieces::Unit;
use super::rows::Columns;
use super::state::DuckSnapshot;
use crate::metrics::snapshot::{
    By, ErrorCount, Evidence, FirstCallTally, Key, PairCount, RunLength, RunShape, Slice, Tally, VerdictCount,
};
use crate::metrics::sql::file;
use crate::metrics::types::{Outcomes, Range};

/// One row of counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    key: Key,
    /// With calls split by tool as well.
    own_tool: String,
    outcomes: Outcomes,
    settled: Outcomes,
    units: u64,
    max_units: Option<u32>,
    first_ms: i64,
    last_ms: i64,
    newest_ms: i64,
    known_client: u64,
    crowded: u64,
    sequence: u64,
    failed: u64,
    empty: u64,
    strict: u64,
    retried: u64,
    /// Sessions whose first call (of the tool, of the client) is among these calls.
    pub(super) began: u64,
}

impl Counted {
    fn tally(&self) -> Tally {
        Tally {
            key: self.key.clone(),
            outcomes: self.outcomes,
            settled: self.settled,
            latency_ms: [None; 4],
            units: self.units,
            max_units: self.max_units,
            sessions: self.began,
            first_ms: self.first_ms,
            last_ms: self.last_ms,
            newest_ms: self.newest_ms,
            known_client: self.known_client,
            crowded: self.crowded,
        }
    }

    /// Without the calls that are followed up, but for their number among the settled: these have rows of their own.
    fn first_call(&self) -> FirstCallTally {
        FirstCallTally {
            key: self.key.clone(),
            tool: self.own_tool.clone(),
            followed_in: None,
            settled: self.settled.total(),
            good: self.settled.ok,
            sequence: self.sequence,
            failed: self.failed,
            empty: self.empty,
            strict: self.strict,
            retried: self.retried,
            followed: 0,
        }
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }
}

impl DuckSnapshot<'_> {
    /// Counts by a key, and by tool as well if that is asked for.
    pub(super) fn counted(&self, slice: Slice, by: By, own_tool: bool) -> Result<Rc<Vec<Counted>>> {
        let kept_by = (slice.range, slice.by_tools, slice.by_clients, by, own_tool);
        if let Some(known) = self.counts.borrow().get(&kept_by) {
            return Ok(Rc::clone(known));
        }
        let mut pieces = self.pieces(slice, by == By::Point, Unit::Hour)?;
        if by == By::Producer && self.sourceless_gone()? {
            // Their largest and latest values cannot be taken back from a sum.
            pieces = pieces.single();
        }
        let parts = Parts::of(by);
        let own = if own_tool { ", own.name AS own_tool" } else { ", ''" };
        let joins = parts.joins() + if own_tool { "JOIN tools_now own ON own.tool = m.tool" } else { "" };
        let rows = self.rows_beside(&pieces)?;
        let sql = self.fill(
            file!("counts"),
            slice,
            &[
                ("keys", &(parts.columns() + own)),
                ("joins", &joins),
                ("rows", &rows),
                ("row_point", pieces.row_point),
                ("row_join", pieces.row_join),
                ("cell_point", pieces.cell_point),
                ("cell_join", &pieces.cell_join),
                ("whole", &pieces.whole),
                (
                    "known_client",
                    "m.client NOT IN (SELECT u.client FROM clients_now u WHERE u.name = 'unknown')",
                ),
                ("sessions", self.began(slice, by)),
            ],
        )?;
        let counted = self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok(Counted {
                key: columns.key()?,
                own_tool: columns.value()?,
                outcomes: columns.outcomes()?,
                settled: columns.outcomes()?,
                units: columns.value()?,
                max_units: columns.value()?,
                first_ms: columns.value()?,
                last_ms: columns.value()?,
                newest_ms: columns.value()?,
                known_client: columns.count()?,
                crowded: columns.count()?,
                sequence: columns.count()?,
                failed: columns.count()?,
                empty: columns.count()?,
                strict: columns.count()?,
                retried: columns.count()?,
                began: columns.count()?,
            })
        })?;
        let counted = Rc::new(counted);
        self.counts.borrow_mut().insert(kept_by, Rc::clone(&counted));
        Ok(counted)
    }

    pub(super) fn count_tallies(&self, slice: Slice, by: By) -> Result<Vec<Tally>> {
        Ok(self.counted(slice, by, false)?.iter().map(Counted::tally).collect())
    }

    pub(super) fn count_first_calls(&self, slice: Slice, by: By) -> Result<Vec<FirstCallTally>> {
        // What an owner says of tools is the only thing for which these have to be told apart.
        let own_tool = by == By::ToolAndSurface || !self.scope.modes.is_empty();
        let mut rows: Vec<_> = self.counted(slice, by, own_tool)?.iter().map(Counted::first_call).collect();
        rows.extend(self.shapes(slice, by, "followed")?.into_iter().map(|(key, tool, shape, followed)| {
            FirstCallTally { key, tool, followed_in: Some(shape), followed, ..FirstCallTally::default() }
        }));
        Ok(rows)
    }

    pub(super) fn count_run_lengths(&self, range: Range) -> Result<Vec<RunLength>> {
        let every = Slice { range, by_tools: false, by_clients: false };
        let runs = self.shapes(every, By::All, "runs")?.into_iter();
        Ok(runs.map(|(_, tool, shape, runs)| RunLength { tool, steps: shape.steps, runs }).collect())
    }

    /// Follow-ups by the shape of their run, or clean runs by their length.
    fn shapes(&self, slice: Slice, by: By, wanted: &str) -> Result<Vec<(Key, String, RunShape, u64)>> {
        let pieces = self.pieces(slice, by == By::Point, Unit::Hour)?;
        let parts = Parts::of(by);
        let rows = self.rows_beside(&pieces)?;
        let sql = self.fill(
            file!("shapes"),
            slice,
            &[
                ("keys", &parts.columns()),
                ("joins", &parts.joins()),
                ("rows", &rows),
                ("wanted", wanted),
                ("row_point", pieces.row_point),
                ("row_join", pieces.row_join),
                ("cell_point", pieces.cell_point),
                ("cell_join", &pieces.cell_join),
                ("whole", &pieces.whole),
            ],
        )?;
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            let (key, tool) = (columns.key()?, columns.value()?);
            let shape = RunShape { steps: columns.count()?, clean: columns.value()? };
            Ok((key, tool, shape, columns.count()?))
        })
    }

    pub(super) fn count_pairs(&self, range: Range, limit: u32) -> Result<Vec<PairCount>> {
        // Which tools are wanted is asked of the pair, not of its first call.
        let slice = Slice::any_tool(range);
        let pieces = self.pieces(slice, false, Unit::Hour)?;
        let rows = self.rows_beside(&pieces)?;
        let either = self.either("c.name", "k.name");
        let values: [(&str, &str); 3] = [("rows", &rows), ("whole", &pieces.whole), ("either_tool", &either)];
        let sql = self.fill(file!("pairs"), slice, &values)?;
        let [from, to, as_of] = self.slice_params(slice);
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
        let sql = self.fill(file!("evidence"), slice, &[("rows", &self.all_rows()?)])?;
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
        let counted = self.counted(slice, By::Tool, false)?;
        let settled = counted.iter().filter(|row| row.settled.total() > 0);
        Ok(settled
            .map(|row| ErrorCount {
                tool: row.key.tool.clone().unwrap_or_default(),
                settled: row.settled.total(),
                errors: row.settled.errors(),
            })
            .collect())
    }

    pub(super) fn count_verdicts(&self, range: Range) -> Result<Vec<VerdictCount>> {
        let session = if self.scope.clients.is_empty() {
            "true"
        } else {
            "session_id IN (SELECT session_id FROM calls WHERE client_name IN (SELECT name FROM wanted_clients))"
        };
        let sql = file!("verdicts")
            .replace("{either_tool}", &self.either("tool_a", "tool_b"))
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
