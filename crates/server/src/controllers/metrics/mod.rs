//! `/v1/servers/{server_id}/…`: every metric. Each handler asks one question of the store.

mod query;
mod reports;
mod rows;

pub(crate) use reports::*;
pub(crate) use rows::*;
