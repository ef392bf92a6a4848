//! Calls that became tasks: recorded when a client is told that they have finished.

use ::rmcp::ErrorData;
use ::rmcp::model::{ErrorCode, GetTaskResult, TaskPayload};
use mcpulse_wire::payload::Outcome;
use serde_json::Value;

use crate::ending::Ending;
use crate::guard::quietly;
use crate::pulse::Producer;

/// Looks at the answer to `tasks/get`.
pub(super) fn observe(producer: &Producer, answer: &Result<GetTaskResult, ErrorData>) {
    let Ok(answer) = answer else { return };
    let _ = quietly(|| record(producer, answer));
}

fn record(producer: &Producer, answer: &GetTaskResult) -> Option<()> {
    if !answer.task.status().is_terminal() {
        return None;
    }
    let call = producer.run()?.memory.unpark(&answer.task.task.task_id)?;
    let ran = call.elapsed();
    match &answer.task.payload {
        TaskPayload::Completed { result } => {
            let result = Value::Object(result.clone());
            let ending = Ending::of(&result);
            call.push(ran, ending.outcome, ending.measure(), ending.structured());
        }
        TaskPayload::Failed { error } => {
            let internal =
                error.get("code").and_then(Value::as_i64) == Some(ErrorCode::INTERNAL_ERROR.0.into());
            let outcome = if internal { Outcome::Crashed } else { Outcome::ToolError };
            call.push(ran, outcome, Ending::crashed().measure(), None);
        }
        TaskPayload::Cancelled => producer.stream().count(|losses| losses.cancelled += 1),
        _ => {}
    }
    Some(())
}
