//! The two stores of MCPulse and every metric as a query.
//!
//! - [`events`]: calls, surfaces, agreements and rejections of tracked servers, one file each ([`duckdb`] embedded).
//! - [`export`] and [`backup`]: what is taken out of them.
//! - [`control`]: users, accounts, memberships, servers, credentials, settings and the audit log (SQLite embedded).

pub mod backup;
pub mod control;
mod dir;
pub mod duckdb;
pub mod events;
pub mod export;
pub mod id;
pub mod metrics;
pub mod secret;
#[cfg(feature = "testing")]
pub mod testing;
