//! The MCP server. Watching it is one line: see `serve.rs`.

mod args;
mod catalogue;
mod paperwork;
mod reading;
mod serve;

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, tool_handler};
use serde::Serialize;

use crate::shop::Shop;

pub(crate) use serve::{ServeArgs, serve};

/// Which wording of the tools is deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Release {
    /// `search_orders` does not say what it searches.
    #[value(name = "1")]
    First,
    /// It does.
    #[value(name = "2")]
    Second,
}

impl Release {
    fn version(self) -> &'static str {
        match self {
            Self::First => "1.4.0",
            Self::Second => "1.5.0",
        }
    }
}

#[derive(Clone)]
pub(crate) struct Orders {
    shop: Arc<Shop>,
    release: Release,
    tool_router: ToolRouter<Self>,
}

impl Orders {
    pub(crate) fn new(shop: Arc<Shop>, release: Release) -> Self {
        let mut router = Self::reading_router() + Self::paperwork_router();
        catalogue::describe(&mut router, release);
        Self { shop, release, tool_router: mcpulse::rmcp::routes(router) }
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Orders {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("orders", self.release.version()))
            .with_instructions("Orders of a furniture shop: search, read, refund, track.".to_owned())
    }
}

/// The answer as structured content. A list is put under `result`, as the protocol's SDKs do.
fn answer(value: impl Serialize) -> CallToolResult {
    match serde_json::to_value(value) {
        Ok(list @ serde_json::Value::Array(_)) => {
            CallToolResult::structured(serde_json::json!({ "result": list }))
        }
        Ok(value) => CallToolResult::structured(value),
        Err(error) => refuse(&format!("cannot be written: {error}")),
    }
}

/// A failure that the model should read and act upon.
fn refuse(reason: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}
