//! The MCPulse wire format, version 1: payload types, validation, canonical JSON, hashes, sizes, emptiness
//! and description normalisation. No I/O, no async, and no panic on any input.
//!
//! `spec/` is the published truth; this crate is tested against it like every other implementation.

pub mod canonical;
pub mod empty;
pub mod hash;
mod json;
pub mod normalize;
pub mod payload;
pub mod size;
pub mod text;
pub mod time;
pub mod tools;
pub mod validate;
