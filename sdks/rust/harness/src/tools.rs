//! The kit's tools.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use mcpulse::rmcp::Parameters;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, ElicitRequest,
    ElicitRequestParams, ElicitationSchema, GetTaskResult, InputRequest, InputRequiredResult, JsonObject,
    TASKS_EXTENSION_ID, Task, TaskPayload, TaskStatus, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// How `quit` ends the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quit {
    Exit(i32),
    Uncaught,
}

/// One server object. Those of one path share their tools.
#[derive(Clone)]
pub(crate) struct Kit {
    pub(crate) router: Arc<RwLock<ToolRouter<Self>>>,
    quit: UnboundedSender<Quit>,
    /// When the tasks of `job` end, by their ids.
    tasks: Arc<Mutex<Vec<Instant>>>,
    /// For `churn`: counts the server objects that are alive.
    pub(crate) _alive: Arc<()>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Slow {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    NoParts,
    Blank,
    Null,
    List,
    Object,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Empty {
    kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Reply {
    result: JsonObject,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strict {
    #[serde(rename = "id")]
    _id: NonZeroU64,
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Huge {
    units: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Secret {
    secret: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Price {
    id: String,
    amount: f64,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Ending {
    code: i32,
    how: Option<String>,
}

fn canary() -> String {
    std::env::var("MCPULSE_HARNESS_CANARY").unwrap_or_else(|_| "canary".to_owned())
}

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn order(price: Price) -> CallToolResult {
    CallToolResult::structured(json!({ "order": { "id": price.id, "amount": price.amount } }))
}

#[tool_router(vis = "pub(crate)")]
impl Kit {
    pub(crate) fn new(router: Arc<RwLock<ToolRouter<Self>>>, quit: UnboundedSender<Quit>) -> Self {
        Self { router, quit, tasks: Arc::default(), _alive: Arc::default() }
    }

    /// A server object that shares its tools and tasks with this one.
    pub(crate) fn another(&self) -> Self {
        Self { _alive: Arc::default(), ..self.clone() }
    }

    #[tool(description = "Says back what it got.")]
    pub(crate) fn echo(&self, Parameters(args): Parameters<JsonObject>) -> CallToolResult {
        text(Value::Object(args).to_string())
    }

    #[tool(description = "Is done at once.")]
    pub(crate) fn fast(&self) -> CallToolResult {
        text("done")
    }

    #[tool(description = "Takes its time.")]
    pub(crate) async fn slow(
        &self,
        Parameters(Slow { ms }): Parameters<Slow>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(ms)) => {}
            () = context.ct.cancelled() => {}
        }
        text("done")
    }

    #[tool(description = "Answers nothing.")]
    pub(crate) fn empty(&self, Parameters(Empty { kind }): Parameters<Empty>) -> CallToolResult {
        match kind {
            Kind::NoParts => CallToolResult::success(Vec::new()),
            Kind::Blank => text(" \n\t"),
            Kind::Null => text("null"),
            Kind::List => text("[]"),
            Kind::Object => text("{}"),
        }
    }

    #[tool(description = "Answers what it is told to.")]
    pub(crate) fn reply(
        &self,
        Parameters(Reply { result }): Parameters<Reply>,
    ) -> Result<CallToolResult, ErrorData> {
        serde_json::from_value(Value::Object(result))
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    #[tool(description = "Fails, and says so.")]
    pub(crate) fn error(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("no such order")])
    }

    #[tool(description = "Breaks.")]
    pub(crate) fn crash(&self) -> Result<CallToolResult, ErrorData> {
        Err(ErrorData::internal_error(format!("boom {}", canary()), None))
    }

    #[tool(description = "Takes an id and a note, and nothing else.")]
    pub(crate) fn strict(&self, _: Parameters<Strict>) -> CallToolResult {
        text("ok")
    }

    #[tool(description = "Answers a lot.")]
    pub(crate) fn huge(&self, Parameters(Huge { units }): Parameters<Huge>) -> CallToolResult {
        text("x".repeat(units.unwrap_or(1_000_000)))
    }

    #[tool(description = "Answers in many scripts.")]
    pub(crate) fn unicode(&self) -> CallToolResult {
        text("café 🚀 東京")
    }

    #[tool(description = "Keeps a secret.")]
    pub(crate) fn canary(&self, Parameters(Secret { secret }): Parameters<Secret>) -> CallToolResult {
        text(format!("{} {secret}", canary()))
    }

    #[tool(description = "The price of an order.")]
    pub(crate) fn price_a(&self, Parameters(price): Parameters<Price>) -> CallToolResult {
        order(price)
    }

    #[tool(description = "The price of an order, from elsewhere.")]
    pub(crate) fn price_b(&self, Parameters(price): Parameters<Price>) -> CallToolResult {
        order(price)
    }

    #[tool(description = "Nobody calls it.")]
    pub(crate) fn never_called(&self) -> CallToolResult {
        text("done")
    }

    #[tool(description = "Adds a tool.")]
    pub(crate) async fn grow(&self, context: RequestContext<RoleServer>) -> CallToolResult {
        self.add("grown");
        // A client that has gone needs no notification.
        let _ = context.peer.notify_tool_list_changed().await;
        text("grown")
    }

    #[tool(description = "Ends the program.")]
    pub(crate) fn quit(&self, Parameters(Ending { code, how }): Parameters<Ending>) -> CallToolResult {
        let how = if how.as_deref() == Some("uncaught") { Quit::Uncaught } else { Quit::Exit(code) };
        let quit = self.quit.clone();
        tokio::spawn(async move {
            // The answer goes out first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            let _ = quit.send(how);
        });
        text("bye")
    }

    /// What a tool that came later answers.
    pub(crate) fn named(name: &str) -> CallToolResult {
        text(name)
    }

    /// Registers a tool that says its own name.
    pub(crate) fn add(&self, name: &'static str) {
        let mut router = self.router.write().unwrap_or_else(PoisonError::into_inner);
        let tool = Tool::new(name, "Came later.", empty_schema());
        router.add_route(ToolRoute::new_dyn(tool, move |_| Box::pin(async move { Ok(text(name).into()) })));
    }
}

fn empty_schema() -> Arc<JsonObject> {
    Arc::new([("type".to_owned(), Value::from("object"))].into_iter().collect())
}

/// Asks for a name: the first answer is a question.
fn ask(context: ToolCallContext<'_, Kit>) -> Result<CallToolResponse, ErrorData> {
    let given = context.input_responses.as_ref().and_then(|responses| responses.get("who"));
    if let Some(name) = given.and_then(|answer| answer.pointer("/content/name")).and_then(Value::as_str) {
        return Ok(text(format!("hello {name}")).into());
    }
    let schema = ElicitationSchema::builder().required_string("name").build();
    let schema = schema.map_err(|error| ErrorData::internal_error(error.to_owned(), None))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Who?".to_owned(),
        requested_schema: schema,
    };
    let who = InputRequest::Elicitation(ElicitRequest::new(params));
    Ok(InputRequiredResult::from_input_requests([("who".to_owned(), who)].into()).into())
}

fn takes_tasks(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.meta.get("io.modelcontextprotocol/clientCapabilities");
    let extensions = capabilities.and_then(|capabilities| capabilities.get("extensions"));
    extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION_ID).is_some())
}

/// Takes its time, as a task for clients that can be told of one.
async fn job(context: ToolCallContext<'_, Kit>) -> Result<CallToolResponse, ErrorData> {
    let arguments = context.arguments.clone().unwrap_or_default();
    let bound = serde_json::from_value(Value::Object(arguments));
    let Slow { ms } = bound.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
    let time = Duration::from_millis(ms);
    if !takes_tasks(&context.request_context) {
        tokio::time::sleep(time).await;
        return Ok(text("done").into());
    }
    let mut tasks = context.service.tasks.lock().unwrap_or_else(PoisonError::into_inner);
    tasks.push(Instant::now() + time);
    Ok(CallToolResponse::Task(CreateTaskResult::new(task(tasks.len(), TaskStatus::Working))))
}

/// What is told of a task, whose times are nobody's business.
fn task(id: usize, status: TaskStatus) -> Task {
    Task::new(id.to_string(), status, "2026-07-28T00:00:00Z", "2026-07-28T00:00:00Z")
}

impl Kit {
    /// The answer to `tasks/get`.
    pub(crate) fn job_state(&self, id: &str) -> Option<GetTaskResult> {
        let number: usize = id.parse().ok()?;
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let payload = if *tasks.get(number.checked_sub(1)?)? > Instant::now() {
            TaskPayload::Working
        } else {
            let result = serde_json::to_value(text("done")).ok()?.as_object().cloned()?;
            TaskPayload::Completed { result }
        };
        Some(GetTaskResult::new(DetailedTask::new(task(number, payload.status()), payload)))
    }
}

/// All tools, with the canary in a description and a schema.
pub(crate) fn tools() -> ToolRouter<Kit> {
    let mut router = Kit::tool_router();
    if let Some(route) = router.map.get_mut("canary") {
        route.attr.description = Some(format!("Keeps a secret: {}.", canary()).into());
        if let Some(secret) = Arc::make_mut(&mut route.attr.input_schema).get_mut("properties") {
            secret["secret"]["description"] = format!("Such as {}.", canary()).into();
        }
    }
    let asks = Tool::new("ask", "Asks for a name.", empty_schema());
    router.add_route(ToolRoute::new_dyn(asks, |context| Box::pin(async move { ask(context) })));
    let jobs = Tool::new("job", "Takes its time, as a task.", empty_schema());
    router.add_route(ToolRoute::new_dyn(jobs, |context| Box::pin(job(context))));
    router
}
