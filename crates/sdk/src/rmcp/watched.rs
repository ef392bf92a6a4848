//! The forwarding handler.

// `subscribe`, `unsubscribe` and `set_level` are deprecated, and forwarded all the same.
#![expect(deprecated, reason = "a wrapper forwards every method, old ones included")]

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult, GetTaskParams,
    GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use ::rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use ::rmcp::{ErrorData, RoleServer, ServerHandler};

use super::memory::Kind;
use super::{call, tasks, tools};
use crate::guard::quietly;
use crate::options::Options;
use crate::pulse::Mcpulse;

/// Watches `handler` with the options of the environment.
///
/// ```ignore
/// let service = mcpulse::watch(MyServer::new()).serve(stdio()).await?;
/// ```
#[must_use]
pub fn watch<H: ServerHandler>(handler: H) -> Watched<H> {
    Mcpulse::default().watch(handler)
}

/// Watches `handler`. Cheap enough to be called for each request: everything that goes to one destination
/// shares one session.
#[must_use]
pub fn watch_with<H: ServerHandler>(handler: H, options: Options) -> Watched<H> {
    Mcpulse::new(options).watch(handler)
}

impl Mcpulse {
    /// Watches an `rmcp` handler.
    #[must_use]
    pub fn watch<H: ServerHandler>(&self, handler: H) -> Watched<H> {
        Watched { handler: Arc::new(handler), pulse: self.clone(), kind: OnceLock::new() }
    }
}

/// A handler whose tool calls are recorded. It answers exactly as the handler in it does.
#[derive(Debug)]
pub struct Watched<H> {
    handler: Arc<H>,
    pulse: Mcpulse,
    kind: OnceLock<Kind>,
}

impl<H> Clone for Watched<H> {
    fn clone(&self) -> Self {
        Self { handler: Arc::clone(&self.handler), pulse: self.pulse.clone(), kind: OnceLock::new() }
    }
}

impl<H> Deref for Watched<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.handler
    }
}

impl<H> Watched<H> {
    /// The producer that records the calls.
    #[must_use]
    pub fn pulse(&self) -> &Mcpulse {
        &self.pulse
    }
}

impl<H: ServerHandler> Watched<H> {
    fn kind(&self) -> Option<&Kind> {
        if let Some(kind) = self.kind.get() {
            return Some(kind);
        }
        // The author's code; if it panics here, it does so again where the panic belongs.
        let kind = quietly(|| Kind::of(self.handler.as_ref()))?;
        Some(self.kind.get_or_init(|| kind))
    }
}

// A method that is not forwarded would answer with `rmcp`'s default instead of the handler's own.
#[deny(clippy::missing_trait_methods)]
impl<H: ServerHandler> ServerHandler for Watched<H> {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.pulse.producer().zip(self.kind()) {
            Some((producer, kind)) => {
                call::serve(&self.pulse, producer, &self.handler, kind, request, context).await
            }
            None => self.handler.call_tool(request, context).await,
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let first_page = request.as_ref().is_none_or(|request| request.cursor.is_none());
        let Some((producer, kind)) = self.pulse.producer().zip(self.kind()).filter(|_| first_page) else {
            return self.handler.list_tools(request, context).await;
        };
        let answer = self.handler.list_tools(request, context.clone()).await;
        if let Ok(tools) = &answer {
            let _ = quietly(|| tools::observe(producer, &self.handler, kind, &context, tools));
        }
        answer
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let answer = self.handler.get_task(request, context).await;
        if let Some(producer) = self.pulse.producer() {
            tasks::observe(producer, &answer);
        }
        answer
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if let Some(producer) = self.pulse.producer()
            && request.method == "tools/call"
        {
            return call::serve_unreadable(&self.pulse, producer, self.handler.as_ref(), request, context)
                .await;
        }
        self.handler.on_custom_request(request, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.initialize(request, context).await
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.handler.discover(context).await
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.handler.ping(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.handler.complete(request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.set_level(request, context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.handler.get_prompt(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.handler.list_prompts(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.handler.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.handler.list_resource_templates(request, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.handler.read_resource(request, context).await
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.handler.listen(context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.unsubscribe(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.cancel_task(request, context).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.handler.list_skills(request, context).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.handler.get_skill(request, context).await
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.handler.read_resource_directory(request, context).await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_cancelled(notification, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_progress(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_roots_list_changed(context).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_custom_notification(notification, context).await;
    }
}
