//! `/v1/me`: who asks.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use mcpulse_store::control::{Membership, Scope, User};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Principal, ViaKind};
use crate::controllers::{actor, forget_account};
use crate::problem::Problem;

/// Who asks, and what they reach.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    user: User,
    /// The accounts in reach, oldest first: a token reaches only its own.
    memberships: Vec<Membership>,
    via: ViaKind,
    scopes: Vec<Scope>,
}

impl From<Principal> for Me {
    fn from(principal: Principal) -> Self {
        let Principal { user, memberships, scopes, via } = principal;
        Self { user, memberships, via: via.into(), scopes }
    }
}

/// Who is signed in
///
/// The user, the accounts in reach and what the credential allows.
#[utoipa::path(get, path = "/v1/me", tag = "me", operation_id = "me", responses((status = 200, body = Me)))]
pub(crate) async fn get(principal: Principal) -> Json<Me> {
    Json(principal.into())
}

/// Forget me
///
/// Deletes the user who is signed in, their tokens and sign-ins, and the accounts that nobody else is in with
/// everything that is theirs: no byte of them is left. An account with other members needs another owner first. Needs
/// a signed-in browser.
#[utoipa::path(
    delete,
    path = "/v1/me",
    tag = "me",
    operation_id = "delete_me",
    responses(
        (status = 204),
        (status = 409, description = "An account with other members would be left without an owner", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(State(app): State<App>, principal: Principal) -> Result<Response, Problem> {
    principal.in_a_browser()?;
    let user = principal.user.id;
    for account in app.control.accounts_lost_with(user).await? {
        forget_account(&app, account, actor(&principal)).await?;
    }
    app.control.delete_user(user, actor(&principal)).await?;
    let cookie = app.cookies.clear().ok_or_else(Problem::internal)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
