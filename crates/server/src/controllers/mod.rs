//! One file per resource. Handlers get a `Principal` and never see a credential.

pub(crate) mod accounts;
pub(crate) mod backup;
pub(crate) mod export;
pub(crate) mod keys;
pub(crate) mod live;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod operations;
pub(crate) mod schema;
pub(crate) mod servers;
pub(crate) mod sign_in;
pub(crate) mod tokens;
pub(crate) mod tool_modes;

use mcpulse_store::control::{Actor, ControlError};
use mcpulse_store::events::EventError;
use mcpulse_store::id::{AccountId, ServerId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::auth::Principal;
use crate::problem::Problem;

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

/// Deletes a server with all it ever sent. Gone already is gone.
async fn forget_server(app: &Shared, server: ServerId, by: Actor) -> Result<(), Problem> {
    forget_events(app, server).await?;
    match app.control.delete_server(server, by).await {
        Ok(()) | Err(ControlError::NotFound) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn forget_events(app: &Shared, server: ServerId) -> Result<(), Problem> {
    match app.events.delete_server(server).await {
        Ok(()) | Err(EventError::Deleted) => {}
        Err(error) => return Err(error.into()),
    }
    app.live.end(server);
    Ok(())
}

/// Deletes an account with all its servers.
async fn forget_account(app: &Shared, account: AccountId, by: Actor) -> Result<(), Problem> {
    for server in app.control.servers(account).await? {
        forget_server(app, server.id, by).await?;
    }
    // Somebody may have made one meanwhile.
    for server in app.control.delete_account(account, by).await? {
        forget_events(app, server).await?;
    }
    Ok(())
}

/// Who is written into the audit log.
fn actor(principal: &Principal) -> Actor {
    Actor::User(principal.user.id)
}
