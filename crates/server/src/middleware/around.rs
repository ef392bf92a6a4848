//! Counts and logs requests, bounds how many there are and how long they take, and survives panics.

use std::any::Any;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::problem::Problem;

/// Counts and logs an answer. Logs hold the pattern of the route only: a path or a query may hold names.
pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let route = matched.as_ref().map_or("(none)", MatchedPath::as_str);
    let (status, took) = (response.status(), started.elapsed());
    app.telemetry.answered(&method, route, status, took);
    tracing::debug!(%method, route, status = status.as_u16(), ms = took.as_secs_f64() * 1000.0, "answered");
    response
}

/// Gives each request its turn and a bound on its time.
pub(crate) async fn bound(State(app): State<App>, request: Request, next: Next) -> Response {
    let turn = match app.turn().await {
        Ok(turn) => turn,
        Err(problem) => return problem.into_response(),
    };
    let answer = tokio::time::timeout(app.config.request_timeout(), next.run(request)).await;
    drop(turn);
    answer.unwrap_or_else(|_| {
        tracing::warn!("a request took longer than the request timeout");
        Problem::unavailable().detail("the request took too long").retry_after(5).into_response()
    })
}

/// The answer to a request whose handler panicked.
#[allow(clippy::needless_pass_by_value, reason = "the layer hands over the payload of the panic")]
pub(crate) fn panicked(payload: Box<dyn Any + Send>) -> Response {
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    tracing::error!(panic = what, "a handler panicked");
    Problem::internal().into_response()
}
