//! The layer that finds out who asks.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use mcpulse_store::control::Scope;
use mcpulse_store::secret::{self, SecretKind};

use crate::app::{App, Shared, now_ms};
use crate::auth::principal::{Identity, Principal, Via};
use crate::problem::Problem;

/// Finds out who asks and takes the credentials out of the request. A route that needs somebody asks for a
/// `Principal`; one that does not is reached by anybody.
pub(crate) async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let identity = match identify(&app, request.headers()).await {
        Ok(identity) => identity,
        Err(problem) => return problem.into_response(),
    };
    let headers = request.headers_mut();
    headers.remove(header::AUTHORIZATION);
    headers.remove(header::COOKIE);
    request.extensions_mut().insert(identity);
    next.run(request).await
}

async fn identify(app: &Shared, headers: &HeaderMap) -> Result<Identity, Problem> {
    // A header that is there decides: a wrong token is an error even when the browser is signed in.
    if headers.contains_key(header::AUTHORIZATION) {
        return by_token(app, bearer(headers)).await;
    }
    let Some(text) = app.cookies.find(headers) else {
        return Ok(Identity::Unknown("sign in, or send an access token"));
    };
    let cookie = secret::hash(&text);
    let Some((login, user)) = app.control.login(&cookie, now_ms()).await? else {
        return Ok(Identity::Unknown("the sign-in has ended"));
    };
    let memberships = app.control.memberships(user.id).await?;
    let scopes = vec![Scope::Read, Scope::Write];
    Ok(Identity::Known(Box::new(Principal { user, memberships, scopes, via: Via::Cookie(login) })))
}

async fn by_token(app: &Shared, text: Option<&str>) -> Result<Identity, Problem> {
    let refuse = Ok(Identity::Unknown("the access token is unknown, revoked or expired"));
    let prefix = SecretKind::AccessToken.prefix();
    let Some(text) = text.filter(|text| text.starts_with(prefix)) else { return refuse };
    let Some(token) = app.control.token_by_secret(&secret::hash(text), now_ms()).await? else {
        return refuse;
    };
    let Some(user) = app.control.user(token.user_id).await? else { return refuse };
    let mut memberships = app.control.memberships(user.id).await?;
    memberships.retain(|one| one.account.id == token.account_id);
    let (scopes, via) = (token.scopes, Via::Token(token.id));
    Ok(Identity::Known(Box::new(Principal { user, memberships, scopes, via })))
}

/// The secret of an `Authorization: Bearer` header. More than one such header is none.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, secret) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
