//! `/v1/servers/{server_id}/…`: every metric, and what an account's servers sent. Each handler asks one question of the store.

pub(crate) mod query;
mod reports;
mod rows;
mod usage;

pub(crate) use reports::*;
pub(crate) use rows::*;
pub(crate) use usage::*;
