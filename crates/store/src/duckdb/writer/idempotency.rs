//! Remembered answers: a repeated idempotency key of the same ingest key is answered as the first time.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use duckdb::{Connection, OptionalExt, params};

use crate::events::{Appended, EventError, NewBatch, Rejected};

const HOUR_MS: i64 = 3_600_000;
/// How long an answer is remembered.
const REMEMBER_MS: i64 = 24 * HOUR_MS;

/// The answers of the last 24 hours.
///
/// They are in the file; in memory there are four bytes of each, by hour of arrival. Almost every key is new, which
/// those bytes tell without asking the file. When they do not, the file is asked about that one hour.
#[derive(Default)]
pub(super) struct Answers {
    hasher: RandomState,
    known: BTreeMap<i64, HashSet<u32>>,
    /// Given in the group at hand, and in no file yet.
    new: HashMap<(String, String), (i64, Appended)>,
}

impl Answers {
    pub(super) fn load(conn: &Connection) -> duckdb::Result<Self> {
        let mut answers = Self::default();
        let (oldest, newest): (Option<i64>, Option<i64>) =
            conn.query_row("SELECT min(received_ms), max(received_ms) FROM idempotency", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let (Some(oldest), Some(newest)) = (oldest, newest) else { return Ok(answers) };
        // Stands for those that are too old, so that they are dropped in time.
        answers.known.entry(oldest.div_euclid(HOUR_MS)).or_default();
        let mut rows = conn
            .prepare("SELECT key_id, idempotency_key, received_ms FROM idempotency WHERE received_ms > ?")?;
        let mut rows = rows.query(params![newest - REMEMBER_MS])?;
        while let Some(row) = rows.next()? {
            let (key, idempotency_key): (String, String) = (row.get(0)?, row.get(1)?);
            answers.know(&key, &idempotency_key, row.get(2)?);
        }
        Ok(answers)
    }

    /// The answer to an earlier batch with the same keys.
    pub(super) fn find(
        &self,
        conn: &Connection,
        key: &str,
        batch: &NewBatch,
    ) -> Result<Option<Appended>, EventError> {
        let Some(idempotency_key) = &batch.idempotency_key else { return Ok(None) };
        let print = self.print(key, idempotency_key);
        let mut hours = self.known.iter().rev().filter(|(_, prints)| prints.contains(&print)).peekable();
        if hours.peek().is_none() {
            return Ok(None);
        }
        if let Some((_, first)) = self.new.get(&(key.to_owned(), idempotency_key.clone())) {
            return Ok(Some(Appended { replayed: true, ..first.clone() }));
        }
        for (hour, _) in hours {
            let from = (hour * HOUR_MS).max(batch.received_ms - REMEMBER_MS + 1);
            let stored: Option<String> = conn
                .prepare_cached(
                    "SELECT answer FROM idempotency
                     WHERE key_id = ? AND idempotency_key = ? AND received_ms BETWEEN ? AND ?",
                )?
                .query_row(params![key, idempotency_key, from, (hour + 1) * HOUR_MS - 1], |row| row.get(0))
                .optional()?;
            if let Some(json) = stored {
                return decode(&json).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn remember(&mut self, key: &str, batch: &NewBatch, answer: &Appended) {
        if let Some(idempotency_key) = &batch.idempotency_key {
            self.know(key, idempotency_key, batch.received_ms);
            self.new.insert((key.to_owned(), idempotency_key.clone()), (batch.received_ms, answer.clone()));
        }
    }

    /// Writes the answers of the group, and drops those that are too old.
    pub(super) fn write(&mut self, conn: &Connection) -> Result<(), EventError> {
        let Some(newest) = self.new.values().map(|(received_ms, _)| *received_ms).max() else {
            return Ok(());
        };
        let mut table = conn.appender("idempotency")?;
        for ((key, idempotency_key), (received_ms, answer)) in self.new.drain() {
            table.append_row(params![key, idempotency_key, received_ms, encode(&answer)?])?;
        }
        table.flush()?;
        self.forget(conn, newest)
    }

    /// Whole hours at once: once an hour there is something to do.
    fn forget(&mut self, conn: &Connection, now_ms: i64) -> Result<(), EventError> {
        let oldest = (now_ms - REMEMBER_MS).div_euclid(HOUR_MS);
        let kept = self.known.split_off(&oldest);
        let dropped = std::mem::replace(&mut self.known, kept);
        if !dropped.is_empty() {
            conn.execute("DELETE FROM idempotency WHERE received_ms < ?", params![oldest * HOUR_MS])?;
        }
        Ok(())
    }

    fn know(&mut self, key: &str, idempotency_key: &str, received_ms: i64) {
        let print = self.print(key, idempotency_key);
        self.known.entry(received_ms.div_euclid(HOUR_MS)).or_default().insert(print);
    }

    /// Two keys may share one: the file tells them apart.
    fn print(&self, key: &str, idempotency_key: &str) -> u32 {
        let [a, b, c, d, ..] = self.hasher.hash_one((key, idempotency_key)).to_be_bytes();
        u32::from_be_bytes([a, b, c, d])
    }
}

/// What is stored is what was answered, less what differs the second time.
fn encode(answer: &Appended) -> Result<String, EventError> {
    serde_json::to_string(&(answer.accepted, &answer.rejected))
        .map_err(|error| EventError::Engine(error.to_string()))
}

fn decode(json: &str) -> Result<Appended, EventError> {
    let (accepted, rejected): (u32, Vec<Rejected>) =
        serde_json::from_str(json).map_err(|error| EventError::Engine(error.to_string()))?;
    Ok(Appended { accepted, rejected, replayed: true })
}
