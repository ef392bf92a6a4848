//! Who asks, and what they may do.

use axum::extract::FromRequestParts;
use http::request::Parts;
use mcpulse_store::control::{ControlStore, IngestKey, Membership, Role, Scope, Server, User};
use mcpulse_store::id::{AccountId, KeyId, LoginId, ServerId, TokenId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;

/// How somebody proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// A signed-in browser.
    Cookie(LoginId),
    /// An access token.
    Token(TokenId),
}

/// The kinds of proof, as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ViaKind {
    /// A signed-in browser.
    Cookie,
    /// An access token.
    Token,
}

impl From<Via> for ViaKind {
    fn from(via: Via) -> Self {
        match via {
            Via::Cookie(_) => Self::Cookie,
            Via::Token(_) => Self::Token,
        }
    }
}

/// What a request needs: a scope, a role in the account, and perhaps a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    scope: Scope,
    role: Role,
}

impl Need {
    /// To look at what an account has.
    pub(crate) const READ: Self = Self { scope: Scope::Read, role: Role::Member };
    /// To look at what only admins may look at.
    pub(crate) const REVIEW: Self = Self { scope: Scope::Read, role: Role::Admin };
    /// To add servers and keys, and to revoke keys.
    pub(crate) const WRITE: Self = Self { scope: Scope::Write, role: Role::Member };
    /// To change settings, and to delete servers.
    pub(crate) const MANAGE: Self = Self { scope: Scope::Write, role: Role::Admin };
    /// To delete the account.
    pub(crate) const OWN: Self = Self { scope: Scope::Write, role: Role::Owner };
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// The user, or whose token it is.
    pub(crate) user: User,
    /// The accounts in reach: a token reaches only its own.
    pub(crate) memberships: Vec<Membership>,
    /// What the credential allows.
    pub(crate) scopes: Vec<Scope>,
    /// How they proved who they are.
    pub(crate) via: Via,
}

impl Principal {
    /// The membership in an account, if it is in reach and enough for what is needed.
    pub(crate) fn account(&self, id: &str, need: Need) -> Result<&Membership, Problem> {
        let id: AccountId = id.parse().map_err(|_| Problem::not_found())?;
        self.member_of(id, need)
    }

    fn member_of(&self, id: AccountId, need: Need) -> Result<&Membership, Problem> {
        let membership =
            self.memberships.iter().find(|one| one.account.id == id).ok_or_else(Problem::not_found)?;
        if !self.scopes.contains(&need.scope) {
            let detail = match need.scope {
                Scope::Read => "the access token lacks the scope read",
                Scope::Write => "the access token lacks the scope write",
            };
            return Err(Problem::forbidden().detail(detail));
        }
        if membership.role < need.role {
            let detail = match need.role {
                Role::Owner => "this needs the role owner in the account",
                _ => "this needs the role admin or owner in the account",
            };
            return Err(Problem::forbidden().detail(detail));
        }
        Ok(membership)
    }

    /// A server and the membership in its account, if it is in reach and the role is enough.
    pub(crate) async fn server(
        &self,
        control: &dyn ControlStore,
        id: &str,
        need: Need,
    ) -> Result<(Server, &Membership), Problem> {
        let id: ServerId = id.parse().map_err(|_| Problem::not_found())?;
        let server = control.server(id).await?.ok_or_else(Problem::not_found)?;
        let membership = self.member_of(server.account_id, need)?;
        Ok((server, membership))
    }

    /// An ingest key, if its server is in reach and the role is enough.
    pub(crate) async fn key(
        &self,
        control: &dyn ControlStore,
        id: &str,
        need: Need,
    ) -> Result<IngestKey, Problem> {
        let id: KeyId = id.parse().map_err(|_| Problem::not_found())?;
        let key = control.key(id).await?.ok_or_else(Problem::not_found)?;
        let server = control.server(key.server_id).await?.ok_or_else(Problem::not_found)?;
        self.member_of(server.account_id, need)?;
        Ok(key)
    }

    /// Refuses tokens: what makes credentials is only for a signed-in browser, so that a leaked token
    /// cannot outlive its revocation.
    pub(crate) fn in_a_browser(&self) -> Result<(), Problem> {
        match self.via {
            Via::Cookie(_) => Ok(()),
            Via::Token(_) => {
                Err(Problem::forbidden().detail("access tokens cannot do this; sign in with a browser"))
            }
        }
    }
}

/// What the layer found out about a request.
#[derive(Clone, Debug)]
pub(super) enum Identity {
    /// A credential that is taken.
    Known(Box<Principal>),
    /// None, or one that is not taken, and what to say of it.
    Unknown(&'static str),
}

impl<S: Sync> FromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        match parts.extensions.get::<Identity>() {
            Some(Identity::Known(principal)) => Ok(principal.as_ref().clone()),
            Some(Identity::Unknown(detail)) => Err(Problem::unauthorized().detail(*detail)),
            None => Err(Problem::unauthorized().detail("this route takes no credentials")),
        }
    }
}
