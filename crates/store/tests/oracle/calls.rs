//! Lists of calls by order of arrival.

use mcpulse_store::metrics::types::{CallRow, CallsPage};

use crate::model::Call;
use crate::view::View;

/// A call as it is shown.
pub fn row(call: &Call) -> CallRow {
    CallRow {
        seq: call.seq as u64,
        received_ms: call.received_ms,
        session_id: call.session.clone(),
        client: call.client.clone(),
        tool: call.tool.clone(),
        started_ms: call.started_ms,
        duration_ms: call.duration_ms as u32,
        outcome: call.outcome,
        is_empty: call.is_empty,
        response_units: call.units as u32,
        args_hash: format!("{:012x}", call.hash),
    }
}

impl View<'_> {
    /// All pages, newest arrival first.
    pub fn newest_calls(&self, limit: u32) -> Vec<CallsPage> {
        let mut rows = self.rows();
        rows.reverse();
        pages(&rows, limit)
    }

    /// All pages, oldest arrival first.
    pub fn oldest_calls(&self, limit: u32) -> Vec<CallsPage> {
        pages(&self.rows(), limit)
    }

    fn rows(&self) -> Vec<CallRow> {
        let mut rows: Vec<CallRow> =
            self.matching(self.scope.range).into_iter().map(|at| row(self.call(at))).collect();
        rows.sort_by_key(|row| row.seq);
        rows
    }
}

/// The list in pages; an empty list is one empty page.
fn pages(rows: &[CallRow], limit: u32) -> Vec<CallsPage> {
    cut(rows, limit)
        .into_iter()
        .map(|(calls, more)| CallsPage { next: calls.last().filter(|_| more).map(|call| call.seq), calls })
        .collect()
}

/// Pieces of a list, each with whether another follows; an empty list is one empty piece.
pub fn cut<T: Clone>(rows: &[T], limit: u32) -> Vec<(Vec<T>, bool)> {
    let mut pieces: Vec<(Vec<T>, bool)> =
        rows.chunks(limit as usize).map(|piece| (piece.to_vec(), true)).collect();
    match pieces.last_mut() {
        Some(last) => last.1 = false,
        None => pieces.push((Vec::new(), false)),
    }
    pieces
}
