//! What is settled is kept worked out, so that a question need not look at every call.
//!
//! - `upto_seq` is the watermark: every call and startup up to it has been worked out, with all that its session had
//!   sent by then. What came later makes its session *affected*: questions work such sessions out themselves, and the
//!   next pass does it for good.
//! - A session in which something happened lately is *open*: its calls, with the facts about them, are rows of
//!   `open_calls`. When it has been quiet for a while it is *closed*: its calls become rows of `worked_calls`, and
//!   what they add to counts is added to sums by the hour.
//! - An affected session that was closed is taken back: rows of negative counts join the sums.
//!
//! The facts themselves come from the same SQL as a question's (`facts.sql`, `contributions.sql`). A pass is one
//! transaction: what it worked out and its watermark are there together, or neither is.

pub(crate) mod gather;

use duckdb::{Connection, params};

use self::gather::{Sessions, count, exists};
use crate::events::EventError;
use crate::metrics::sql::{fill, settle_file as file};

/// As in `Scope::settled_as_of_ms`.
const SETTLES_AFTER_MS: i64 = 40_000;
/// A session without anything new for this long is closed. Later calls take it back, which costs more than leaving it
/// open, so this is longer than a person thinks.
const QUIET_MS: i64 = 300_000;
/// Passes that add to the sums until these are folded.
const FOLD_AFTER: u32 = 16;

/// The tables of sums: their keys, their counts, and what else they hold.
const SUMS: [(&str, &str, &str); 5] = [
    (
        "cells",
        "hour, tool, client, source",
        "sum(ok), sum(empty), sum(bad_args), sum(tool_error), sum(crashed), sum(units), max(max_units), min(first_ms),
         max(last_ms), max(newest_ms), sum(crowded_calls), sum(sequence_calls), sum(failed_calls), sum(empty_calls),
         sum(strict_calls), sum(retried_calls), sum(followed_calls), sum(sessions), sum(tool_sessions),
         sum(client_sessions), sum(lane_sessions)",
    ),
    ("shapes", "hour, tool, client, source, run_steps, run_clean", "sum(followed), sum(runs)"),
    ("latency_days", "day, tool, client, bin", "sum(calls)"),
    ("latency_hours", "hour, bin", "sum(calls)"),
    ("next_tools", "hour, client, tool, next_tool", "sum(calls)"),
];

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pass {
    /// Whether anything was worked out.
    pub(crate) worked: bool,
    /// Whether there is more to do right now.
    pub(crate) more: bool,
    /// Whether sessions are open, which are closed later.
    pub(crate) open: bool,
}

/// Works out what an event file holds, pass by pass.
#[derive(Debug, Default)]
pub(crate) struct Settler {
    /// Passes that added to the sums since they were last folded.
    unfolded: u32,
}

impl Settler {
    /// One that folds the sums with the next pass that adds to them.
    #[cfg(feature = "testing")]
    pub(crate) fn about_to_fold() -> Self {
        Self { unfolded: FOLD_AFTER - 1 }
    }

    /// Works out what arrived since the last pass, at most so many payloads, and closes quiet sessions. `before_commit`
    /// is called when everything is written and nothing is there yet.
    pub(crate) fn pass(
        &mut self,
        conn: &Connection,
        now_ms: i64,
        most: i64,
        before_commit: impl FnOnce() -> Result<(), EventError>,
    ) -> Result<Pass, EventError> {
        conn.execute_batch("BEGIN TRANSACTION")?;
        let done = self.work(conn, now_ms, most).and_then(|pass| before_commit().map(|()| pass));
        match done {
            Ok(pass) if pass.worked => conn.execute_batch("COMMIT")?,
            _ => conn.execute_batch("ROLLBACK")?,
        }
        done
    }

