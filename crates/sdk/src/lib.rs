#![doc = include_str!("../README.md")]

mod agreements;
mod bounded;
mod conversations;
mod debug;
mod ending;
mod event;
mod exit;
mod guard;
mod losses;
mod options;
mod pulse;
mod record;
mod stream;
mod surface;
mod transport;

#[cfg(feature = "rmcp")]
pub mod rmcp;
#[cfg(feature = "test")]
pub mod testing;

pub use agreements::AgreementOptions;
pub use ending::{Answer, Ending};
pub use losses::Losses;
pub use mcpulse_wire as wire;
pub use mcpulse_wire::payload::{Outcome, Policy};
pub use options::{DEFAULT_ENDPOINT, Options, Sessions};
pub use pulse::Mcpulse;
pub use record::{Arguments, CallRecord, RunningCall};
pub use surface::SurfaceContext;
#[cfg(feature = "http")]
pub use transport::HttpTransport;
pub use transport::{Request, Response, Transport, TransportError};

#[cfg(feature = "rmcp")]
pub use crate::rmcp::{Watched, watch, watch_with};

/// How this producer calls itself, on the wire and in `User-Agent`.
const USER_AGENT: &str = concat!("mcpulse-rust/", env!("CARGO_PKG_VERSION"));
