//! One file per resource. Handlers get a `Principal` and never see a credential.

pub(crate) mod accounts;
pub(crate) mod keys;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod operations;
pub(crate) mod schema;
pub(crate) mod servers;
pub(crate) mod sign_in;
pub(crate) mod tokens;
pub(crate) mod tool_modes;

use mcpulse_store::control::Actor;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::Principal;

/// A list that is short by nature.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct List<T> {
    /// Oldest first.
    pub(crate) items: Vec<T>,
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items }
    }
}

/// Who is written into the audit log.
fn actor(principal: &Principal) -> Actor {
    Actor::User(principal.user.id)
}
