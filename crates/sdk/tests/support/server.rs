//! An MCP server with a tool for everything that can happen to a call.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcpulse::rmcp::Parameters;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::Extension;
use rmcp::handler::server::wrapper;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    CreateTaskResult, DetailedTask, ErrorCode, GetTaskParams, GetTaskResult, Implementation,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, Task, TaskPayload, TaskStatus, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RoleClient, RunningService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the tools take.
#[derive(Debug, Default, Deserialize, schemars::JsonSchema)]
pub struct Text {
    /// Planted in schemas: description-canary.
    pub text: String,
}

#[derive(Clone)]
pub struct Kit {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Kit {
    /// `with_routes`: the author's layer is watched too.
    pub fn new(with_routes: bool) -> Self {
        let router = Self::tool_router();
        Self { tool_router: if with_routes { mcpulse::rmcp::routes(router) } else { router } }
    }

    #[tool(description = "Says it back. description-canary")]
    async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    #[tool(description = "As echo, with rmcp's own extractor.")]
    async fn echo_theirs(&self, wrapper::Parameters(Text { text }): wrapper::Parameters<Text>) -> String {
        text
    }

    #[tool(description = "Answers nothing.")]
    fn nothing(&self) -> CallToolResult {
        CallToolResult::success(vec![])
    }

    #[tool(description = "Answers a list as structured content.")]
    fn list(&self) -> CallToolResult {
        CallToolResult::structured(json!([1, 2, 3]))
    }

    #[tool(description = "Fails, and says so.")]
    fn fails(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("result-canary")])
    }

    #[tool(description = "Fails with the words of a binding error after binding.")]
    fn fails_alike(&self, Parameters(Text { text }): Parameters<Text>) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(format!("failed to deserialize parameters: {text}"))])
    }

    #[tool(description = "Raises a deliberate error.")]
    fn raises(&self) -> Result<CallToolResult, ErrorData> {
        Err(ErrorData::invalid_params("result-canary", None))
    }

    #[tool(description = "Raises an internal error.")]
    fn breaks(&self) -> Result<CallToolResult, ErrorData> {
        Err(ErrorData::internal_error("result-canary", None))
    }

    #[tool(description = "Asks for what the transport does not bring.")]
    fn wants_extension(&self, Extension(_): Extension<u64>) -> String {
        String::new()
    }

    #[tool(description = "Panics.")]
    async fn panics(&self) -> String {
        std::panic::panic_any("result-canary")
    }

    #[tool(description = "Waits until it is cancelled.")]
    async fn waits(&self, context: RequestContext<RoleServer>) -> String {
        context.ct.cancelled().await;
        "too late".to_owned()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Kit {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("kit", "1"))
    }
}

/// A server without a router: pages of tools, tasks, questions, and a list that fails at first.
#[derive(Default)]
pub struct LowLevel {
    pub lists: AtomicUsize,
    /// How many times `tools/list` fails first.
    pub failures: usize,
    /// A word of every description.
    pub wording: Cow<'static, str>,
}

impl LowLevel {
    fn tool(&self, name: &'static str) -> Tool {
        Tool::new(name, format!("{name} {}", self.wording), Arc::new(serde_json::Map::new()))
    }
}

impl ServerHandler for LowLevel {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
            .with_server_info(Implementation::new("low-level", "1"))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if self.lists.fetch_add(1, Ordering::SeqCst) < self.failures {
            return Err(ErrorData::internal_error("not yet", None));
        }
        let mut page = ListToolsResult::default();
        match request.and_then(|request| request.cursor) {
            None => {
                page.tools = vec![self.tool("greet"), self.tool("task")];
                page.next_cursor = Some("2".to_owned());
            }
            Some(_) => page.tools = vec![self.tool("ask")],
        }
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "greet" if request.arguments.is_none() => Err(ErrorData::invalid_params("whom?", None)),
            "greet" => Ok(CallToolResult::success(vec![ContentBlock::text("hello")]).into()),
            "task" => Ok(CallToolResponse::Task(CreateTaskResult::new(task(TaskStatus::Working)))),
            "ask" if request.request_state.is_none() => {
                Ok(InputRequiredResult::from_request_state("go on").into())
            }
            "ask" => Ok(CallToolResult::success(vec![ContentBlock::text("thanks")]).into()),
            "says_no" => Ok(CallToolResult::error(vec![ContentBlock::text("no such tool")]).into()),
            _ => Err(ErrorData::new(ErrorCode(-32001), "unknown", None)),
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let payload = match request.task_id.as_str() {
            "t-1" => TaskPayload::Completed {
                result: json!({"content": [{"type": "text", "text": "done"}]}).as_object().cloned().unwrap(),
            },
            _ => TaskPayload::Working,
        };
        Ok(GetTaskResult::new(DetailedTask::new(task(payload.status()), payload)))
    }
}

fn task(status: TaskStatus) -> Task {
    Task::new("t-1", status, "2026-07-28T00:00:00Z", "2026-07-28T00:00:00Z")
}

pub type Client = RunningService<RoleClient, ClientConfig>;

pub fn client(name: &str) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::builder().enable_tasks().build(), Implementation::new(name, "1"))
}

pub fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// A client connected to `handler` as over standard input and output.
pub async fn connect<H: ServerHandler>(handler: H, name: &str, lifecycle: ClientLifecycleMode) -> Client {
    let (near, far) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        if let Ok(serving) = handler.serve(far).await {
            let _ = serving.waiting().await;
        }
    });
    client(name).serve_with_lifecycle(near, lifecycle).await.unwrap()
}

/// A request to call `tool`.
pub fn call(tool: &str, args: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(tool.to_owned());
    match args {
        Value::Object(args) => params.with_arguments(args),
        _ => params,
    }
}
