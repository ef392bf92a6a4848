//! Percentiles and bins of durations: exact from single calls, or from sums by the hour and day.

use std::collections::HashMap;

use super::Result;
use super::keys::{NAMES, Parts};
use super::pieces::{Pieces, Unit};
use super::rows::Columns;
use super::state::DuckSnapshot;
use crate::metrics::snapshot::{By, Key, Slice};
use crate::metrics::sql::file;
use crate::metrics::types::Range;

/// Percentiles 50, 90, 95 and 99.
type Percentiles = [Option<u32>; 4];

impl DuckSnapshot<'_> {
    /// Percentiles by key.
    pub(super) fn percentiles(&self, slice: Slice, by: By) -> Result<HashMap<Key, Percentiles>> {
        let parts = Parts::of(by);
        let sql = if self.calls_in(slice.range)? <= self.exact_calls {
            let points = by == By::Point;
            if points {
                self.edges()?;
            }
            let (point, join) = if points {
                ("e.position", "ASOF JOIN series_edges e ON m.started_ms >= e.start_ms")
            } else {
                ("NULL::BIGINT", "")
            };
            let rows = self.all_rows()?;
            let values: [(&str, &str); 5] = [
                ("keys", &parts.columns()),
                ("joins", &parts.joins()),
                ("rows", &rows),
                ("row_point", point),
                ("row_join", join),
            ];
            self.fill(file!("latency_exact"), slice, &values)?
        } else {
            let bins = self.bins(slice, by)?;
            self.fill(file!("latency_bins"), slice, &[("bins", &bins), ("key_names", NAMES)])?
        };
        let rows = self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            let key = columns.key()?;
            Ok((key, [columns.value()?, columns.value()?, columns.value()?, columns.value()?]))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// All calls in a range, whatever the filters.
    fn calls_in(&self, range: Range) -> Result<u64> {
        let every = Slice { range, by_tools: false, by_clients: false };
        Ok(self.count_tallies(every, By::All)?.iter().map(|tally| tally.outcomes.total()).sum())
    }

    /// The query for calls by key and bin.
    fn bins(&self, slice: Slice, by: By) -> Result<String> {
        let [tools, clients] = self.wanted(slice);
        let days_are_points = self.scope.edges.iter().all(|&edge| Unit::Day.begins_at(edge));
        // Sums by the day know tools and clients, those by the hour do not; neither knows startups.
        let (pieces, cells): (Pieces, &str) = match by {
            By::Producer | By::ToolAndSurface => {
                (Pieces::of_range(slice.range, Unit::Day).single(), NO_CELLS)
            }
            By::Point if days_are_points => (self.pieces(slice, true, Unit::Day)?, DAYS),
            By::Point if tools.is_none() && clients.is_none() => {
                (self.pieces(slice, true, Unit::Hour)?, HOURS)
            }
            By::Point => (self.pieces(slice, true, Unit::Hour)?.single(), NO_CELLS),
            By::All | By::Tool | By::Client | By::ToolAndClient => {
                (self.pieces(slice, false, Unit::Day)?, DAYS)
            }
        };
        let parts = Parts::of(by);
        let rows = self.rows_beside(&pieces)?;
        self.fill(
            file!("bins"),
            slice,
            &[
                ("keys", &parts.columns()),
                ("joins", &parts.joins()),
                ("rows", &rows),
                ("bin_cells", cells),
                ("row_point", pieces.row_point),
                ("row_join", pieces.row_join),
                ("cell_point", pieces.cell_point),
                ("cell_join", &pieces.cell_join),
                ("whole", &pieces.whole),
            ],
        )
    }

    pub(super) fn count_durations(&self, slice: Slice, edges: &[u32]) -> Result<Vec<(usize, u64)>> {
        let bins = self.bins(slice, By::All)?;
        let sql = format!("SELECT bin, sum(calls)::BIGINT FROM ({bins}) GROUP BY bin");
        let mut counts = vec![0_u64; edges.len()];
        for (bin, calls) in self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok((columns.value::<u32>()?, columns.count::<u64>()?))
        })? {
            // The edges are edges of bins, so that a bin lies between two of them.
            let above = edges.partition_point(|edge| *edge <= bin);
            if let Some(count) = above.checked_sub(1).and_then(|at| counts.get_mut(at)) {
                *count += calls;
            }
        }
        Ok(counts.into_iter().enumerate().filter(|(_, calls)| *calls > 0).collect())
    }
}

const DAYS: &str = "SELECT {cell_point} AS point, c.tool, c.client, 0 AS source, c.bin, c.calls
    FROM latency_days c {cell_join} WHERE {whole} AND {tools} AND {clients}";
const HOURS: &str = "SELECT {cell_point} AS point, 0 AS tool, 0 AS client, 0 AS source, c.bin, c.calls
    FROM latency_hours c {cell_join} WHERE {whole}";
const NO_CELLS: &str = "SELECT NULL::BIGINT AS point, 0 AS tool, 0 AS client, 0 AS source, bin, calls
    FROM latency_hours WHERE false";
