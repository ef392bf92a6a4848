//! `/v1/servers/{server_id}/keys` and `/v1/keys/{key_id}`

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use mcpulse_store::control::IngestKey;
use mcpulse_store::secret::{Secret, SecretKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Need, Principal};
use crate::controllers::{List, actor};
use crate::input::Input;
use crate::problem::Problem;

/// A key to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// Tells keys apart.
    #[schema(min_length = 1, max_length = 100, example = "production")]
    name: String,
}

/// What can be changed about a key.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyChange {
    /// Payloads a minute.
    #[schema(minimum = 1, maximum = 100_000_000, example = 10_000)]
    limit_per_minute: u32,
}

/// A key that was just made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedKey {
    key: IngestKey,
    /// The key itself: shown this once, and not stored.
    #[schema(example = "mp_live_0123456789abcdefghijklmnopqrstuv")]
    secret: String,
}

/// The ingest keys of a server
///
/// Revoked ones too.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/keys",
    tag = "keys",
    operation_id = "keys",
    params(("server_id" = String, Path, description = "`srv_…`")),
    responses((status = 200, body = List<IngestKey>))
)]
pub(crate) async fn list(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<List<IngestKey>>, Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::READ).await?;
    Ok(Json(app.control.keys(server.id).await?.into()))
}

/// Make an ingest key
///
/// The answer holds the secret, this once.
#[utoipa::path(
    post,
    path = "/v1/servers/{server_id}/keys",
    tag = "keys",
    operation_id = "create_key",
    params(("server_id" = String, Path, description = "`srv_…`")),
    request_body = NewKey,
    responses((status = 201, body = CreatedKey))
)]
pub(crate) async fn create(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(new): Input<NewKey>,
) -> Result<(StatusCode, Json<CreatedKey>), Problem> {
    let (server, _) = principal.server(&*app.control, &id, Need::WRITE).await?;
    let secret = Secret::generate(SecretKind::IngestKey)?;
    let key = app.control.create_key(server.id, &new.name, &secret.to_stored(), actor(&principal)).await?;
    Ok((StatusCode::CREATED, Json(CreatedKey { key, secret: secret.reveal().to_owned() })))
}

/// One ingest key
#[utoipa::path(
    get,
    path = "/v1/keys/{key_id}",
    tag = "keys",
    operation_id = "key",
    params(("key_id" = String, Path, description = "`key_…`")),
    responses((status = 200, body = IngestKey))
)]
pub(crate) async fn get(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<IngestKey>, Problem> {
    Ok(Json(principal.key(&*app.control, &id, Need::READ).await?))
}

/// Change an ingest key's limit
///
/// Needs the role admin or owner.
#[utoipa::path(
    patch,
    path = "/v1/keys/{key_id}",
    tag = "keys",
    operation_id = "update_key",
    params(("key_id" = String, Path, description = "`key_…`")),
    request_body = KeyChange,
    responses((status = 200, body = IngestKey))
)]
pub(crate) async fn update(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(change): Input<KeyChange>,
) -> Result<Json<IngestKey>, Problem> {
    let key = principal.key(&*app.control, &id, Need::MANAGE).await?;
    Ok(Json(app.control.set_key_limit(key.id, change.limit_per_minute, actor(&principal)).await?))
}

/// Revoke an ingest key
///
/// Counts at once. Revoking it again changes nothing.
#[utoipa::path(
    delete,
    path = "/v1/keys/{key_id}",
    tag = "keys",
    operation_id = "revoke_key",
    params(("key_id" = String, Path, description = "`key_…`")),
    responses((status = 200, body = IngestKey))
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<IngestKey>, Problem> {
    let key = principal.key(&*app.control, &id, Need::WRITE).await?;
    Ok(Json(app.control.revoke_key(key.id, actor(&principal)).await?))
}
