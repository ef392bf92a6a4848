//! `/v1/me`: who asks.

use axum::Json;
use mcpulse_store::control::{Membership, Scope, User};
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::{Principal, ViaKind};

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
