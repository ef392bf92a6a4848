//! The one writer of an event file: turns batches into rows and commits them in groups.

mod idempotency;
mod names;
mod rejections;
mod rows;
mod surfaces;

use duckdb::Connection;

use self::idempotency::Answers;
use self::names::DayNames;
use self::rejections::Rejections;
use self::rows::Rows;
use self::surfaces::Surfaces;
use crate::events::{Appended, EventError, NewBatch, NewPayload};

/// How many rejected payloads an answer names.
const SHOWN_REJECTIONS: usize = 20;

/// A connection for writing, and what has to be known to write the next row. After an error it must be thrown away.
pub(crate) struct Writer {
    conn: Connection,
    last_seq: i64,
    names: DayNames,
    surfaces: Surfaces,
    answers: Answers,
}

impl Writer {
    /// Reads from the file what has to be known to go on.
    pub(crate) fn new(conn: Connection) -> Result<Self, EventError> {
        Ok(Self {
            last_seq: last_seq(&conn)?,
            names: DayNames::load(&conn)?,
            surfaces: Surfaces::load(&conn)?,
            answers: Answers::load(&conn)?,
            conn,
        })
    }

    /// The connection it writes by.
    pub(crate) fn connection(&self) -> &Connection {
        &self.conn
    }

    /// Stores the batches in one transaction, and answers them in order: when this returns they are durable.
    ///
    /// After an error, what is remembered here may be ahead of the file: the writer must be made anew.
    pub(crate) fn commit(&mut self, batches: &[NewBatch]) -> Result<Vec<Appended>, EventError> {
        self.conn.execute_batch("BEGIN TRANSACTION")?;
        let answers = self.stage(batches)?;
        self.conn.execute_batch("COMMIT")?;
        Ok(answers)
    }

    /// The order of arrival of the newest payload.
    pub(crate) fn last_seq(&self) -> i64 {
        self.last_seq
    }

    /// Folds the write-ahead log into the file.
    pub(crate) fn checkpoint(&self) -> Result<(), EventError> {
        Ok(self.conn.execute_batch("CHECKPOINT")?)
    }

    /// Whether the engine still answers; it gives a file up after some failures.
    pub(crate) fn works(&self) -> bool {
        self.conn.execute_batch("SELECT 1 FROM schema_version").is_ok()
    }

    fn stage(&mut self, batches: &[NewBatch]) -> Result<Vec<Appended>, EventError> {
        let keys: Vec<String> = batches.iter().map(|batch| batch.key.to_string()).collect();
        let mut rows = Rows::default();
        let mut rejections = Rejections::default();
        let mut answers = Vec::with_capacity(batches.len());
        for (batch, key) in batches.iter().zip(&keys) {
            if let Some(first) = self.answers.find(&self.conn, key, batch)? {
                answers.push(first);
                continue;
            }
            self.names.begin(batch.received_ms);
            let producer = self.names.producer(&batch.producer);
            for payload in &batch.payloads {
                self.last_seq += 1;
                let at = rows::Arrival { seq: self.last_seq, received_ms: batch.received_ms, key, producer };
                match payload {
                    NewPayload::Call(call) => rows.call(at, call, &mut self.names),
                    NewPayload::Agreement(agreement) => rows.agreement(at, agreement, &mut self.names),
                    NewPayload::Startup(startup) => {
                        let surface = self.surfaces.see(&startup.tools, batch.received_ms, &mut self.names);
                        rows.startup(at, startup, surface, &mut self.names);
                    }
                }
            }
            rejections.count(key, producer, batch);
            let answer = Appended {
                accepted: u32::try_from(batch.payloads.len()).unwrap_or(u32::MAX),
                rejected: batch.rejected.iter().take(SHOWN_REJECTIONS).cloned().collect(),
                replayed: false,
            };
            self.answers.remember(key, batch, &answer);
            answers.push(answer);
        }
        rows.write(&self.conn)?;
        self.surfaces.write(&self.conn)?;
        rejections.write(&self.conn)?;
        self.answers.write(&self.conn)?;
        Ok(answers)
    }
}

fn last_seq(conn: &Connection) -> duckdb::Result<i64> {
    conn.query_row(
        "SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM calls
         UNION ALL SELECT max(seq) FROM startups UNION ALL SELECT max(seq) FROM agreements
         UNION ALL SELECT max(seq) FROM seq_floor)",
        [],
        |row| row.get(0),
    )
}
