//! Rejected payloads, counted per day, key, producer and rule.

use std::collections::HashMap;

use duckdb::{Connection, params};

use crate::events::NewBatch;

const DAY_MS: i64 = 86_400_000;

/// The rejections of one group.
#[derive(Default)]
pub(super) struct Rejections<'a> {
    counts: HashMap<(i32, &'a str, &'a str, &'a str), (i64, i64)>,
}

impl<'a> Rejections<'a> {
    pub(super) fn count(&mut self, key: &'a str, producer: &'a str, batch: &'a NewBatch) {
        let day = i32::try_from(batch.received_ms.div_euclid(DAY_MS)).unwrap_or_default();
        for rejected in &batch.rejected {
            let (count, last) = self.counts.entry((day, key, producer, &rejected.rule)).or_default();
            *count += 1;
            *last = batch.received_ms.max(*last);
        }
    }

    pub(super) fn write(self, conn: &Connection) -> duckdb::Result<()> {
        for ((day, key, producer, rule), (count, last)) in self.counts {
            let known = conn
                .prepare_cached(
                    "UPDATE rejections SET count = count + ?, last_ms = greatest(last_ms, ?)
                     WHERE day = ? AND key_id = ? AND producer = ? AND rule = ?",
                )?
                .execute(params![count, last, day, key, producer, rule])?;
            if known == 0 {
                conn.prepare_cached("INSERT INTO rejections VALUES (?, ?, ?, ?, ?, ?)")?
                    .execute(params![day, key, producer, rule, count, last])?;
            }
        }
        Ok(())
    }
}
