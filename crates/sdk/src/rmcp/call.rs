//! One `tools/call`, seen from outside.

use std::panic::resume_unwind;
use std::sync::Arc;

use ::rmcp::model::{CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult};
use ::rmcp::service::RequestContext;
use ::rmcp::{ErrorData, RoleServer, ServerHandler};
use mcpulse_wire::payload::Outcome;
use serde_json::Value;

use super::memory::{Kind, Listed};
use super::outcome::{self, Facts};
use super::request::Asker;
use super::slot::{self, Reached};
use super::{measure, tools};
use crate::ending::{Ending, Measure};
use crate::guard::quietly;
use crate::pulse::{Mcpulse, Producer};
use crate::record::{CatchUnwind, RunningCall};

/// What is kept of the request while the handler has it.
struct Begun {
    call: RunningCall,
    legacy: bool,
    takes_tasks: bool,
}

/// Serves the call through `handler` and records how it ended. The answer, the error, the panic and the
/// cancellation pass through as they are.
pub(super) async fn serve<H: ServerHandler>(
    pulse: &Mcpulse,
    producer: &Arc<Producer>,
    handler: &Arc<H>,
    kind: &Kind,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if slot::is_recorded_in(producer.stream()) {
        return handler.call_tool(request, context).await;
    }
    let begun = quietly(|| begin(pulse, &request, &context));
    let _ = quietly(|| tools::ensure_known(producer, handler, kind, &context));
    let cancelled = context.ct.clone();
    let name = request.name.clone();
    let serving = CatchUnwind::new(async move { handler.call_tool(request, context).await });
    let (served, reached) = slot::scope(producer.stream(), serving).await;
    match served {
        // Its client has given up on it: dropping the call counts it as cancelled.
        Ok(answer) if cancelled.is_cancelled() => answer,
        Ok(answer) => {
            if let Some(begun) = begun {
                let facts = Known { producer, handler: handler.as_ref(), kind, name: &name };
                let _ = quietly(|| end(begun, &answer, reached, &facts));
            }
            answer
        }
        Err(panic) => {
            if let Some(begun) = begun {
                begun.call.finish(Ending::crashed());
            }
            resume_unwind(panic)
        }
    }
}

fn begin(pulse: &Mcpulse, request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Begun {
    let asker = Asker::new(context);
    let mut call = pulse.call(&request.name).args(request.arguments.as_ref());
    if let Some(client) = asker.client() {
        call = call.client(client);
    }
    if let Some(conversation) = asker.conversation() {
        call = call.conversation(conversation);
    }
    let (legacy, takes_tasks) = (asker.is_legacy(), asker.takes_tasks());
    Begun { call: call.start(), legacy, takes_tasks }
}

fn end(begun: Begun, answer: &Result<CallToolResponse, ErrorData>, reached: Reached, facts: &impl Facts) {
    let Begun { call, legacy, takes_tasks } = begun;
    let Some(state) = call.into_state() else { return };
    let ran = state.elapsed();
    let (outcome, measured, structured) = match answer {
        Ok(CallToolResponse::Complete(result)) => {
            let outcome = outcome::of_result(result, reached, facts);
            let structured = result.structured_content.as_ref().filter(|value| !value.is_null());
            (outcome, measure::measure(result, legacy), structured)
        }
        Err(error) => (outcome::of_error(error, reached, facts), Measure::NOTHING, None),
        // Not finished: only the request that brings the missing input is a call.
        Ok(CallToolResponse::InputRequired(_)) if !legacy => return,
        Ok(CallToolResponse::Task(created)) if takes_tasks => {
            let producer = Arc::clone(state.producer());
            if let Some(run) = producer.run() {
                run.memory.park(created.task.task_id.clone(), state);
            }
            return;
        }
        // `rmcp` rejects these answers: the client gets an error in their place.
        Ok(_) => (Outcome::Crashed, Measure::NOTHING, None),
    };
    state.push(ran, outcome, measured, structured);
}

/// Records a `tools/call` that `rmcp` could not read as one (its arguments are no object, say) and passed on
/// as an unknown request.
pub(super) async fn serve_unreadable<H: ServerHandler>(
    pulse: &Mcpulse,
    producer: &Producer,
    handler: &H,
    request: CustomRequest,
    context: RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    if slot::is_recorded_in(producer.stream()) {
        return handler.on_custom_request(request, context).await;
    }
    let call = quietly(|| {
        let asker = Asker::new(&context);
        let params = request.params.as_ref();
        let name = params.and_then(|params| params.get("name")).and_then(Value::as_str).unwrap_or_default();
        let mut call = pulse.call(name).args(params.and_then(|params| params.get("arguments")));
        if let Some(client) = asker.client() {
            call = call.client(client);
        }
        if let Some(conversation) = asker.conversation() {
            call = call.conversation(conversation);
        }
        call.start()
    });
    let (answer, _) = slot::scope(producer.stream(), handler.on_custom_request(request, context)).await;
    if let Some(call) = call {
        // A handler that takes such requests after all is beyond what we can judge.
        if answer.is_err() { call.finish(Ending::bad_args()) } else { call.forget() }
    }
    answer
}

/// What the handler itself and its last list say of a tool.
struct Known<'a, H> {
    producer: &'a Producer,
    handler: &'a H,
    kind: &'a Kind,
    name: &'a str,
}

impl<H: ServerHandler> Facts for Known<'_, H> {
    fn is_routed(&self) -> bool {
        self.handler.get_tool(self.name).is_some()
    }

    fn is_unlisted(&self) -> bool {
        let listed = self.producer.run().and_then(|run| run.memory.listed(self.kind));
        matches!(listed, Some(Listed::Tools(list)) if list.tools.iter().all(|tool| tool.name != self.name))
    }
}
