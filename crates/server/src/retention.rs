//! Applies the retention of servers: once a day, and soon after one is shortened. What is older than the retention is
//! gone a day later at the latest.

use std::sync::Arc;
use std::time::Duration;

use mcpulse_store::control::{ControlError, Retained, RetentionRun};
use mcpulse_store::events::{EventError, Forgotten};
use tokio::sync::{Notify, watch};

use crate::app::{App, Shared, now_ms};

const HOUR_MS: i64 = 60 * 60 * 1000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// How often it is looked whether a retention is to be applied.
const LOOK: Duration = Duration::from_secs(600);

/// Wakes the task when a retention has changed.
#[derive(Default)]
pub(crate) struct Changed(Arc<Notify>);

impl Changed {
    /// A retention may be shorter now.
    pub(crate) fn notify(&self) {
        self.0.notify_one();
    }
}

/// The first millisecond that is kept.
fn before(days: u32, now_ms: i64) -> i64 {
    now_ms - i64::from(days) * DAY_MS
}

/// When a retention is to be applied next, if nobody changes it.
pub(crate) fn next_ms(days: u32, last: Option<&RetentionRun>, now_ms: i64) -> i64 {
    match last {
        None => now_ms,
        Some(last) if last.failed => last.at_ms + HOUR_MS,
        // A day's worth may have come: in a day, or now when it was shortened by that much.
        Some(last) => last.before_ms + i64::from(days) * DAY_MS + DAY_MS,
    }
}

/// Works until the server stops.
pub(crate) async fn run(app: App, mut stopping: watch::Receiver<bool>) {
    let changed = Arc::clone(&app.retention.0);
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = look(&app) => {}
        }
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = changed.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Applies every retention whose time has come.
async fn look(app: &Shared) {
    let servers = match app.control.retained().await {
        Ok(servers) => servers,
        Err(error) => {
            tracing::error!(%error, "retentions cannot be read");
            return;
        }
    };
    for server in servers {
        if next_ms(server.days, server.last.as_ref(), now_ms()) <= now_ms() {
            apply(app, server).await;
        }
    }
}

async fn apply(app: &Shared, Retained { server, days, .. }: Retained) {
    let at_ms = now_ms();
    let before_ms = before(days, at_ms);
    let done = app.events.forget_before(server, before_ms).await;
    let (failed, deleted) = match done {
        Ok(deleted) => (false, deleted),
        // With the server went everything that was known about it.
        Err(EventError::Deleted) => return,
        Err(error) => {
            tracing::error!(%server, %error, "a retention could not be applied");
            (true, Forgotten::default())
        }
    };
    tracing::info!(%server, calls = deleted.calls, failed, "retention applied");
    match app.control.note_retention(server, RetentionRun { at_ms, before_ms, failed, deleted }).await {
        Ok(()) | Err(ControlError::NotFound) => {}
        Err(error) => tracing::error!(%server, %error, "a retention could not be noted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn ran(days: u32, ago_ms: i64, failed: bool) -> RetentionRun {
        let at_ms = NOW - ago_ms;
        RetentionRun { at_ms, before_ms: before(days, at_ms), failed, deleted: Forgotten::default() }
    }

    #[test]
    fn it_is_applied_daily_and_when_it_is_shortened() {
        let due = |days, last: Option<RetentionRun>| next_ms(days, last.as_ref(), NOW) <= NOW;
        assert!(due(30, None));
        assert!(!due(30, Some(ran(30, DAY_MS - 1, false))));
        assert!(due(30, Some(ran(30, DAY_MS, false))));
        assert!(due(29, Some(ran(30, 0, false))));
        assert!(!due(60, Some(ran(30, DAY_MS, false))));
        assert!(!due(30, Some(ran(30, HOUR_MS - 1, true))));
        assert!(due(30, Some(ran(30, HOUR_MS, true))));
    }
}
