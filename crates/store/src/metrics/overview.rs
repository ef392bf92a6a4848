//! The headline figures, over time and by client.

use super::clients::client_rows;
use super::confidence::confidence;
use super::context::{Context, Row};
use super::figures::tokens;
use super::snapshot::{By, Slice, Snapshot};
use super::types::{Overview, Point, Scope, SessionCost};
use super::{MetricsError, real};

type Result<T> = std::result::Result<T, MetricsError>;

pub(super) fn overview(snapshot: &dyn Snapshot, scope: &Scope) -> Result<Overview> {
    let now = Context::new(snapshot, scope, scope.range)?;
    let before = Context::new(snapshot, scope, scope.range.before())?;
    let (total, total_before) = (now.total()?, before.total()?);
    Ok(Overview {
        range: now.range,
        range_before: before.range,
        settled_as_of_ms: scope.settled_as_of_ms(),
        figures: total.figures,
        before: total_before.figures,
        session_cost: session_cost(&now, &total)?,
        session_cost_before: session_cost(&before, &total_before)?,
        series: series(&now)?,
        clients: client_rows(&now, before.range)?,
        confidence: confidence(snapshot, scope, &total)?,
    })
}

/// What a session costs (`docs/metrics.md`, 3.8).
fn session_cost(context: &Context<'_>, total: &Row) -> Result<SessionCost> {
    let figures = &total.figures;
    // Where many share a session, its cost is nobody's.
    if total.tally.crowded * 10 > figures.calls {
        return Ok(SessionCost::default());
    }
    let response_usd = (figures.sessions > 0).then(|| figures.response.cost_usd / real(figures.sessions));
    let schemas = context.snapshot.session_schemas(Slice::matching(context.range))?;
    let schema_usd =
        (schemas.sessions > 0).then(|| context.price().of(tokens(schemas.units)) / real(schemas.sessions));
    let total_usd = response_usd.zip(schema_usd).map(|(response, schema)| response + schema);
    Ok(SessionCost { response_usd, schema_usd, total_usd })
}

/// The range in points, empty ones included.
pub(super) fn series(context: &Context<'_>) -> Result<Vec<Point>> {
    let edges = &context.scope.edges;
    let mut points: Vec<Point> = edges
        .windows(2)
        .map(|edge| Point { start_ms: edge[0], end_ms: edge[1], ..Point::default() })
        .collect();
    for row in context.rows(By::Point)? {
        let Some(point) = row.tally.key.point.and_then(|position| points.get_mut(position)) else { continue };
        let figures = row.figures;
        *point = Point {
            calls: figures.calls,
            outcomes: figures.outcomes,
            settled_calls: figures.settled_outcomes.total(),
            error_rate: figures.error_rate,
            empty_rate: figures.empty_rate,
            first_call_success: figures.first_call.first_call_success,
            strict: figures.first_call.strict,
            lenient: figures.first_call.lenient,
            p50_ms: figures.latency.p50_ms,
            p95_ms: figures.latency.p95_ms,
            response_units: figures.response.units,
            cost_usd: figures.response.cost_usd,
            ..*point
        };
    }
    for (position, sessions) in context.snapshot.sessions_started(Slice::matching(context.range))? {
        if let Some(point) = points.get_mut(position) {
            point.sessions_started = sessions;
        }
    }
    Ok(points)
}
