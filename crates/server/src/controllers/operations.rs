//! `/health` and `/metrics`: for those who run the server.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::problem::Problem;

/// How the server is.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` when it answers at all.
    #[schema(example = "ok")]
    status: &'static str,
    /// Version of the server.
    #[schema(example = "0.1.0")]
    version: &'static str,
}

/// Whether the server works
///
/// 200 when the control store answers, 503 when it does not.
#[utoipa::path(get, path = "/health", tag = "operations", responses((status = 200, body = Health)))]
pub(crate) async fn health(State(app): State<App>) -> Result<Json<Health>, Problem> {
    app.control.ping().await?;
    Ok(Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") }))
}

/// Figures about the server itself
///
/// Prometheus text format. No figure about a tracked server is among them.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    responses((status = 200, description = "Prometheus text format", body = String, content_type = "application/openmetrics-text"))
)]
pub(crate) async fn metrics(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let text = app.telemetry.text().map_err(|_| Problem::internal())?;
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], text))
}
