//! `/v1/accounts/{account_id}/usage`

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use mcpulse_store::events::EventError;
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::MetricsError;
use mcpulse_store::metrics::types::{Range, Scope, Usage};
use serde::Serialize;
use utoipa::ToSchema;

use super::query::Query;
use crate::app::{App, now_ms};
use crate::auth::{Need, Principal};
use crate::problem::Problem;

/// What one server of the account sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct ServerUsage {
    /// The server.
    #[schema(value_type = String, example = "srv_01890a5d-ac96-774b-bcce-b302099a8057")]
    server_id: ServerId,
    /// Its name.
    name: String,
    #[serde(flatten)]
    usage: Usage,
}

/// What an account's servers sent. Days are UTC; those that the range touches count whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountUsage {
    /// The range asked for.
    range: Range,
    /// The account's servers, oldest first.
    servers: Vec<ServerUsage>,
}

/// Usage
///
/// How many payloads each server of the account sent, by day. Servers that were deleted are not in it.
#[utoipa::path(
    get,
    path = "/v1/accounts/{account_id}/usage",
    tag = "accounts",
    operation_id = "usage",
    params(
        ("account_id" = String, Path, description = "`acc_…`"),
        ("from" = Option<String>, Query, description = "First day, as `2026-07-01`. Default: 29 days before `to`."),
        ("to" = Option<String>, Query, description = "Last day, inclusive. Default: today."),
        ("last_days" = Option<u32>, Query, description = "The last so many days, today included; instead of `from` and `to`.", minimum = 1, maximum = 3660),
    ),
    responses((status = 200, body = AccountUsage))
)]
pub(crate) async fn usage(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    query: Query,
) -> Result<Json<AccountUsage>, Problem> {
    let membership = principal.account(&id, Need::READ)?;
    let now_ms = now_ms();
    let days = query.only_days()?.resolve(now_ms)?;
    let scope = Scope {
        range: days.range,
        edges: days.edges,
        tools: Vec::new(),
        clients: Vec::new(),
        now_ms,
        modes: BTreeMap::new(),
        usd_per_million_tokens: membership.account.usd_per_million_tokens,
    };
    let mut servers = Vec::new();
    for server in app.control.servers(membership.account.id).await? {
        let health = match app.metrics.ingest_health(server.id, &scope).await {
            // It went while the list was read.
            Err(MetricsError::Store(EventError::Deleted)) => continue,
            health => health?,
        };
        servers.push(ServerUsage { server_id: server.id, name: server.name, usage: Usage::from(&health) });
    }
    Ok(Json(AccountUsage { range: scope.range, servers }))
}
