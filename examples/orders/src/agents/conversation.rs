//! One conversation of one agent: connected by a real MCP client, printed line by line.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::Value;
use tokio::task::JoinSet;

use super::servers::{Deployment, Target};
use super::tally::{Tally, say};
use crate::random::Random;

/// A tool that has crashed never answers: agents give up after this.
const PATIENCE: Duration = Duration::from_secs(8);

/// A kind of agent.
#[derive(Debug)]
pub(super) struct Persona {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// How often, in percent, it gets `get_customer` wrong at the first try.
    pub(super) slips: u64,
}

/// What an agent makes of an answer.
#[derive(Debug)]
pub(super) enum Reply {
    Answer(Value),
    Empty,
    Failed,
    Silence,
}

impl Reply {
    /// The answer, if there is one.
    pub(super) fn answer(self) -> Option<Value> {
        if let Self::Answer(value) = self { Some(value) } else { None }
    }
}

pub(super) struct Conversation {
    client: RunningService<RoleClient, ClientConfig>,
    pub(super) persona: &'static Persona,
    pub(super) random: Random,
    /// What the server says of `search_orders`: agents write better queries when it says enough.
    pub(super) search_is_described: bool,
    label: Arc<str>,
    tally: Arc<Tally>,
}

impl Conversation {
    pub(super) async fn open(
        persona: &'static Persona,
        over_http: bool,
        target: &Target,
        deployment: &Deployment,
        random: Random,
        tally: Arc<Tally>,
    ) -> anyhow::Result<Self> {
        let config = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new(persona.name, persona.version),
        );
        let client = if over_http {
            // The older protocol still has sessions, which tell one conversation from another.
            let transport = StreamableHttpClientTransport::from_uri(deployment.url.as_str());
            config.serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await?
        } else {
            let lifecycle =
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
            config.serve_with_lifecycle(target.stdio(deployment.release)?, lifecycle).await?
        };
        let tools = client.list_all_tools().await?;
        let search = tools.iter().find(|tool| tool.name == "search_orders");
        let search_is_described = search
            .and_then(|tool| tool.description.as_deref())
            .is_some_and(|description| description.contains("customer name"));
        let label = format!("{:<15}{:<6}", persona.name, if over_http { "http" } else { "stdio" });
        Tally::add(&tally.conversations);
        Ok(Self { client, persona, random, search_is_described, label: label.into(), tally })
    }

    /// Calls a tool, as a model would: after some thought.
    pub(super) async fn call(&mut self, tool: &'static str, args: Value) -> Reply {
        self.think().await;
        call(self.client.peer().clone(), tool, args, Arc::clone(&self.label), Arc::clone(&self.tally)).await
    }

    /// Calls a tool many times at once.
    pub(super) async fn call_all(&mut self, tool: &'static str, args: Vec<Value>) {
        self.think().await;
        let mut calls = JoinSet::new();
        for args in args {
            let (peer, label, tally) =
                (self.client.peer().clone(), Arc::clone(&self.label), Arc::clone(&self.tally));
            calls.spawn(call(peer, tool, args, label, tally));
        }
        calls.join_all().await;
    }

    pub(super) fn remark(&self, text: &str) {
        say(&format!("{}· {text}", self.label));
    }

    pub(super) async fn close(self) {
        // A server that does not let go must not hold up the next conversation.
        let _ = tokio::time::timeout(PATIENCE, self.client.cancel()).await;
    }

    async fn think(&mut self) {
        tokio::time::sleep(Duration::from_millis(self.random.between(250, 900))).await;
    }
}

async fn call(
    peer: Peer<RoleClient>,
    tool: &'static str,
    args: Value,
    label: Arc<str>,
    tally: Arc<Tally>,
) -> Reply {
    let shown = brief(&args);
    let mut params = CallToolRequestParams::new(tool);
    if let Value::Object(args) = args {
        params = params.with_arguments(args);
    }
    let answered = tokio::time::timeout(PATIENCE, peer.call_tool(params)).await;
    let (reply, remark) = judge(answered.ok());
    let counter = match &reply {
        Reply::Answer(_) => &tally.answers,
        Reply::Empty => &tally.empties,
        Reply::Failed => &tally.failures,
        Reply::Silence => &tally.silences,
    };
    Tally::add(counter);
    say(&format!("{label}{tool}({shown}) → {remark}"));
    reply
}

fn judge(answered: Option<Result<CallToolResult, ServiceError>>) -> (Reply, String) {
    match answered {
        None => (Reply::Silence, format!("no reply in {} s, giving up", PATIENCE.as_secs())),
        Some(Err(error)) => (Reply::Failed, format!("error: {error}")),
        Some(Ok(result)) if result.is_error == Some(true) => {
            let text = result.content.first().and_then(|part| part.as_text()).map(|part| part.text.as_str());
            (Reply::Failed, format!("failed: {}", text.unwrap_or("without a reason")))
        }
        Some(Ok(result)) => match result.structured_content {
            Some(value) => match value.get("result").and_then(Value::as_array) {
                Some(list) if list.is_empty() => (Reply::Empty, "nothing".to_owned()),
                Some(list) => {
                    let remark = format!("{} hits", list.len());
                    (Reply::Answer(Value::Array(list.clone())), remark)
                }
                None => {
                    let size = value.to_string().len();
                    (Reply::Answer(value), format!("{size} bytes"))
                }
            },
            None => (Reply::Empty, "nothing".to_owned()),
        },
    }
}

fn brief(args: &Value) -> String {
    let Some(members) = args.as_object() else { return String::new() };
    let shown: Vec<String> = members.values().map(ToString::to_string).collect();
    shown.join(", ")
}
