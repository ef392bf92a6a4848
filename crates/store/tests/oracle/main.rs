//! A brute-force oracle for every metric, and the suite that compares an engine with it.
//!
//! `ORACLE_CASES` is the number of random streams, `ORACLE_SEED` picks others, and `ORACLE_SHRINK` is how many steps
//! may be spent on making a failing one small. `scripts/mutants` breaks the SQL and sees that the suite fails.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "a test that cannot go on should stop"
)]
#![allow(missing_docs, unreachable_pub, reason = "a test binary has no public interface")]

mod agreements;
mod answers;
mod calendar;
mod calls;
mod changes;
mod clients;
mod compare;
mod confidence;
mod coverage;
mod definitions;
mod duckdb;
mod estimate;
mod facts;
mod fit;
mod generate;
mod happen;
mod hardships;
mod ingest;
mod insights;
mod latency;
mod model;
mod names;
mod overview;
mod pairs;
mod plan;
mod questions;
mod rates;
mod sessions;
mod statistics;
mod suite;
mod surfaces;
mod tools;
mod view;
