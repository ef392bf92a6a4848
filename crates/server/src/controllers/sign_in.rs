//! `/v1/sign-in` and `/v1/sign-out`: a link becomes a cookie, once.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use mcpulse_store::control::Scope;
use mcpulse_store::secret::{self, Secret, SecretKind};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::{App, now_ms};
use crate::auth::{Principal, Via};
use crate::controllers::me::Me;
use crate::input::Input;
use crate::problem::Problem;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// What follows the `#` of a sign-in link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    /// `mp_link_…`
    token: String,
}

/// Sign in
///
/// Uses up a sign-in link and sets the cookie of a signed-in browser. A link lives 15 minutes and works once.
#[utoipa::path(
    post,
    path = "/v1/sign-in",
    tag = "me",
    operation_id = "sign_in",
    request_body = SignIn,
    responses(
        (status = 200, body = Me, headers(("Set-Cookie" = String, description = "HttpOnly, SameSite=Strict"))),
        (status = 401, description = "The link is unknown, used or expired", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(app): State<App>, Input(input): Input<SignIn>) -> Result<Response, Problem> {
    let now = now_ms();
    let seconds = i64::from(app.config.login_days) * DAY_SECONDS;
    let cookie = Secret::generate(SecretKind::LoginCookie)?;
    let redeemed = app
        .control
        .redeem_login_link(&secret::hash(&input.token), &cookie.to_stored().hash, now, now + seconds * 1000)
        .await?;
    let Some((login, user)) = redeemed else {
        return Err(Problem::unauthorized().detail("the sign-in link is unknown, used or expired"));
    };
    let memberships = app.control.memberships(user.id).await?;
    let scopes = vec![Scope::Read, Scope::Write];
    let me = Me::from(Principal { user, memberships, scopes, via: Via::Cookie(login) });
    let cookie = app.cookies.set(cookie.reveal(), seconds).ok_or_else(Problem::internal)?;
    Ok(([(header::SET_COOKIE, cookie)], Json(me)).into_response())
}

/// Sign out
///
/// Ends the sign-in of this browser. Access tokens are revoked instead.
#[utoipa::path(post, path = "/v1/sign-out", tag = "me", operation_id = "sign_out", responses((status = 204)))]
pub(crate) async fn delete(State(app): State<App>, principal: Principal) -> Result<Response, Problem> {
    principal.in_a_browser()?;
    if let Via::Cookie(login) = principal.via {
        app.control.end_login(login).await?;
    }
    let cookie = app.cookies.clear().ok_or_else(Problem::internal)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
