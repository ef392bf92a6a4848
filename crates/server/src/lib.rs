//! The MCPulse server: ingest, REST, sign-in and the dashboard, over any pair of stores.
//!
//! A host gives it a [`Config`] and [`Stores`], and runs it:
//!
//! ```no_run
//! # async fn example(stores: mcpulse_server::Stores) -> Result<(), mcpulse_server::BindError> {
//! let server = mcpulse_server::Server::bind(mcpulse_server::Config::default(), stores).await?;
//! tracing::info!(url = server.url(), "listening");
//! server.run(std::future::pending()).await;
//! # Ok(()) }
//! ```
//!
//! All routes are in the router module; one file per resource under `controllers`; each step of ingest
//! has its file under `ingest`.

mod app;
mod auth;
mod config;
mod controllers;
mod dashboard;
mod docs;
mod examples;
mod ingest;
mod input;
mod live;
mod middleware;
mod openapi;
mod problem;
mod retention;
mod router;
mod server;
mod table;
mod telemetry;

pub use auth::link::{LINK_MINUTES, LinkError, operator_pass, sign_in_link};
pub use config::{Config, ConfigError};
pub use openapi::document as openapi_document;
pub use server::{BindError, Server, Stores};
