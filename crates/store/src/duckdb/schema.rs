//! Opening an event file with its limits, and bringing its tables to the newest version.

use std::path::Path;

use duckdb::{Config, Connection};

use super::disk;
use crate::events::EventError;

/// Migrations in order; the version of a file is how many of them it has had.
const MIGRATIONS: &[&str] = &[
    include_str!("../../sql/duckdb/migrations/0001.sql"),
    include_str!("../../sql/duckdb/migrations/0002.sql"),
    include_str!("../../sql/duckdb/migrations/0003.sql"),
];

/// What one open file may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Threads that one query may use, the asking one included.
    pub(crate) threads: usize,
    /// Bytes of memory for cached blocks and queries; beyond it queries spill to disk.
    pub(crate) memory_bytes: u64,
}

/// Opens an event file, creating it if it is not there, and migrates it.
pub(crate) fn open_file(path: &Path, limits: Limits) -> Result<Connection, EventError> {
    if !path.exists() {
        create(path, limits)?;
    }
    open(path, limits)
}

/// Makes a file under another name, so that one under its own is always whole, whenever this process ends.
fn create(path: &Path, limits: Limits) -> Result<(), EventError> {
    let new = path.with_extension("new");
    let failed =
        |error: std::io::Error| EventError::Unavailable(format!("an event file cannot be made: {error}"));
    disk::remove(&new).map_err(failed)?;
    // Closing folds the log in and syncs.
    drop(open(&new, limits)?);
    std::fs::rename(&new, path).map_err(failed)?;
    path.parent().map_or(Ok(()), disk::sync_dir).map_err(failed)
}

fn open(path: &Path, limits: Limits) -> Result<Connection, EventError> {
    let conn = config(limits)
        .and_then(|config| Connection::open_with_flags(path, config))
        .map_err(|error| unreadable(path, &error))?;
    confine(&conn, &disk::work_dir(path)).map_err(|error| unreadable(path, &error))?;
    migrate(&conn, path)?;
    Ok(conn)
}

/// A query reads its own file, writes what it makes of it into one directory, and reaches nothing else: no other
/// file, no network, no extension; and no query can turn this off again. The configuration as a whole is not locked,
/// because shares of memory change.
fn confine(conn: &Connection, work_dir: &Path) -> duckdb::Result<()> {
    let allowed = quoted(&format!("{}/", work_dir.display()));
    conn.execute_batch(&format!("SET allowed_directories = [{allowed}]; SET enable_external_access = false"))
}

/// A text as SQL writes it.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Opens an empty store in memory, which stands for the file of a server that never sent anything.
pub(crate) fn open_empty(limits: Limits, work_dir: &Path) -> Result<Connection, EventError> {
    let conn = Connection::open_in_memory_with_flags(config(limits)?)?;
    confine(&conn, work_dir)?;
    migrate(&conn, Path::new(":memory:"))?;
    Ok(conn)
}

/// Gives an open file another share of memory.
pub(crate) fn set_memory(conn: &Connection, bytes: u64) -> Result<(), EventError> {
    Ok(conn.execute_batch(&format!("SET memory_limit = '{}'", memory(bytes)))?)
}

fn memory(bytes: u64) -> String {
    format!("{}KiB", bytes / 1024)
}

fn config(limits: Limits) -> duckdb::Result<Config> {
    Config::default()
        .threads(i64::try_from(limits.threads).unwrap_or(1))?
        .max_memory(&memory(limits.memory_bytes))?
        .enable_autoload_extension(false)?
        // Checkpoints are made on a schedule: one in the middle of a commit would stall everyone who waits for it.
        .with("checkpoint_threshold", "1TB")
}

fn migrate(conn: &Connection, path: &Path) -> Result<(), EventError> {
    let version = version(conn).map_err(|error| unreadable(path, &error))?;
    let Some(missing) = MIGRATIONS.get(version..) else {
        let known = MIGRATIONS.len();
        let reason =
            format!("it is of schema version {version}, and this program knows versions up to {known}");
        return Err(EventError::Unreadable { path: path.to_path_buf(), reason });
    };
    for (sql, to) in missing.iter().zip(version + 1..) {
        // One transaction each: a file is never left between two versions.
        conn.execute_batch(&format!(
            "BEGIN; {sql}; CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);
             DELETE FROM schema_version; INSERT INTO schema_version VALUES ({to}); COMMIT;"
        ))
        .map_err(|error| unreadable(path, &error))?;
    }
    Ok(())
}

/// What the machine lacks at the moment is no fault of the file.
fn unreadable(path: &Path, error: &duckdb::Error) -> EventError {
    const PASSING: [&str; 5] =
        ["No space left", "quota exceeded", "Too many open files", "Out of Memory", "Cannot allocate memory"];
    let reason = message(error);
    if PASSING.iter().any(|words| reason.contains(words)) {
        return EventError::Unavailable(reason);
    }
    EventError::Unreadable { path: path.to_path_buf(), reason }
}

/// 0 for a file without tables.
fn version(conn: &Connection) -> duckdb::Result<usize> {
    let exists: bool = conn.query_row(
        "SELECT count(*) > 0 FROM duckdb_tables() WHERE table_name = 'schema_version' AND NOT internal",
        [],
        |row| row.get(0),
    )?;
    if !exists {
        return Ok(0);
    }
    let version: i64 =
        conn.query_row("SELECT coalesce(max(version), 0) FROM schema_version", [], |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// The engine's own words, without the crate's framing.
pub(crate) fn message(error: &duckdb::Error) -> String {
    match error {
        duckdb::Error::DuckDBFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}

impl From<duckdb::Error> for EventError {
    fn from(error: duckdb::Error) -> Self {
        Self::Engine(message(&error))
    }
}
