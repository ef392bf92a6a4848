//! Calls that become tasks.

use std::time::{Duration, Instant};

use mcpulse_wire::payload::Outcome;
use serde_json::{Value, json};

use crate::expect::{Aspect, Expect, Made, compare, pair};
use crate::harness::{Harness, pause};
use crate::kit::Context;
use crate::mcp::{Answer, Client, Protocol, now_ms};
use crate::tour::{CLIENT, fill};
use crate::verdict::{Fault, ensure, fail, skip};

const MS: u32 = 300;
/// Clocks round down.
const SLACK: u32 = 10;
const BETWEEN_LOOKS: Duration = Duration::from_millis(30);

fn arguments() -> String {
    json!({ "ms": MS }).to_string()
}

/// Calls `job` for a task; its id, if there is one.
fn begin(client: &Client, protocol: Protocol) -> Result<Option<String>, Fault> {
    let asked: &[(&str, &str)] = match protocol {
        Protocol::Initialize => &[("task", r#"{"ttl":60000}"#)],
        Protocol::Meta => &[],
    };
    let answer = client.call_with("job", Some(&arguments()), asked)?.result_value().unwrap_or_default();
    let id = answer
        .pointer("/task/taskId")
        .or_else(|| answer.get("taskId").filter(|_| answer.get("resultType") == Some(&Value::from("task"))));
    Ok(id.and_then(Value::as_str).map(str::to_owned))
}

/// Follows the task to its end; an answer that holds its result.
fn follow(context: &Context<'_>, client: &Client, task: &str) -> Result<Answer, Fault> {
    let deadline = Instant::now() + context.kit.patience();
    while Instant::now() < deadline {
        let state = client.about_task("tasks/get", task)?.result_value().unwrap_or_default();
        match state.get("status").and_then(Value::as_str) {
            Some("working") => pause(BETWEEN_LOOKS),
            Some("completed") if context.link.protocol == Protocol::Initialize => {
                return client.about_task("tasks/result", task);
            }
            Some("completed") => {
                let whole = json!({ "jsonrpc": "2.0", "id": 0, "result": state.get("result") });
                return Ok(Answer { how: String::new(), message: whole.to_string().into_bytes() });
            }
            _ => return fail("`tasks/get` tells neither that the task works nor that it is completed"),
        }
    }
    fail("the task did not end")
}

pub(super) fn at_its_end(context: &Context<'_>) -> Result<(), Fault> {
    let protocol = context.link.protocol;
    let takes_tasks = |harness: &Harness| -> Result<Client, Fault> {
        let mut client = harness.connect(context.link, CLIENT)?;
        client.take_tasks();
        Ok(client)
    };
    let twin = context.twin(&[])?;
    if begin(&takes_tasks(&twin)?, protocol)?.is_none() {
        return skip(format!("the MCP SDK makes no task of `job` over {}", context.link));
    }
    drop(twin);
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let client = takes_tasks(&harness)?;
    let begun = now_ms();
    let Some(task) = begin(&client, protocol)? else {
        return fail("`job` was answered without a task, unlike the twin's");
    };
    let answer = follow(context, &client, &task)?;
    let made = [Made {
        tool: "job".to_owned(),
        args: Some(arguments()),
        client: CLIENT.to_owned(),
        expect: Expect::Outcome(Outcome::Ok),
        answer,
        between: (begun, now_ms()),
    }];
    fill(&client)?;
    context.until(&ingest, "the task to be recorded", |seen| !seen.calls().is_empty())?;
    context.end(&harness)?;
    let recorded = ingest.calls();
    let pairs = pair(&made, &recorded)?;
    for aspect in [Aspect::Outcome, Aspect::Units, Aspect::Empty, Aspect::ArgsHash, Aspect::Client] {
        compare(&pairs, aspect)?;
    }
    let took = recorded.first().map_or(0, |call| call.duration_ms);
    ensure(took + SLACK >= MS, || format!("duration_ms is {took} of a task that took {MS} ms"))
}
