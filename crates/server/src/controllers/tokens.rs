//! `/v1/accounts/{account_id}/tokens`

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use mcpulse_store::control::{AccessToken, NewToken, Scope};
use mcpulse_store::id::TokenId;
use mcpulse_store::secret::{Secret, SecretKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::{App, now_ms};
use crate::auth::{Need, Principal};
use crate::controllers::{List, actor};
use crate::input::Input;
use crate::problem::Problem;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MAX_DAYS: u32 = 3_660;

/// A token to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// Tells tokens apart.
    #[schema(min_length = 1, max_length = 100, example = "weekly report")]
    name: String,
    /// What it may do.
    #[schema(min_items = 1, max_items = 2)]
    scopes: Vec<Scope>,
    /// When it stops working; never if left out.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 3660)]
    expires_in_days: Option<u32>,
}

/// A token that was just made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    token: AccessToken,
    /// The token itself: shown this once, and not stored.
    #[schema(example = "mp_pat_0123456789abcdefghijklmnopqrstuv")]
    secret: String,
}

/// The access tokens of an account
///
/// Revoked ones too. Needs the role admin or owner.
#[utoipa::path(
    get,
    path = "/v1/accounts/{account_id}/tokens",
    tag = "tokens",
    operation_id = "tokens",
    params(("account_id" = String, Path, description = "`acc_…`")),
    responses((status = 200, body = List<AccessToken>))
)]
pub(crate) async fn list(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<Json<List<AccessToken>>, Problem> {
    let account = principal.account(&id, Need::REVIEW)?.account.id;
    Ok(Json(app.control.tokens(account).await?.into()))
}

/// Make an access token
///
/// It reads what its maker may read in this account. The answer holds the secret, this once. Needs a signed-in
/// browser and the role admin or owner.
#[utoipa::path(
    post,
    path = "/v1/accounts/{account_id}/tokens",
    tag = "tokens",
    operation_id = "create_token",
    params(("account_id" = String, Path, description = "`acc_…`")),
    request_body = TokenRequest,
    responses((status = 201, body = CreatedToken))
)]
pub(crate) async fn create(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(new): Input<TokenRequest>,
) -> Result<(StatusCode, Json<CreatedToken>), Problem> {
    let account = principal.account(&id, Need::MANAGE)?.account.id;
    principal.in_a_browser()?;
    if new.expires_in_days.is_some_and(|days| !(1..=MAX_DAYS).contains(&days)) {
        return Err(Problem::invalid().field("expires_in_days", "must be 1 to 3660"));
    }
    let secret = Secret::generate(SecretKind::AccessToken)?;
    let token = NewToken {
        user: principal.user.id,
        account,
        name: &new.name,
        scopes: &new.scopes,
        expires_ms: new.expires_in_days.map(|days| now_ms() + i64::from(days) * DAY_MS),
        secret: &secret.to_stored(),
    };
    let token = app.control.create_token(token, actor(&principal)).await?;
    Ok((StatusCode::CREATED, Json(CreatedToken { token, secret: secret.reveal().to_owned() })))
}

/// Revoke an access token
///
/// Counts at once. Revoking it again changes nothing. Needs the role admin or owner.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{account_id}/tokens/{token_id}",
    tag = "tokens",
    operation_id = "revoke_token",
    params(
        ("account_id" = String, Path, description = "`acc_…`"),
        ("token_id" = String, Path, description = "`tok_…`"),
    ),
    responses((status = 200, body = AccessToken))
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    principal: Principal,
    Path((account, token)): Path<(String, String)>,
) -> Result<Json<AccessToken>, Problem> {
    let account = principal.account(&account, Need::MANAGE)?.account.id;
    let token: TokenId = token.parse().map_err(|_| Problem::not_found())?;
    // Only a token of this account: the id alone says nothing about whose it is.
    if !app.control.tokens(account).await?.iter().any(|one| one.id == token) {
        return Err(Problem::not_found());
    }
    Ok(Json(app.control.revoke_token(token, actor(&principal)).await?))
}
