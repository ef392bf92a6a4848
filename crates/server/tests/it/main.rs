//! The server as its clients see it: one file per resource, real stores, real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

mod accounts;
mod connections;
mod dashboard;
mod export;
mod forgetting;
mod generated;
mod hosts;
mod ingest;
mod keys;
mod live;
mod matrix;
mod metrics;
mod problems;
mod servers;
mod sign_in;
mod story;
mod support;
mod tokens;
