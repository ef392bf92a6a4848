//! Remembered answers: a repeated idempotency key of the same ingest key is answered as the first time.

use std::collections::HashMap;

use duckdb::{Connection, OptionalExt, params};

use crate::events::{Appended, EventError, NewBatch, Rejected};

/// How long an answer is remembered.
const REMEMBER_MS: i64 = 86_400_000;

/// The answers given in the group at hand; those of earlier groups are in the file.
#[derive(Default)]
pub(super) struct Answers {
    new: HashMap<(String, String), (i64, Appended)>,
}

impl Answers {
    pub(super) fn load(_conn: &Connection) -> duckdb::Result<Self> {
        Ok(Self::default())
    }

    /// The answer to an earlier batch with the same keys.
    pub(super) fn find(
        &self,
        conn: &Connection,
        key: &str,
        batch: &NewBatch,
    ) -> Result<Option<Appended>, EventError> {
        let Some(idempotency_key) = &batch.idempotency_key else { return Ok(None) };
        if let Some((_, first)) = self.new.get(&(key.to_owned(), idempotency_key.clone())) {
            return Ok(Some(Appended { replayed: true, ..first.clone() }));
        }
        let stored: Option<String> = conn
            .prepare_cached(
                "SELECT answer FROM idempotency WHERE key_id = ? AND idempotency_key = ? AND received_ms > ?",
            )?
            .query_row(params![key, idempotency_key, batch.received_ms - REMEMBER_MS], |row| row.get(0))
            .optional()?;
        stored.map(|json| decode(&json)).transpose()
    }

    pub(super) fn remember(&mut self, key: &str, batch: &NewBatch, answer: &Appended) {
        if let Some(idempotency_key) = &batch.idempotency_key {
            let keys = (key.to_owned(), idempotency_key.clone());
            self.new.insert(keys, (batch.received_ms, answer.clone()));
        }
    }

    pub(super) fn write(&mut self, conn: &Connection) -> Result<(), EventError> {
        if self.new.is_empty() {
            return Ok(());
        }
        let mut table = conn.appender("idempotency")?;
        for ((key, idempotency_key), (received_ms, answer)) in self.new.drain() {
            table.append_row(params![key, idempotency_key, received_ms, encode(&answer)?])?;
        }
        table.flush()?;
        Ok(())
    }
}

fn encode(answer: &Appended) -> Result<String, EventError> {
    serde_json::to_string(&(answer.accepted, &answer.rejected))
        .map_err(|error| EventError::Engine(error.to_string()))
}

fn decode(json: &str) -> Result<Appended, EventError> {
    let (accepted, rejected): (u32, Vec<Rejected>) =
        serde_json::from_str(json).map_err(|error| EventError::Engine(error.to_string()))?;
    Ok(Appended { accepted, rejected, replayed: true })
}
