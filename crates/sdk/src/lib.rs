//! The Rust producer.
