//! Opening the control file, and bringing its tables to the newest version.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::control::ControlError;

/// Migrations in order; the version of a file (`user_version`) is how many of them it has had.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../sql/sqlite/migrations/0001.sql"),
    include_str!("../../../sql/sqlite/migrations/0002.sql"),
];

/// How long to wait for a writer in another process.
const BUSY: Duration = Duration::from_secs(5);

/// How often emptying the log is tried; each try waits as long as for a writer.
const SCRUBS: usize = 4;

/// Opens a connection that writes, creating and migrating the file if needed.
pub(super) fn open_writer(path: &Path) -> Result<Connection, ControlError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut conn = open(path, flags)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    // A revoked key stays revoked and a created one exists, also after a power cut.
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten in the file.
    conn.pragma_update(None, "secure_delete", true)?;
    // Nothing is written beside the file: a temporary one could hold names.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    migrate(&mut conn)?;
    Ok(conn)
}

/// Copies one state of a whole file into a new one.
pub(super) fn copy(file: &Path, path: &Path) -> Result<(), ControlError> {
    // Neither the writer, who would be held up, nor a reader: those may write no file at all.
    let conn = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let path = path
        .to_str()
        .ok_or_else(|| ControlError::Engine("the data directory has no text name".to_owned()))?;
    conn.execute("VACUUM INTO ?", [path])?;
    Ok(())
}

/// Leaves no byte of what was deleted in the file or in its log: neither in pages that are free, nor in the gaps of
/// pages that rows were moved within, nor in earlier versions of pages.
pub(super) fn scrub(conn: &Connection) -> Result<(), ControlError> {
    conn.execute_batch("VACUUM")?;
    // A reader of an earlier version keeps the log. Readers take milliseconds, and each try waits for them.
    for _ in 0..SCRUBS {
        if !conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))? {
            return Ok(());
        }
    }
    Err(ControlError::Engine("readers kept the log of the control store".to_owned()))
}

/// Opens a connection that only reads.
pub(super) fn open_reader(path: &Path) -> Result<Connection, ControlError> {
    // Not read-only at the level of the file: a reader must be able to make the shared memory of the log.
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, ControlError> {
    // Each connection stays behind one mutex, so SQLite need not lock it again.
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY)?;
    Ok(conn)
}

fn migrate(conn: &mut Connection) -> Result<(), ControlError> {
    // Immediate: of two processes that start at once, the second sees what the first has done.
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let missing = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version..));
    let Some(missing) = missing else {
        return Err(ControlError::Unreadable(format!(
            "it is of schema version {version}, and this program knows versions up to {}",
            MIGRATIONS.len()
        )));
    };
    if missing.is_empty() {
        return Ok(());
    }
    for sql in missing {
        tx.execute_batch(sql)?;
    }
    tx.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX))?;
    tx.commit()?;
    Ok(())
}

impl From<rusqlite::Error> for ControlError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Unreadable(error.to_string()),
            _ => Self::Engine(error.to_string()),
        }
    }
}
