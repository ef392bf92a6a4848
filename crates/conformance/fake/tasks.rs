//! The tool `job` as a task, in both generations of the protocol.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcpulse_wire::size;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::faults::has;
use crate::producer::Call;
use crate::server::{Origin, Params, Server, answer, error};
use crate::tools;

/// A call that became a task.
pub(crate) struct Task {
    ends: Instant,
    /// As 2025-11-25 has it: the result is asked for by itself.
    older: bool,
    client: String,
    conversation: Option<String>,
    args: Option<String>,
    began: (i64, Instant),
    recorded: bool,
}

pub(crate) type Tasks = Mutex<HashMap<String, Task>>;

impl Task {
    fn record(&mut self, server: &Server) {
        if std::mem::replace(&mut self.recorded, true) {
            return;
        }
        let result = tools::text("done");
        let call = Call {
            conversation: self.conversation.as_deref(),
            client: &self.client,
            tool: "job",
            args: self.args.as_deref(),
            began: self.began,
            outcome: "ok",
            units: size::response_units(Some(&result)),
            is_empty: false,
        };
        server.record(&call, Some(&result));
    }
}

impl Server {
    /// Answers a call of `job` with a task.
    pub(crate) fn begin_task(
        &self,
        id: &str,
        params: &Params<'_>,
        origin: &Origin<'_>,
        began: (i64, Instant),
    ) -> String {
        let args = params.arguments.map(RawValue::get);
        let parsed: Value = args.and_then(|args| serde_json::from_str(args).ok()).unwrap_or_default();
        let ms = parsed.get("ms").and_then(Value::as_u64).unwrap_or(0);
        let older = params.task.is_some();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("task-{}", tasks.len());
        let mut task = Task {
            ends: began.1 + Duration::from_millis(ms),
            older,
            client: self.client(params, origin),
            conversation: origin.conversation.map(str::to_owned),
            args: args.map(str::to_owned),
            began,
            recorded: false,
        };
        if has("task-recorded-at-once") {
            task.record(self);
        }
        tasks.insert(name.clone(), task);
        let state = json!({ "taskId": name, "status": "working", "ttl": 60_000 });
        if older {
            return answer(id, "result", &json!({ "task": state }));
        }
        answer(id, "result", &json!({ "resultType": "task", "taskId": name, "status": "working" }))
    }

    pub(crate) fn about_task(&self, method: &str, id: &str, name: &str) -> String {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(task) = tasks.get_mut(name) else { return error(id, -32_602, "no such task") };
        if Instant::now() < task.ends {
            return answer(id, "result", &json!({ "taskId": name, "status": "working" }));
        }
        task.record(self);
        let result = tools::text("done");
        if method == "tasks/result" {
            return answer(id, "result", &result);
        }
        let mut state = json!({ "taskId": name, "status": "completed" });
        if !task.older {
            state["result"] = result;
        }
        answer(id, "result", &state)
    }
}
