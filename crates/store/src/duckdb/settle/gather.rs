//! Everything some sessions ever sent, and the facts about it, in temporary tables of a connection.

use duckdb::Connection;

use crate::events::EventError;
use crate::metrics::sql::{fill, settle_file as file};

/// Sessions gathered into `affected`, `affected_calls` and `affected_startups`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sessions {
    /// How many they are.
    pub(crate) count: i64,
    /// How many of them have been worked out before.
    pub(crate) known: i64,
}

impl Sessions {
    /// The sessions of what arrived after one `seq` and up to another, with all they sent up to the latter; and names
    /// with their numbers in `tools_now`, `clients_now` and `sources_now`.
    pub(crate) fn new_since(conn: &Connection, above: i64, upto: i64) -> Result<Self, EventError> {
        let (above, upto) = (above.to_string(), upto.to_string());
        let bounds: [(&str, &str); 2] = [("above", &above), ("upto", &upto)];
        conn.execute_batch(&fill(file!("affected"), &bounds))?;
        let (count, known, low): (i64, i64, i64) = conn.query_row(
            &format!(
                "SELECT count(*), count(*) FILTER (known), coalesce(min(first_seq), {}) FROM affected",
                i64::MAX
            ),
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let low = low.to_string();
        conn.execute_batch(&fill(file!("gather"), &[("low", &low), ("upto", &upto)]))?;
        conn.execute_batch(file!("names"))?;
        conn.execute_batch(file!("number"))?;
        Ok(Self { count, known })
    }

    /// Works out the facts: `fresh_calls`, `fresh_uses` and `fresh_sessions`.
    pub(crate) fn work_out(self, conn: &Connection) -> Result<(), EventError> {
        Ok(conn.execute_batch(&fill(file!("work"), &[]))?)
    }

    /// Puts the calls of closed sessions among these into `gone_calls`; whether there are such.
    pub(crate) fn taken_back(self, conn: &Connection) -> Result<bool, EventError> {
        let gone = self.known > 0
            && exists(
                conn,
                "SELECT 1 FROM affected WHERE known AND session NOT IN (SELECT session FROM open_sessions)",
            )?;
        let some_gone = if gone { "true" } else { "false" };
        conn.execute_batch(&fill(file!("gone"), &[("some_gone", some_gone)]))?;
        Ok(gone)
    }

    /// Gathers the sessions that a query names, beside those that are gathered already, into tables whose names begin
    /// with `asked` in place of `affected`. Names have the numbers they have.
    pub(crate) fn asked(conn: &Connection, touched: &str) -> Result<(), EventError> {
        let asked = |text: &str| text.replace("affected", "asked");
        let above: i64 = conn.query_row("SELECT upto_seq FROM worked", [], |row| row.get(0))?;
        let sessions = fill(file!("asked"), &[("touched", touched), ("above", &above.to_string())]);
        // The query may itself look at what is gathered, so only the new table has the new name.
        conn.execute_batch(&sessions.replace("TEMP TABLE affected", "TEMP TABLE asked"))?;
        let low: i64 = conn.query_row(
            &format!("SELECT coalesce(min(first_seq), {}) FROM asked", i64::MAX),
            [],
            |row| row.get(0),
        )?;
        let bounds: [(&str, &str); 2] = [("low", &low.to_string()), ("upto", &i64::MAX.to_string())];
        conn.execute_batch(&asked(&fill(file!("gather"), &bounds)))?;
        Ok(conn.execute_batch(&asked(file!("number")))?)
    }
}

/// Whether a query has a row.
pub(crate) fn exists(conn: &Connection, query: &str) -> Result<bool, EventError> {
    Ok(conn.query_row(&format!("SELECT EXISTS ({query})"), [], |row| row.get(0))?)
}

/// The number a query answers.
pub(crate) fn count(conn: &Connection, query: &str) -> Result<i64, EventError> {
    Ok(conn.query_row(query, [], |row| row.get(0))?)
}
