//! Taking calls and copies out of event files.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use duckdb::{Connection, Row, params};
use mcpulse_wire::payload::Outcome;

use super::schema::quoted;
use super::{DuckEvents, blocking, disk};
use crate::events::EventError;
use crate::export::{Exports, Selection};
use crate::id::ServerId;
use crate::metrics::types::CallRow;

/// Tells files apart that are made at the same time.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The columns as they are called everywhere outside. `{outcome}` and `{hash}` are words, or numbers for Rust to read.
const COLUMNS: &str =
    "seq, received_ms, session_id, client_name AS client, tool_name AS tool, started_ms, duration_ms,
       {outcome} AS outcome, is_empty, response_units, {hash} AS args_hash";

const OUTCOME_WORD: &str =
    "CASE outcome WHEN 0 THEN 'ok' WHEN 1 THEN 'bad_args' WHEN 2 THEN 'tool_error' ELSE 'crashed' END";

/// Loads the names of a selection into temporary tables of the connection: what people typed is never part of a query.
fn load(conn: &Connection, selection: &Selection) -> Result<(), EventError> {
    for (table, names) in [("export_tools", &selection.tools), ("export_clients", &selection.clients)] {
        conn.execute_batch(&format!("CREATE OR REPLACE TEMP TABLE {table} (name VARCHAR NOT NULL)"))?;
        let mut insert = conn.prepare(&format!("INSERT INTO {table} VALUES (?)"))?;
        for name in names {
            insert.execute([name])?;
        }
    }
    Ok(())
}

fn query(selection: &Selection, words: bool, after: u64, upto: u64) -> String {
    let (outcome, hash) =
        if words { (OUTCOME_WORD, "format('{:012x}', args_hash)") } else { ("outcome", "args_hash") };
    let columns = COLUMNS.replace("{outcome}", outcome).replace("{hash}", hash);
    let (from, to) = (selection.range.from_ms, selection.range.to_ms);
    let tools = if selection.tools.is_empty() { "" } else { "AND tool_name IN (FROM export_tools)" };
    let clients = if selection.clients.is_empty() { "" } else { "AND client_name IN (FROM export_clients)" };
    format!(
        "SELECT {columns} FROM calls WHERE seq > {after} AND seq <= {upto}
           AND started_ms >= {from} AND started_ms < {to} {tools} {clients}"
    )
}

fn row(row: &Row<'_>) -> duckdb::Result<CallRow> {
    Ok(CallRow {
        seq: row.get(0)?,
        received_ms: row.get(1)?,
        session_id: row.get(2)?,
        client: row.get(3)?,
        tool: row.get(4)?,
        started_ms: row.get(5)?,
        duration_ms: row.get(6)?,
        outcome: match row.get::<_, u8>(7)? {
            0 => Outcome::Ok,
            1 => Outcome::BadArgs,
            2 => Outcome::ToolError,
            _ => Outcome::Crashed,
        },
        is_empty: row.get(8)?,
        response_units: row.get(9)?,
        args_hash: format!("{:012x}", row.get::<_, u64>(10)?),
    })
}

/// Makes a file in a directory, and hands it over without its name.
fn nameless(
    dir: &Path,
    end: &str,
    make: impl FnOnce(&Path) -> Result<(), EventError>,
) -> Result<File, EventError> {
    let failed = |error: std::io::Error| EventError::Unavailable(format!("a copy cannot be made: {error}"));
    crate::dir::create(dir).map_err(failed)?;
    let path = dir.join(format!("{}.{end}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    disk::remove(&path).map_err(failed)?;
    let file = make(&path).and_then(|()| File::open(&path).map_err(failed));
    disk::remove(&path).map_err(failed)?;
    // Empty, unless others work there too.
    let _ = fs::remove_dir(dir);
    file
}

fn write_parquet(
    conn: &Connection,
    dir: &Path,
    selection: &Selection,
    upto: u64,
) -> Result<File, EventError> {
    load(conn, selection)?;
    nameless(dir, "parquet", |path| {
        // Not sorted: rows are stored in order of arrival, which the engine keeps, and sorting would hold all of them.
        let (query, path) = (query(selection, true, 0, upto), quoted(&path.display().to_string()));
        Ok(conn.execute_batch(&format!("COPY ({query}) TO {path} (FORMAT parquet, COMPRESSION zstd)"))?)
    })
}

fn write_copy(conn: &Connection, dir: &Path) -> Result<File, EventError> {
    let name: String = conn.query_row("SELECT current_database()", [], |row| row.get(0))?;
    let name = name.replace('"', "\"\"");
    nameless(dir, "duckdb", |path| {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (path, copy) = (quoted(&path.display().to_string()), format!("copy_{number}"));
        conn.execute_batch(&format!("ATTACH {path} AS {copy}"))?;
        let done = conn
            .execute_batch(&format!("COPY FROM DATABASE \"{name}\" TO {copy}; CHECKPOINT {copy}"))
            .map_err(EventError::from);
        conn.execute_batch(&format!("DETACH {copy}"))?;
        done
    })
}

impl DuckEvents {
    /// Does something with a file that a read-only transaction cannot. `None` when the server has no file.
    async fn work<T: Send + 'static>(
        &self,
        server: ServerId,
        work: impl FnOnce(&Connection, &Path) -> Result<T, EventError> + Send + 'static,
    ) -> Result<Option<T>, EventError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let Some(reader) = inner.reader(server)? else { return Ok(None) };
            let dir = disk::work_dir(&reader.file().path);
            let done = reader.work(|conn| work(conn, &dir));
            // A deletion interrupts it, which the engine says in its own words.
            done.map(Some)
                .map_err(|error| if inner.registry.is_deleted(server) { EventError::Deleted } else { error })
        })
        .await
    }
}

#[async_trait]
impl Exports for DuckEvents {
    async fn newest(&self, server: ServerId) -> Result<u64, EventError> {
        self.read(server, |conn| {
            Ok(conn.query_row("SELECT coalesce(max(seq), 0) FROM calls", [], |row| row.get(0))?)
        })
        .await
    }

    async fn calls_between(
        &self,
        server: ServerId,
        selection: &Selection,
        after: u64,
        upto: u64,
    ) -> Result<Vec<CallRow>, EventError> {
        let selection = selection.clone();
        self.read(server, move |conn| {
            load(conn, &selection)?;
            let query = query(&selection, false, after, upto);
            let mut statement = conn.prepare(&format!("{query} ORDER BY seq"))?;
            let rows = statement.query_map(params![], row)?;
            Ok(rows.collect::<duckdb::Result<Vec<_>>>()?)
        })
        .await
    }

    async fn parquet(&self, server: ServerId, selection: &Selection, upto: u64) -> Result<File, EventError> {
        let wanted = selection.clone();
        let made = self.work(server, move |conn, dir| write_parquet(conn, dir, &wanted, upto)).await?;
        if let Some(file) = made {
            return Ok(file);
        }
        // A server that never sent anything has columns all the same.
        let (inner, wanted) = (Arc::clone(&self.inner), selection.clone());
        blocking(move || {
            let conn = inner.empty.lock().try_clone()?;
            write_parquet(&conn, &disk::empty_work_dir(&inner.registry.dir), &wanted, upto)
        })
        .await
    }

    async fn copy(&self, server: ServerId) -> Result<Option<File>, EventError> {
        let _alone = self.inner.whole_files.lock().await;
        self.work(server, write_copy).await
    }
}
