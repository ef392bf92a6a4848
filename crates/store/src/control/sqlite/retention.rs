//! When retentions were applied, and what went.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::{rows, servers};
use crate::control::{ControlError, Retained, RetentionRun};
use crate::events::Forgotten;
use crate::id::ServerId;

type Result<T> = std::result::Result<T, ControlError>;

/// Servers that have a retention, and when it was applied last.
pub(super) fn list(conn: &Connection) -> Result<Vec<Retained>> {
    let list = conn
        .prepare_cached(
            "SELECT servers.id AS id, retention_days, retention_runs.* FROM servers
             LEFT JOIN retention_runs ON server_id = servers.id
             WHERE retention_days IS NOT NULL ORDER BY servers.created_ms, servers.id",
        )?
        .query_map([], |row| {
            let ran: Option<i64> = row.get("at_ms")?;
            Ok(Retained {
                server: rows::parsed(row, "id")?,
                days: row.get("retention_days")?,
                last: ran.map(|_| run(row)).transpose()?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(list)
}

pub(super) fn last(conn: &Connection, server: ServerId) -> Result<Option<RetentionRun>> {
    let last = conn
        .prepare_cached("SELECT * FROM retention_runs WHERE server_id = ?")?
        .query_row([server.to_string()], run)
        .optional()?;
    Ok(last)
}

pub(super) fn note(tx: &Transaction<'_>, server: ServerId, run: &RetentionRun) -> Result<()> {
    servers::must(tx, server)?;
    let Forgotten { calls, agreements, startups, rejections } = run.deleted;
    tx.execute(
        "INSERT OR REPLACE INTO retention_runs
             (server_id, at_ms, before_ms, failed, calls, agreements, startups, rejections)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            server.to_string(),
            run.at_ms,
            run.before_ms,
            run.failed,
            stored(calls),
            stored(agreements),
            stored(startups),
            stored(rejections)
        ],
    )?;
    Ok(())
}

fn run(row: &Row<'_>) -> rusqlite::Result<RetentionRun> {
    let count = |column: &str| row.get::<_, i64>(column).map(|count| count.try_into().unwrap_or_default());
    Ok(RetentionRun {
        at_ms: row.get("at_ms")?,
        before_ms: row.get("before_ms")?,
        failed: row.get("failed")?,
        deleted: Forgotten {
            calls: count("calls")?,
            agreements: count("agreements")?,
            startups: count("startups")?,
            rejections: count("rejections")?,
        },
    })
}

/// No count of rows comes near the end of what SQLite's numbers hold.
fn stored(count: u64) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
