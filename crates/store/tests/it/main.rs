//! The suites of the store, each run on every engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking, and is its own documentation"
)]

mod events;
mod files;
mod full;
mod help;
mod retention;
mod transfer;
