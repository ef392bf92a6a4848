//! The tools clients see, as sizes and hashes.

use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Payload, Startup, Tool, Transport, WIRE_VERSION, limit};
use mcpulse_wire::{text, tools};
use serde_json::Value;

use crate::event::Surface;
use crate::guard::quietly;
use crate::pulse::{Mcpulse, Producer};

/// Who asked for the tools, and by what means. Everything is optional.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SurfaceContext<'a> {
    /// The program that speaks MCP to the server.
    pub client: Option<&'a str>,
    /// Version of the MCP SDK.
    pub mcp_sdk_version: Option<&'a str>,
    /// MCP protocol version.
    pub protocol_version: Option<&'a str>,
    /// How clients reach the server.
    pub transport: Option<Transport>,
}

impl Mcpulse {
    /// Reports the entries of `tools/list` as a client receives them, all pages together. Sent once for each
    /// surface and session; telling it again costs hashing and nothing else.
    pub fn tools<'v>(&self, entries: impl IntoIterator<Item = &'v Value>, context: &SurfaceContext<'_>) {
        let Some(producer) = self.producer() else { return };
        let _ = quietly(|| producer.report(entries, context));
    }
}

impl Producer {
    /// Returns what the surface is known by.
    pub(crate) fn report<'v>(
        &self,
        entries: impl IntoIterator<Item = &'v Value>,
        context: &SurfaceContext<'_>,
    ) -> Option<Hash12> {
        let run = self.run()?;
        let mut tools: Vec<Tool> =
            entries.into_iter().take(limit::TOOLS).map(tools::tool_from_entry).collect();
        for tool in &mut tools {
            if let Some(policy) = self.policies.get(&tool.name) {
                tool.policy = Some(*policy);
            }
        }
        // A surface is a set: the order of the list is no part of it.
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        let fingerprint = Hash12::of_bytes(&serde_json::to_vec(&tools).ok()?);
        if self.stream().knows(&fingerprint) {
            return Some(fingerprint);
        }
        let version = |text: &str| text::version(text).to_owned();
        let startup = Startup {
            v: WIRE_VERSION,
            session_id: run.session().as_ref().to_owned(),
            client_name: text::client_name(context.client.unwrap_or_default()).into_owned(),
            tools,
            sdk: Some(crate::USER_AGENT.to_owned()),
            mcp_sdk_version: context.mcp_sdk_version.map(version),
            protocol_version: context.protocol_version.map(version),
            transport: context.transport,
            agreements: self.agreements.for_startup(),
        };
        self.stream().surface(Surface { fingerprint, json: fitted(startup)?.into() });
        Some(fingerprint)
    }
}

/// The payload's JSON. Declarations of agreements can be larger than a request may be; they go first.
fn fitted(mut startup: Startup) -> Option<String> {
    let json = serde_json::to_string(&Payload::Startup(startup.clone())).ok()?;
    if json.len() < crate::stream::BODY_MAX - 64 {
        return Some(json);
    }
    startup.agreements = None;
    serde_json::to_string(&Payload::Startup(startup)).ok()
}
