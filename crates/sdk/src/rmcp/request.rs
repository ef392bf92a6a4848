//! Who is asking, and by what means.

use std::sync::Arc;

use ::rmcp::RoleServer;
use ::rmcp::model::{Implementation, InitializeRequestParams, ProtocolVersion, TASKS_EXTENSION_ID};
use ::rmcp::service::RequestContext;
use http::request::Parts;
use mcpulse_wire::payload::Transport;
use serde_json::Value;

const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SESSION_HEADER: &str = "mcp-session-id";

/// The request being served.
pub(super) struct Asker<'a> {
    context: &'a RequestContext<RoleServer>,
    /// What the transport adds to requests that came over HTTP.
    parts: Option<&'a Parts>,
    handshake: Option<Arc<InitializeRequestParams>>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self { context, parts: context.extensions.get(), handshake: context.peer.peer_info() }
    }

    /// What the client calls itself.
    pub(super) fn client(&self) -> Option<&str> {
        if let Some(info) = self.context.meta.get(CLIENT_INFO) {
            return info.get("name").and_then(Value::as_str);
        }
        // For HTTP without a protocol session `rmcp` makes up a handshake and puts its own name into it.
        if self.parts.is_some() && self.conversation().is_none() {
            return None;
        }
        self.handshake.as_deref().map(|handshake| handshake.client_info.name.as_str())
    }

    /// What the protocol calls the conversation, if it names one.
    pub(super) fn conversation(&self) -> Option<&'a str> {
        self.parts?.headers.get(SESSION_HEADER)?.to_str().ok().filter(|id| !id.is_empty())
    }

    /// Whatever did not come over HTTP is a stream of lines like standard input's.
    pub(super) fn transport(&self) -> Transport {
        if self.parts.is_some() { Transport::Http } else { Transport::Stdio }
    }

    pub(super) fn protocol_version(&self) -> Option<ProtocolVersion> {
        self.context.protocol_version()
    }

    /// Whether `rmcp` answers as it did before 2026-07-28.
    pub(super) fn is_legacy(&self) -> bool {
        // Versions are dates, so they compare as text.
        let current = ProtocolVersion::V_2026_07_28;
        self.protocol_version().is_none_or(|version| version.as_str() < current.as_str())
    }

    /// Whether the client may be answered with a task: `rmcp` rejects the answer otherwise.
    pub(super) fn takes_tasks(&self) -> bool {
        match self.context.meta.get(CLIENT_CAPABILITIES) {
            Some(capabilities) => capabilities
                .get("extensions")
                .is_some_and(|extensions| extensions.get(TASKS_EXTENSION_ID).is_some()),
            None => {
                self.handshake.as_deref().is_some_and(|handshake| handshake.capabilities.supports_tasks())
            }
        }
    }
}

/// The version of `rmcp` this was built with.
pub(super) fn rmcp_version() -> String {
    Implementation::from_build_env().version
}