    fn work(&mut self, conn: &Connection, now_ms: i64, most: i64) -> Result<Pass, EventError> {
        let (above, newest) = conn.query_row(
            "SELECT (SELECT upto_seq FROM worked), coalesce(greatest(
                 (SELECT max(seq) FROM calls), (SELECT max(seq) FROM startups), (SELECT max(seq) FROM agreements)), 0)",
            [],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
        )?;
        let upto = newest.min(above.saturating_add(most)).max(above);
        let quiet_since = now_ms - SETTLES_AFTER_MS - QUIET_MS;
        let may_close =
            exists(conn, &format!("SELECT 1 FROM open_sessions WHERE latest_ms <= {quiet_since}"))?;
        if upto == above && !may_close {
            let open = exists(conn, "FROM open_sessions")?;
            return Ok(Pass { open, ..Pass::default() });
        }
        let affected = Sessions::new_since(conn, above, upto)?;
        affected.work_out(conn)?;
        let gone = affected.taken_back(conn)?;
        conn.execute_batch(&fill(file!("chosen"), &[("quiet_since", &quiet_since.to_string())]))?;
        let truth = |flag: bool| if flag { "true" } else { "false" };
        conn.execute_batch(&fill(
            file!("replace"),
            &[("some_gone", truth(gone)), ("some_known", truth(affected.known > 0))],
        ))?;
        self.add_up(conn, gone)?;
        let arrived = fill(
            crate::metrics::sql::file!("arrived"),
            &[("above", &above.to_string()), ("upto", &upto.to_string())],
        );
        conn.execute_batch(&format!("INSERT INTO arrivals {arrived}"))?;
        conn.execute(
            &fill(
                "UPDATE worked SET upto_seq = $1,
                     latest_ms = greatest(latest_ms, (SELECT coalesce(max({latest}), 0) FROM closing_calls))",
                &[],
            ),
            params![upto],
        )?;
        let open = exists(conn, "FROM open_sessions")?;
        Ok(Pass { worked: true, more: upto < newest, open })
    }

    /// Adds what is closed to the sums, and takes from them what is taken back.
    fn add_up(&mut self, conn: &Connection, gone: bool) -> Result<(), EventError> {
        if !gone && count(conn, "SELECT count(*) FROM closing_calls")? == 0 {
            return Ok(());
        }
        let rows = "(SELECT *, 1 AS n FROM closing_calls UNION ALL SELECT *, -1 FROM gone_calls)".to_owned();
        if gone && exists(conn, "SELECT 1 FROM gone_calls WHERE source = 0")? {
            conn.execute_batch(&fill(file!("sourceless"), &[]))?;
            let anew = fill("source = 0 AND {hour} IN (SELECT hour FROM sourceless_hours)", &[]);
            add(conn, file!("sum_cells"), &format!("(SELECT *, 1 AS n FROM worked_calls WHERE {anew})"))?;
            add(conn, file!("sum_cells"), &format!("(SELECT * FROM {rows} WHERE NOT ({anew}))"))?;
        } else {
            add(conn, file!("sum_cells"), &rows)?;
        }
        for sums in [
            file!("sum_shapes"),
            file!("sum_latency_days"),
            file!("sum_latency_hours"),
            file!("sum_next_tools"),
        ] {
            add(conn, sums, &rows)?;
        }
        self.unfolded += 1;
        if self.unfolded >= FOLD_AFTER {
            self.unfolded = 0;
            fold(conn)?;
        }
        Ok(())
    }
}

/// Runs one of the sums over rows. All of them are settled: only sessions that were quiet for long are closed.
fn add(conn: &Connection, sums: &str, rows: &str) -> Result<(), EventError> {
    let sql = fill(sums, &[("rows", rows), ("tools", "true"), ("clients", "true")]);
    conn.execute(&sql, params![i64::MIN, i64::MAX, i64::MAX])?;
    Ok(())
}

/// Makes one row of the rows with one key, for the hours (days) that have such.
fn fold(conn: &Connection) -> Result<(), EventError> {
    for (table, keys, counts) in SUMS {
        let unit = keys.split(',').next().unwrap_or(keys);
        conn.execute_batch(&format!(
            "CREATE OR REPLACE TEMP TABLE unfolded AS
                 SELECT DISTINCT {unit} FROM (SELECT {keys} FROM {table} GROUP BY ALL HAVING count(*) > 1);
             CREATE OR REPLACE TEMP TABLE folded AS
                 SELECT {keys}, {counts} FROM {table} WHERE {unit} IN (FROM unfolded) GROUP BY ALL;
             DELETE FROM {table} WHERE {unit} IN (FROM unfolded);
             INSERT INTO {table} SELECT * FROM folded ORDER BY ALL;
             DROP TABLE folded;"
        ))?;
    }
    Ok(())
}
