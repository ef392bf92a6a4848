//! `/v1/servers/{server_id}/tool-modes`: how the owner says tools are called.

use axum::Json;
use axum::extract::{Path, State};
use mcpulse_store::control::ToolMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Need, Principal};
use crate::controllers::{List, actor};
use crate::input::Input;
use crate::problem::Problem;

/// How one tool is called.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolModeRow {
    /// The tool's name.
    tool: String,
    mode: ToolMode,
}

/// How one tool is called from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolModeChange {
    /// The tool's name.
    #[schema(min_length = 1, max_length = 200)]
    tool: String,
    /// `null`: estimated from the calls.
    mode: Option<ToolMode>,
}

/// How tools are called
///
/// Tools that are not listed have their first-call success estimated.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/tool-modes",
    tag = "servers",
    operation_id = "tool_modes",
    params(("server_id" = String, Path, description = "`srv_…`")),
    responses((status = 200, body = List<ToolModeRow>))
)]
pub(crate) async fn list(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<List<ToolModeRow>>, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::READ).await?;
    rows(&app, server.id).await
}

/// Say how a tool is called
///
/// *In series* (its follow-ups are lists or pages) or *one answer* (its follow-ups are rewordings). Needs the role
/// admin or owner.
#[utoipa::path(
    patch,
    path = "/v1/servers/{server_id}/tool-modes",
    tag = "servers",
    operation_id = "update_tool_mode",
    params(("server_id" = String, Path, description = "`srv_…`")),
    request_body = ToolModeChange,
    responses((status = 200, body = List<ToolModeRow>))
)]
pub(crate) async fn update(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(change): Input<ToolModeChange>,
) -> Result<Json<List<ToolModeRow>>, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::MANAGE).await?;
    app.control.set_tool_mode(server.id, &change.tool, change.mode, actor(&principal)).await?;
    rows(&app, server.id).await
}

async fn rows(app: &App, server: mcpulse_store::id::ServerId) -> Result<Json<List<ToolModeRow>>, Problem> {
    let modes = app.control.tool_modes(server).await?;
    let rows: Vec<_> = modes.into_iter().map(|(tool, mode)| ToolModeRow { tool, mode }).collect();
    Ok(Json(rows.into()))
}
