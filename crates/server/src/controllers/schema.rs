//! `/v1/schema`: the wire format as JSON Schema.

use axum::response::IntoResponse;
use http::{HeaderValue, header};

/// The published truth, as it is in the repository.
const SCHEMA: &str = include_str!("../../../../spec/wire.schema.json");

/// The wire format
///
/// JSON Schema (draft 2020-12) of every payload that ingest takes.
#[utoipa::path(
    get,
    path = "/v1/schema",
    tag = "ingest",
    operation_id = "schema",
    responses((status = 200, description = "The JSON Schema", body = Object, content_type = "application/schema+json"))
)]
pub(crate) async fn get() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/schema+json")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
    ];
    (headers, SCHEMA)
}
