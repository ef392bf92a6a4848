//! `/v1/accounts/{account_id}`

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use mcpulse_store::control::Account;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Need, Principal};
use crate::controllers::{actor, forget_account};
use crate::input::Input;
use crate::problem::Problem;

/// What can be changed about an account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountChange {
    /// US dollars per million input tokens, 0–1 000 000.
    #[schema(minimum = 0.0, maximum = 1_000_000.0, example = 3.0)]
    usd_per_million_tokens: f64,
}

/// One account
#[utoipa::path(
    get,
    path = "/v1/accounts/{account_id}",
    tag = "accounts",
    operation_id = "account",
    params(("account_id" = String, Path, description = "`acc_…`")),
    responses((status = 200, body = Account))
)]
pub(crate) async fn get(principal: Principal, Path(id): Path<String>) -> Result<Json<Account>, Problem> {
    Ok(Json(principal.account(&id, Need::READ)?.account.clone()))
}

/// Change an account
///
/// Needs the role admin or owner.
#[utoipa::path(
    patch,
    path = "/v1/accounts/{account_id}",
    tag = "accounts",
    operation_id = "update_account",
    params(("account_id" = String, Path, description = "`acc_…`")),
    request_body = AccountChange,
    responses((status = 200, body = Account))
)]
pub(crate) async fn update(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    Input(change): Input<AccountChange>,
) -> Result<Json<Account>, Problem> {
    let account = principal.account(&id, Need::MANAGE)?.account.id;
    let price = change.usd_per_million_tokens;
    Ok(Json(app.control.set_price(account, price, actor(&principal)).await?))
}

/// Forget an account
///
/// Deletes the account, its servers with everything they ever sent, its memberships and its tokens: no byte of them is
/// left. Its users stay. Needs the role owner and a signed-in browser.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{account_id}",
    tag = "accounts",
    operation_id = "delete_account",
    params(("account_id" = String, Path, description = "`acc_…`")),
    responses((status = 204))
)]
pub(crate) async fn delete(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let account = principal.account(&id, Need::OWN)?.account.id;
    principal.in_a_browser()?;
    forget_account(&app, account, actor(&principal)).await?;
    Ok(StatusCode::NO_CONTENT)
}
