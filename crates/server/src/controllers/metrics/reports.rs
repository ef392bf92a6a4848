//! Answers that come whole.

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use mcpulse_store::metrics::types::{
    AgreementReport, ChangeReport, ClientReport, IngestHealth, InsightReport, OverlapReport, Overview,
    PairReport, ProducerReport, ToolDetail, ToolReport,
};

use super::query::{MetricsQuery, Query};
use crate::app::App;
use crate::auth::Principal;
use crate::problem::Problem;

macro_rules! reports {
    ($($(#[doc = $doc:literal])* $name:ident = $path:literal, $body:ident;)*) => {$(
        $(#[doc = $doc])*
        #[utoipa::path(
            get,
            path = $path,
            operation_id = stringify!($name),
            tag = "metrics",
            params(("server_id" = String, Path, description = "`srv_…`"), MetricsQuery),
            responses((status = 200, body = $body))
        )]
        pub(crate) async fn $name(
            State(app): State<App>,
            principal: Principal,
            Path(id): Path<String>,
            query: Query,
        ) -> Result<Json<$body>, Problem> {
            query.no_page()?;
            let (server, scope) = query.scope(&app, &principal, &id).await?;
            Ok(Json(app.metrics.$name(server, &scope).await?))
        }
    )*};
}

reports! {
    /// Overview
    ///
    /// The headline figures, against the equally long window before, over time and by client.
    overview = "/v1/servers/{server_id}/overview", Overview;
    /// Tools
    ///
    /// Every tool that was called or registered in the range.
    tools = "/v1/servers/{server_id}/tools", ToolReport;
    /// Clients
    ///
    /// Every metric per client, and clients side by side on each tool.
    clients = "/v1/servers/{server_id}/clients", ClientReport;
    /// Producers
    ///
    /// By SDK, MCP SDK version, protocol version and transport: how errors reach the model depends on them.
    producers = "/v1/servers/{server_id}/producers", ProducerReport;
    /// Tool pairs
    ///
    /// Which tool follows which in the same session and client.
    pairs = "/v1/servers/{server_id}/pairs", PairReport;
    /// Insights
    ///
    /// What needs attention, most severe first. Each fires only when the evidence is past its threshold.
    insights = "/v1/servers/{server_id}/insights", InsightReport;
    /// Changes
    ///
    /// What changed in the range, and whether it helped.
    changes = "/v1/servers/{server_id}/changes", ChangeReport;
    /// Overlaps
    ///
    /// Tools whose descriptions say the same.
    overlaps = "/v1/servers/{server_id}/overlaps", OverlapReport;
    /// Agreements
    ///
    /// Whether tools agreed about declared fields.
    agreements = "/v1/servers/{server_id}/agreements", AgreementReport;
    /// Ingest health
    ///
    /// What arrived and what was rejected, by key, day, producer and rule.
    ingest_health = "/v1/servers/{server_id}/ingest-health", IngestHealth;
}

/// One tool, by its name as a parameter
///
/// As `tools/{name}`, for names that no path can hold: `.` and `..`, which clients of HTTP resolve away.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/tool",
    operation_id = "tool_by_name",
    tag = "metrics",
    params(
        ("server_id" = String, Path, description = "`srv_…`"),
        ("name" = String, Query, description = "The tool's name"),
        MetricsQuery,
    ),
    responses((status = 200, body = ToolDetail))
)]
pub(crate) async fn tool_by_name(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<ToolDetail>, Problem> {
    let (query, name) = Query::parse_with(query.as_deref().unwrap_or_default(), Some("name"))?;
    query.no_page()?;
    let name = name.ok_or_else(|| Problem::invalid().field("name", "is required"))?;
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    Ok(Json(app.metrics.tool(server, &name, &scope).await?))
}

/// One tool
///
/// One tool in full, clients side by side. `tools` is not taken here.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/tools/{name}",
    operation_id = "tool",
    tag = "metrics",
    params(
        ("server_id" = String, Path, description = "`srv_…`"),
        ("name" = String, Path, description = "The tool's name, percent-encoded"),
        MetricsQuery,
    ),
    responses((status = 200, body = ToolDetail))
)]
pub(crate) async fn tool(
    State(app): State<App>,
    principal: Principal,
    Path((id, name)): Path<(String, String)>,
    query: Query,
) -> Result<Json<ToolDetail>, Problem> {
    query.no_page()?;
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    Ok(Json(app.metrics.tool(server, &name, &scope).await?))
}
