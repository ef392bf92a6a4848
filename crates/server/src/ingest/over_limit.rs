//! Payloads refused because their key was over its limit: shown to the owner like every other rejection, but counted
//! in memory first. A write to disk for each would turn the limit into a way to keep the disk busy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcpulse_store::events::{EventError, NewBatch, Rejected};
use mcpulse_store::id::{KeyId, ServerId};

use super::Batch;
use crate::app::{Shared, now_ms};
use crate::live::Arrived;

/// How often what was counted is written.
pub(crate) const WRITTEN_EVERY: Duration = Duration::from_secs(10);

/// The rule that such payloads break. A batch that is tried again counts again.
const RULE: &str = "rate_limit";

/// The most that is written at once for one key; the rest waits for the next time.
const MAX_WRITTEN: u32 = 65_536;

/// Counts by server, key and producer.
#[derive(Default)]
pub(crate) struct OverLimit {
    counts: Mutex<HashMap<(ServerId, KeyId, String), u32>>,
}

impl OverLimit {
    /// Counts payloads of a batch that was refused.
    pub(super) fn add(&self, batch: &Batch, payloads: u32) {
        let key = (batch.key.server_id, batch.key.id, batch.producer.clone());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        *count = count.saturating_add(payloads);
    }

    /// Writes what was counted. What cannot be written is counted on.
    pub(crate) async fn write(&self, app: &Shared) {
        let counts = std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner));
        for ((server, key, producer), count) in counts {
            let now = count.min(MAX_WRITTEN);
            let rejected = |index| Rejected { index, path: String::new(), rule: RULE.to_owned() };
            let batch = NewBatch {
                key,
                producer: producer.clone(),
                idempotency_key: None,
                received_ms: now_ms(),
                payloads: Vec::new(),
                rejected: (0..now).map(rejected).collect(),
            };
            let arrived = Arrived::from(&batch);
            let left = match app.events.append(server, batch).await {
                Ok(_) => {
                    app.live.publish(server, || arrived);
                    count - now
                }
                // With the server went everything that was known about it.
                Err(EventError::Deleted) => 0,
                Err(error) => {
                    tracing::warn!(%error, "could not count payloads over a key's limit");
                    count
                }
            };
            if left > 0 {
                let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
                let count = counts.entry((server, key, producer)).or_default();
                *count = count.saturating_add(left);
            }
        }
    }
}
