//! Step 5: to the event store, which answers once the batch is on disk.

use mcpulse_store::events::{EventError, NewBatch, Rejected};

use super::answer::Accepted;
use super::validate::Sorted;
use super::{Batch, authenticate};
use crate::app::Shared;
use crate::live::Arrived;
use crate::problem::Problem;

/// Stores the valid payloads and counts the others.
pub(super) async fn store(app: &Shared, batch: Batch, sorted: Sorted) -> Result<Accepted, Problem> {
    let server = batch.key.server_id;
    let Sorted { payloads, rejected } = sorted;
    let counted = rejected.clone();
    let new = NewBatch {
        key: batch.key.id,
        producer: batch.producer,
        idempotency_key: batch.idempotency_key,
        received_ms: batch.received_ms,
        payloads,
        rejected,
    };
    let arrived = Arrived::from(&new);
    let waiting = app.telemetry.waiting();
    let appended = app.events.append(server, new).await;
    drop(waiting);
    let appended = appended.map_err(|error| match error {
        // The server went away between the look at the key and now, and its keys with it.
        EventError::Deleted => authenticate::refusal(),
        error => error.into(),
    })?;
    if appended.replayed {
        app.telemetry.replayed(u64::from(appended.accepted));
    } else {
        app.live.publish(server, || arrived);
        app.telemetry.accepted(u64::from(appended.accepted));
        app.telemetry.rejected(&counted);
    }
    Ok(appended.into())
}

/// Counts payloads of a batch that was refused whole.
pub(super) async fn count(app: &Shared, batch: &Batch, rejected: Vec<Rejected>) {
    let new = NewBatch {
        key: batch.key.id,
        producer: batch.producer.clone(),
        // The same key may come again with a body that is in order.
        idempotency_key: None,
        received_ms: batch.received_ms,
        payloads: Vec::new(),
        rejected,
    };
    let arrived = Arrived::from(&new);
    match app.events.append(batch.key.server_id, new).await {
        Ok(_) => app.live.publish(batch.key.server_id, || arrived),
        Err(error) => tracing::warn!(%error, "could not count a refused batch"),
    }
}
