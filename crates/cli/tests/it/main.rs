//! The real binary, as people and programs run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

mod conform;
mod durable;
mod filters;
mod generated;
mod kill;
mod retention;
mod serve;
mod support;
mod transfer;
mod usage;
mod validate;
