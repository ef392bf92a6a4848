//! `/v1/accounts/{account_id}`

use axum::Json;
use axum::extract::{Path, State};
use mcpulse_store::control::Account;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Need, Principal};
use crate::controllers::actor;
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
