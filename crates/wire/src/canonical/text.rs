//! The canonical form straight from JSON text, in one pass and mostly without copying.
//!
//! Compact text is its own canonical form but for the order of keys, so the reader only tells its [`Output`]
//! where the two differ: whitespace, escapes and numbers to be replaced, objects to be put in order.

mod pieces;
mod reader;

pub(crate) use pieces::Pieces;
pub(crate) use reader::{Entry, Members, Output, read_text};
