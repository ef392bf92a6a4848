//! Retention: what is older than the retention leaves the file for good.
//!
//! An engine's DELETE leaves the bytes where they were. So what is kept is written into a new file, which then takes
//! the place of the old one by being renamed: a process that ends at any moment leaves one of the two, whole. The bulk
//! is copied beside the writer, from one state of the file; the writer then copies what came meanwhile, and only for
//! that does ingest wait.
//!
//! What the file keeps worked out is not copied: it is worked out anew, without what has gone.

use std::fs::{self, File};
use std::path::PathBuf;

use duckdb::{Connection, params};

use super::disk;
use super::schema::{self, Limits, quoted};
use crate::events::{EventError, Forgotten};

const DAY_MS: i64 = 86_400_000;

/// The name under which the new file is attached.
const NEW: &str = "kept";

/// Which rows of the large tables are kept. They are only ever appended to, in order of `seq`.
const LARGE: [(&str, &str); 2] = [("calls", "started_ms >= $1"), ("agreements", "checked_ms >= $1")];

/// Which rows of the other tables are kept, once the large ones are there: a call keeps the startup of its session,
/// and that its surface. `$1` is the first millisecond that is kept, `$2` its day.
const SMALL: [(&str, &str); 6] = [
    (
        "startups",
        "received_ms >= $1 OR session_id IN (SELECT session_id FROM kept.calls
             UNION ALL SELECT session_id FROM kept.agreements)",
    ),
    ("declared_agreements", "startup_seq IN (SELECT seq FROM kept.startups)"),
    ("surfaces", "surface_id IN (SELECT surface_id FROM kept.startups)"),
    ("surface_tools", "surface_id IN (SELECT surface_id FROM kept.startups)"),
    ("rejections", "day >= $2"),
    ("idempotency", "received_ms >= $1"),
];

/// What there is to delete. The conditions are those above, the other way round.
const OLD: &str = "SELECT (SELECT count(*) FROM calls WHERE started_ms < $1),
           (SELECT count(*) FROM agreements WHERE checked_ms < $1),
           (SELECT count(*) FROM startups WHERE received_ms < $1
              AND session_id NOT IN (SELECT session_id FROM calls WHERE started_ms >= $1)
              AND session_id NOT IN (SELECT session_id FROM agreements WHERE checked_ms >= $1)),
           (SELECT coalesce(sum(count), 0)::BIGINT FROM rejections WHERE day < $2)";

/// A file that is to take the place of another.
pub(super) struct Rewrite {
    path: PathBuf,
    before_ms: i64,
    /// Up to which `seq` the large tables are copied.
    upto: i64,
    forgotten: Forgotten,
}

impl Rewrite {
    /// Copies the bulk of what is kept into a new file. `None` when nothing is old. Runs beside the writer.
    pub(super) fn prepare(
        conn: &Connection,
        file: &std::path::Path,
        limits: Limits,
        before_ms: i64,
    ) -> Result<Option<Self>, EventError> {
        let forgotten = old(conn, before_ms)?;
        if forgotten == Forgotten::default() {
            return Ok(None);
        }
        let dir = disk::work_dir(file);
        crate::dir::create(&dir).map_err(cannot_make)?;
        let path = dir.join("kept.duckdb");
        disk::remove(&path).map_err(cannot_make)?;
        // Made whole by itself, so that it has its tables and their version.
        drop(schema::open_file(&path, limits)?);
        let mut rewrite = Self { path, before_ms, upto: 0, forgotten };
        match rewrite.copy_bulk(conn) {
            Ok(()) => Ok(Some(rewrite)),
            Err(error) => {
                rewrite.give_up(conn);
                Err(error)
            }
        }
    }

    fn copy_bulk(&mut self, conn: &Connection) -> Result<(), EventError> {
        let path = quoted(&self.path.display().to_string());
        conn.execute_batch(&format!("ATTACH {path} AS {NEW}"))?;
        conn.execute_batch("BEGIN TRANSACTION")?;
        self.upto = conn.query_row(
            "SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM calls
             UNION ALL SELECT max(seq) FROM agreements)",
            [],
            |row| row.get(0),
        )?;
        for (table, kept) in LARGE {
            conn.execute(
                &format!("INSERT INTO {NEW}.{table} SELECT * FROM {table} WHERE {kept}"),
                params![self.before_ms],
            )?;
        }
        Ok(conn.execute_batch("COMMIT")?)
    }

    /// Copies what came meanwhile and what is small, and makes the new file durable. Runs on the writer's thread.
    pub(super) fn finish(&self, conn: &Connection) -> Result<(), EventError> {
        let day = self.before_ms.div_euclid(DAY_MS);
        conn.execute_batch("BEGIN TRANSACTION")?;
        for (table, kept) in LARGE {
            conn.execute(
                &format!("INSERT INTO {NEW}.{table} SELECT * FROM {table} WHERE {kept} AND seq > $2"),
                params![self.before_ms, self.upto],
            )?;
        }
        for (table, kept) in SMALL {
            let kept = kept.replace("$1", &self.before_ms.to_string()).replace("$2", &day.to_string());
            conn.execute_batch(&format!("INSERT INTO {NEW}.{table} SELECT * FROM {table} WHERE {kept}"))?;
        }
        conn.execute_batch(&format!(
            "INSERT INTO {NEW}.seq_floor SELECT max(seq) FROM (SELECT max(seq) AS seq FROM calls
                 UNION ALL SELECT max(seq) FROM startups UNION ALL SELECT max(seq) FROM agreements
                 UNION ALL SELECT max(seq) FROM seq_floor) HAVING max(seq) IS NOT NULL;
             COMMIT; CHECKPOINT {NEW}; DETACH {NEW}"
        ))?;
        File::open(&self.path).and_then(|file| file.sync_all()).map_err(cannot_make)
    }

    /// Puts the new file in the place of the old one, which no engine has open any more.
    pub(super) fn take_place(&self, file: &std::path::Path) -> Result<Forgotten, EventError> {
        // A log of the old file would be replayed into the new one, and one of the new one would be lost.
        if disk::has_log(file).map_err(cannot_make)? || disk::has_log(&self.path).map_err(cannot_make)? {
            return Err(EventError::Unavailable(
                "the log of an event file could not be folded in".to_owned(),
            ));
        }
        fs::rename(&self.path, file).map_err(cannot_make)?;
        file.parent().map_or(Ok(()), disk::sync_dir).map_err(cannot_make)?;
        disk::clear_work(file).map_err(cannot_make)?;
        Ok(self.forgotten)
    }

    /// Removes the new file; the old one goes on.
    pub(super) fn give_up(&self, conn: &Connection) {
        // Whichever of these was not begun fails, and that is no further news.
        let _ = conn.execute_batch("ROLLBACK");
        let _ = conn.execute_batch(&format!("DETACH {NEW}"));
        self.remove();
    }

    /// Removes the new file, which no engine has open.
    pub(super) fn remove(&self) {
        if let Err(error) = disk::remove(&self.path) {
            tracing::warn!(%error, "a file that was to replace an event file is left behind");
        }
    }
}

fn old(conn: &Connection, before_ms: i64) -> Result<Forgotten, EventError> {
    let params = params![before_ms, before_ms.div_euclid(DAY_MS)];
    Ok(conn.query_row(OLD, params, |row| {
        Ok(Forgotten {
            calls: row.get(0)?,
            agreements: row.get(1)?,
            startups: row.get(2)?,
            rejections: row.get(3)?,
        })
    })?)
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn cannot_make(error: std::io::Error) -> EventError {
    EventError::Unavailable(format!("an event file cannot be rewritten: {error}"))
}
