//! `/v1/accounts/{account_id}/servers` and `/v1/servers/{server_id}`

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use mcpulse_store::control::{ControlError, Server};
use mcpulse_store::events::EventError;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Need, Principal};
use crate::controllers::{List, actor};
use crate::input::Input;
use crate::problem::Problem;

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
    Ok(Json(app.control.update_server(server.id, name, retention, actor(&principal)).await?))
}

/// Forget a server
///
/// Deletes the server, its keys, its settings and everything it ever sent. Needs the role admin or owner.
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
    match app.events.delete_server(server.id).await {
        Ok(()) | Err(EventError::Deleted) => {}
        Err(error) => return Err(error.into()),
    }
    match app.control.delete_server(server.id, actor(&principal)).await {
        // Somebody else was faster: it is gone, as asked.
        Ok(()) | Err(ControlError::NotFound) => Ok(StatusCode::NO_CONTENT),
        Err(error) => Err(error.into()),
    }
}
