//! Answers that come in pages.

use axum::Json;
use axum::extract::{Path, State};
use mcpulse_store::metrics::types::{CallPage, CallsPage, SessionPage, SessionTape, SessionsPage, TapePage};

use super::query::{MetricsQuery, PageQuery, Query};
use crate::app::App;
use crate::auth::Principal;
use crate::problem::Problem;

/// Sessions
///
/// Sessions with a matching call, newest first.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/sessions",
    operation_id = "sessions",
    tag = "metrics",
    params(("server_id" = String, Path, description = "`srv_…`"), MetricsQuery, PageQuery),
    responses((status = 200, body = SessionsPage))
)]
pub(crate) async fn sessions(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    query: Query,
) -> Result<Json<SessionsPage>, Problem> {
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    let page = SessionPage { after: query.cursor()?, limit: query.limit() };
    Ok(Json(app.metrics.sessions(server, &scope, &page).await?))
}

/// One session
///
/// The tape of its calls, oldest first, retries visible; whatever the range, the tools and the clients.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/sessions/{session_id}",
    operation_id = "session",
    tag = "metrics",
    params(
        ("server_id" = String, Path, description = "`srv_…`"),
        ("session_id" = String, Path, description = "The session's id, percent-encoded"),
        MetricsQuery,
        PageQuery,
    ),
    responses((status = 200, body = SessionTape))
)]
pub(crate) async fn session(
    State(app): State<App>,
    principal: Principal,
    Path((id, session)): Path<(String, String)>,
    query: Query,
) -> Result<Json<SessionTape>, Problem> {
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    let page = TapePage { after: query.cursor()?, limit: query.limit() };
    Ok(Json(app.metrics.session(server, &session, &scope, &page).await?))
}

/// Calls
///
/// Matching calls, newest arrival first.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/calls",
    operation_id = "calls",
    tag = "metrics",
    params(("server_id" = String, Path, description = "`srv_…`"), MetricsQuery, PageQuery),
    responses((status = 200, body = CallsPage))
)]
pub(crate) async fn calls(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    query: Query,
) -> Result<Json<CallsPage>, Problem> {
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    let page = CallPage::Before { seq: query.cursor()?, limit: query.limit() };
    Ok(Json(app.metrics.calls(server, &scope, &page).await?))
}
