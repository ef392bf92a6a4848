//! The server objects: with a router, and with both requests written by hand.

use std::sync::PoisonError;

use mcpulse::rmcp::Parameters;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetTaskParams, GetTaskResult, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::tools::Kit;

fn info() -> ServerConfig {
    let capabilities =
        ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_tasks().build();
    ServerConfig::new(capabilities).with_server_info(Implementation::new("harness", "1.0.0"))
}

impl Kit {
    /// `late` comes when somebody is connected.
    fn connected(&self) {
        if !self.router.read().unwrap_or_else(PoisonError::into_inner).has_route("late") {
            self.add("late");
        }
    }

    fn list(&self) -> ListToolsResult {
        self.connected();
        let tools = self.router.read().unwrap_or_else(PoisonError::into_inner).list_all();
        ListToolsResult::with_all_items(tools)
    }
}

impl ServerHandler for Kit {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.router.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(self.list())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.connected();
        let router = self.router.read().unwrap_or_else(PoisonError::into_inner).clone();
        router.call(ToolCallContext::new(self, request, context)).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.job_state(&request.task_id).ok_or_else(|| ErrorData::invalid_params("no such task", None))
    }
}

/// Without a router, and with so many tools on a page.
#[derive(Clone)]
pub(crate) struct LowLevel(pub(crate) Kit, pub(crate) Option<usize>);

fn bind<T: DeserializeOwned>(arguments: JsonObject) -> Result<Parameters<T>, ErrorData> {
    let bound = serde_json::from_value(Value::Object(arguments));
    bound.map(Parameters).map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

impl ServerHandler for LowLevel {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.0.list();
        list.tools.retain(|tool| tool.name != "ask" && tool.name != "job");
        if let Some(page) = self.1 {
            let cursor = request.and_then(|request| request.cursor);
            let from = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
            list.next_cursor =
                Some(from + page).filter(|next| *next < list.tools.len()).map(|next| next.to_string());
            list.tools = list.tools.into_iter().skip(from).take(page).collect();
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (kit, args) = (&self.0, request.arguments.unwrap_or_default());
        kit.connected();
        let result = match request.name.as_ref() {
            "echo" => kit.echo(bind(args)?),
            "fast" => kit.fast(),
            "slow" => kit.slow(bind(args)?, context).await,
            "empty" => kit.empty(bind(args)?),
            "reply" => kit.reply(bind(args)?)?,
            "error" => kit.error(),
            "crash" => kit.crash()?,
            "strict" => kit.strict(bind(args)?),
            "huge" => kit.huge(bind(args)?),
            "unicode" => kit.unicode(),
            "canary" => kit.canary(bind(args)?),
            "price_a" => kit.price_a(bind(args)?),
            "price_b" => kit.price_b(bind(args)?),
            "never_called" => kit.never_called(),
            "grow" => kit.grow(context).await,
            "quit" => kit.quit(bind(args)?),
            name @ ("late" | "grown") if kit.get_tool(name).is_some() => Kit::named(name),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(result.into())
    }
}
