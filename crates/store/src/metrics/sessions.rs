//! Sessions, and one session call by call.

use super::context::Context;
use super::figures::tokens;
use super::snapshot::{Slice, Snapshot, TapeRow};
use super::types::{
    CallPage, CallsPage, LinkKind, Scope, SessionCursor, SessionPage, SessionRow, SessionTape, SessionsPage,
    TapeCall, TapeCursor, TapePage,
};
use super::{MetricsError, invalid};
use crate::control::ToolMode;

type Result<T> = std::result::Result<T, MetricsError>;

/// Rows on a page at most.
const MOST: u32 = 1_000;

fn check(limit: u32) -> Result<usize> {
    if (1..=MOST).contains(&limit) { Ok(limit as usize) } else { Err(invalid("limit", "must be 1 to 1000")) }
}

pub(super) fn sessions(snapshot: &dyn Snapshot, scope: &Scope, page: &SessionPage) -> Result<SessionsPage> {
    let limit = check(page.limit)?;
    let price = super::figures::Price { usd_per_million_tokens: scope.usd_per_million_tokens };
    let (counts, total) = snapshot.sessions(Slice::matching(scope.range), page)?;
    let more = counts.len() > limit;
    let sessions: Vec<SessionRow> = counts
        .into_iter()
        .take(limit)
        .map(|row| SessionRow {
            calls: row.outcomes.total(),
            cost_usd: price.of(tokens(row.units)),
            session_id: row.session_id,
            first_call_ms: row.first_call_ms,
            last_call_ms: row.last_call_ms,
            clients: row.clients,
            tools: row.tools,
            outcomes: row.outcomes,
            retried_calls: row.retried,
            followed_calls: row.followed,
            response_units: row.units,
            crowded: row.crowded,
            sdk: row.sdk,
        })
        .collect();
    let next = sessions.last().filter(|_| more).map(|last| {
        SessionCursor { first_call_ms: last.first_call_ms, session_id: last.session_id.clone() }.to_string()
    });
    Ok(SessionsPage { range: scope.range, settled_as_of_ms: scope.settled_as_of_ms(), sessions, total, next })
}

pub(super) fn session(
    snapshot: &dyn Snapshot,
    session_id: &str,
    scope: &Scope,
    page: &TapePage,
) -> Result<SessionTape> {
    let limit = check(page.limit)?;
    let span = snapshot.session_span(session_id)?.ok_or(MetricsError::NotFound)?;
    let context = Context::new(snapshot, scope, scope.range)?;
    let rows = snapshot.tape(session_id, page)?;
    let more = rows.len() > limit;
    let calls: Vec<TapeCall> = rows.into_iter().take(limit).map(|row| tape_call(row, &context)).collect();
    let next = calls
        .last()
        .filter(|_| more)
        .map(|last| TapeCursor { started_ms: last.call.started_ms, seq: last.call.seq }.to_string());
    Ok(SessionTape {
        session_id: session_id.to_owned(),
        first_call_ms: span.first_ms,
        last_call_ms: span.last_ms,
        total_calls: span.calls,
        settled_as_of_ms: scope.settled_as_of_ms(),
        startups: snapshot.session_startups(session_id)?,
        calls,
        next,
    })
}

fn tape_call(row: TapeRow, context: &Context<'_>) -> TapeCall {
    let visible = |link: Option<LinkKind>| link.filter(|_| !row.crowded);
    let link_behind = visible(row.link_behind);
    let reworded_probability = (row.good && !row.crowded).then(|| {
        let reading = context.reading();
        match (link_behind, reading.modes.get(&row.call.tool)) {
            (None, _) | (_, Some(ToolMode::InSeries)) => 0.0,
            (Some(_), Some(ToolMode::OneAnswer)) | (Some(LinkKind::Retry), None) => 1.0,
            (Some(LinkKind::FollowUp), None) if row.shape.clean => {
                reading.fits.belief(&row.call.tool, row.shape.steps).likely
            }
            (Some(LinkKind::FollowUp), None) => 1.0,
        }
    });
    TapeCall {
        link: visible(row.link),
        link_behind,
        reworded_probability,
        call: row.call,
        step: row.step,
        repeat: row.repeat,
        run: row.run,
        run_steps: row.shape.steps,
        run_clean: row.shape.clean,
        crowded: row.crowded,
        settled: row.settled,
        surface_id: row.surface,
    }
}

pub(super) fn calls(snapshot: &dyn Snapshot, scope: &Scope, page: &CallPage) -> Result<CallsPage> {
    let (CallPage::Before { limit, .. } | CallPage::After { limit, .. }) = *page;
    let limit = check(limit)?;
    let mut calls = snapshot.calls(Slice::matching(scope.range), page)?;
    let more = calls.len() > limit;
    calls.truncate(limit);
    let next = calls.last().filter(|_| more).map(|last| last.seq);
    Ok(CallsPage { calls, next })
}
