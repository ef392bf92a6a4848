//! `/v1/accounts/{account_id}/servers` and `/v1/servers/{server_id}`

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use mcpulse_store::control::{RetentionRun, Server};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::app::{App, now_ms};
use crate::auth::{Need, Principal};
use crate::controllers::{List, actor, forget_server};
use crate::input::Input;
use crate::problem::Problem;
use crate::retention::next_ms;

/// A server to be tracked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewServer {
    /// Shown to members.
    #[schema(min_length = 1, max_length = 100, example = "orders")]
    name: String,
}

/// What can be changed about a server. What is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerChange {
    /// Shown to members.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Days that calls are kept, 1–36 500; `null` keeps them.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 36_500)]
    retention_days: Option<Option<u32>>,
}

/// Tells a field that is `null` from one that is left out.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The servers of an account
#[utoipa::path(
    get,
    path = "/v1/accounts/{account_id}/servers",
    tag = "servers",
    operation_id = "servers",
    params(("account_id" = String, Path, description = "`acc_…`")),
    responses((status = 200, body = List<Server>))
)]
pub(crate) async fn list(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<List<Server>>, Problem> {
    let account = principal.account(&id, Need::READ)?.account.id;
    Ok(Json(app.control.servers(account).await?.into()))
}

/// Track a server
#[utoipa::path(
    post,
    path = "/v1/accounts/{account_id}/servers",
    tag = "servers",
    operation_id = "create_server",
    params(("account_id" = String, Path, description = "`acc_…`")),
    request_body = NewServer,
    responses((status = 201, body = Server))
)]
pub(crate) async fn create(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(new): Input<NewServer>,
) -> Result<(StatusCode, Json<Server>), Problem> {
    let account = principal.account(&id, Need::WRITE)?.account.id;
    let server = app.control.create_server(account, &new.name, actor(&principal)).await?;
    Ok((StatusCode::CREATED, Json(server)))
}

/// One server
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}",
    tag = "servers",
    operation_id = "server",
    params(("server_id" = String, Path, description = "`srv_…`")),
    responses((status = 200, body = Server))
)]
pub(crate) async fn get(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<Server>, Problem> {
    Ok(Json(principal.server(&*app.control, &id, Need::READ).await?.0))
}

/// Change a server
///
/// Needs the role admin or owner.
#[utoipa::path(
    patch,
    path = "/v1/servers/{server_id}",
    tag = "servers",
    operation_id = "update_server",
    params(("server_id" = String, Path, description = "`srv_…`")),
    request_body = ServerChange,
    responses((status = 200, body = Server))
)]
pub(crate) async fn update(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(change): Input<ServerChange>,
) -> Result<Json<Server>, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::MANAGE).await?;
    let name = change.name.as_deref().unwrap_or(&server.name);
    let retention = change.retention_days.unwrap_or(server.retention_days);
    let server = app.control.update_server(server.id, name, retention, actor(&principal)).await?;
    app.retention.notify();
    Ok(Json(server))
}

/// Forget a server
///
/// Deletes the server, its keys, its settings and everything it ever sent: no byte of them is left. Needs the role admin or owner.
#[utoipa::path(
    delete,
    path = "/v1/servers/{server_id}",
    tag = "servers",
    operation_id = "delete_server",
    params(("server_id" = String, Path, description = "`srv_…`")),
    responses((status = 204))
)]
pub(crate) async fn delete(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::MANAGE).await?;
    forget_server(&app, server.id, actor(&principal)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How long a server's calls are kept, and what went.
#[derive(Serialize, ToSchema)]
pub(crate) struct Retention {
    /// Days that calls are kept; `null` keeps them. What is older goes within a day.
    retention_days: Option<u32>,
    /// The newest time that it was applied. `null` when it never was.
    last_run: Option<RetentionRun>,
    /// When it is applied next, milliseconds since 1970. `null` when calls are kept.
    next_run_ms: Option<i64>,
}

/// Retention of a server
///
/// What is older than the retention is deleted from the disk, once a day and soon after the retention is shortened.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/retention",
    tag = "servers",
    operation_id = "retention",
    params(("server_id" = String, Path, description = "`srv_…`")),
    responses((status = 200, body = Retention))
)]
pub(crate) async fn retention(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<Retention>, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::READ).await?;
    let last_run = app.control.retention_run(server.id).await?;
    let next = |days| next_ms(days, last_run.as_ref(), now_ms());
    let next_run_ms = server.retention_days.map(next);
    Ok(Json(Retention { retention_days: server.retention_days, last_run, next_run_ms }))
}
