//! Watching servers written with `rmcp`, the official Rust MCP SDK, version 3.
//!
//! Two layers are watched. [`watch`] wraps the whole handler and sees each request before it is bound and each
//! result after it; that alone is enough. [`routes`] and [`Parameters`] add what only the author's side knows:
//! whether a failure came from binding the arguments or from the tool itself.
//!
//! | attached | a failure to bind the arguments is told from a tool's own error by |
//! |---|---|
//! | [`watch`] alone | the error code, the fixed text `rmcp` gives it and the shape of the result |
//! | with [`routes`] | the same, seen before `rmcp` turns the error into a result |
//! | with [`Parameters`] | what happened: certain |

mod call;
mod measure;
mod memory;
mod outcome;
mod parameters;
mod request;
mod routes;
mod slot;
mod tasks;
mod tools;
mod watched;

pub use parameters::Parameters;
pub use routes::routes;
pub use watched::{Watched, watch, watch_with};

pub(crate) use memory::Memory;
