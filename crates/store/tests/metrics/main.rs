//! Metrics with numbers worked out by hand. What every rule means on random streams is the oracle's matter.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::float_cmp,
    reason = "a test that cannot go on should stop, and its numbers are small"
)]
#![allow(missing_docs, unreachable_pub, reason = "a test binary has no public interface")]

mod changes;
mod empty;
mod examples;
mod first_call;
mod help;
mod insights;
mod lists;
mod names;
mod overview;
mod percentiles;
mod ranges;
mod tools;
