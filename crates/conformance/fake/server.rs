//! One MCP server, whatever it is reached by.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mcpulse_wire::{empty, size, tools as wire_tools};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::faults::has;
use crate::producer::{Call, Producer, now_ms};
use crate::tasks::Tasks;
use crate::tools::{self, Ran};

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Params<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
    #[serde(rename = "inputResponses")]
    inputs: Option<Value>,
    #[serde(rename = "clientInfo")]
    client: Option<Value>,
    #[serde(rename = "requestId")]
    request: Option<Value>,
    cursor: Option<Cow<'a, str>>,
    #[serde(rename = "taskId")]
    task_id: Option<Cow<'a, str>>,
    /// Asks for a task, as 2025-11-25 has it.
    pub(crate) task: Option<Value>,
}

impl Params<'_> {
    fn meta(&self, name: &str) -> Option<&Value> {
        self.meta.as_ref()?.get(format!("io.modelcontextprotocol/{name}"))
    }

    /// Whether the client may be answered with a task.
    fn takes_tasks(&self) -> bool {
        let extension = "/extensions/io.modelcontextprotocol~1tasks";
        self.task.is_some()
            || self.meta("clientCapabilities").is_some_and(|all| all.pointer(extension).is_some())
    }
}

/// Where a message came from.
pub(crate) struct Origin<'a> {
    pub(crate) transport: &'static str,
    pub(crate) conversation: Option<&'a str>,
    /// As the handshake of its protocol session has it.
    pub(crate) client: Option<String>,
    /// Waits so many milliseconds; true when the client has given up.
    pub(crate) wait: &'a dyn Fn(&str, u64) -> bool,
    pub(crate) notify: &'a dyn Fn(&str),
}

#[derive(Default)]
pub(crate) struct Server {
    pub(crate) producer: Option<Arc<Producer>>,
    /// Everything ever asked for, for a fault.
    pub(crate) kept: Mutex<Vec<String>>,
    pub(crate) low_level: bool,
    pub(crate) twice: bool,
    pub(crate) connected: AtomicBool,
    pub(crate) grown: AtomicBool,
    pub(crate) running: AtomicUsize,
    pub(crate) last_client: Mutex<String>,
    /// Tools on a page of `tools/list`.
    pub(crate) page: Option<usize>,
    pub(crate) tasks: Tasks,
}

/// What a message asks of its transport.
pub(crate) enum Heard {
    Answer(String),
    Initialize { answer: String, client: String },
    Cancelled(String),
    Nothing,
}

pub(crate) fn answer(id: &str, member: &str, value: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#)
}

pub(crate) fn error(id: &str, code: i32, message: &str) -> String {
    answer(id, "error", &json!({ "code": code, "message": message }))
}

impl Server {
    pub(crate) fn hear(&self, text: &str, origin: &Origin<'_>) -> Heard {
        let Ok(message) = serde_json::from_str::<Message<'_>>(text) else { return Heard::Nothing };
        let params: Params<'_> =
            message.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        self.connected.store(true, Ordering::Release);
        let id = message.id.map(RawValue::get).unwrap_or_default();
        match message.method.as_ref() {
            "notifications/cancelled" => Heard::Cancelled(params.request.unwrap_or_default().to_string()),
            _ if id.is_empty() => Heard::Nothing,
            "initialize" => {
                let name =
                    params.client.as_ref().and_then(|client| client.get("name")).and_then(Value::as_str);
                let client = name.unwrap_or_default().to_owned();
                *self.last_client.lock().unwrap_or_else(PoisonError::into_inner) = client.clone();
                let info = json!({
                    "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "fake", "version": "1" },
                });
                Heard::Initialize { answer: answer(id, "result", &info), client }
            }
            "server/discover" => Heard::Answer(answer(
                id,
                "result",
                &json!({ "supportedVersions": ["2025-11-25", "2026-07-28"] }),
            )),
            "tools/list" => {
                let all = self.entries();
                let (mut entries, next) = self.page_of(&all, params.cursor.as_deref());
                if has("startup-of-a-page") {
                    self.report(&params, origin, &entries, true);
                } else {
                    self.report(&params, origin, &all, true);
                }
                if self.is_watched()
                    && has("list-changed")
                    && let Some(entry) = entries.first_mut()
                {
                    entry["title"] = "watched".into();
                }
                let mut list = json!({ "tools": entries });
                if let Some(next) = next {
                    list["nextCursor"] = next.to_string().into();
                }
                Heard::Answer(answer(id, "result", &list))
            }
            "tasks/get" | "tasks/result" => {
                let task = params.task_id.as_deref().unwrap_or_default();
                Heard::Answer(self.about_task(&message.method, id, task))
            }
            "tools/call" => self.call(id, &params, origin).map_or(Heard::Nothing, Heard::Answer),
            _ => Heard::Answer(error(id, -32_601, "no such method")),
        }
    }

    fn is_watched(&self) -> bool {
        self.producer.is_some()
    }

    fn entries(&self) -> Vec<Value> {
        tools::entries(self.connected.load(Ordering::Acquire), self.grown.load(Ordering::Acquire))
    }

    /// The tools of a page, and where the next one begins.
    fn page_of(&self, all: &[Value], cursor: Option<&str>) -> (Vec<Value>, Option<usize>) {
        let from = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let page = self.page.unwrap_or(all.len());
        let next = Some(from + page).filter(|next| *next < all.len());
        (all.iter().skip(from).take(page).cloned().collect(), next)
    }

    pub(crate) fn client(&self, params: &Params<'_>, origin: &Origin<'_>) -> String {
        let info = params.meta.as_ref().and_then(|meta| meta.get("io.modelcontextprotocol/clientInfo"));
        let named = info.and_then(|info| info.get("name")).and_then(Value::as_str).map(str::to_owned);
        let mut last = self.last_client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = &named {
            last.clone_from(name);
        }
        if has("client-of-the-last") {
            return last.clone();
        }
        named.or_else(|| origin.client.clone()).unwrap_or_else(|| "unknown".to_owned())
    }

    fn report(&self, params: &Params<'_>, origin: &Origin<'_>, entries: &[Value], by_client: bool) {
        let Some(producer) = &self.producer else { return };
        if has("startup-when-listed") && !by_client {
            return;
        }
        if has("startup-only-first") && entries.iter().any(|entry| entry.get("name") == Some(&"grown".into()))
        {
            return;
        }
        let tools: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let mut tool = wire_tools::tool_from_entry(entry);
                if has("schema-in-bytes") {
                    tool.schema_bytes = u32::try_from(entry.to_string().len()).unwrap_or_default();
                }
                let mut tool = serde_json::to_value(tool).unwrap_or_default();
                let policy = match tool.get("name").and_then(Value::as_str) {
                    _ if has("no-policies") => None,
                    Some("strict") => Some("authorization"),
                    Some("never_called") => Some("identity"),
                    _ => None,
                };
                if let Some(policy) = policy {
                    tool["policy"] = policy.into();
                }
                tool
            })
            .collect();
        let newer = params.meta.as_ref().and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
        let protocol = newer.and_then(Value::as_str).unwrap_or("2025-11-25");
        producer.surface(tools.into(), &self.client(params, origin), protocol, origin.transport);
    }

    /// Serves a call and records it. `None`: nobody waits for the answer any more.
    fn call(&self, id: &str, params: &Params<'_>, origin: &Origin<'_>) -> Option<String> {
        let began = (now_ms(), Instant::now());
        let client = self.client(params, origin);
        let tool = params.name.as_deref().unwrap_or_default();
        let raw = params.arguments.map(RawValue::get);
        if self.is_watched() && has("keeps-arguments") {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(raw.map(str::to_owned));
        }
        let args: Value = raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_else(|| json!({}));
        self.report(params, origin, &self.entries(), false);
        if tool == "job" && params.takes_tasks() {
            return Some(self.begin_task(id, params, origin, began));
        }
        self.running.fetch_add(1, Ordering::AcqRel);
        let unknown =
            !self.entries().iter().any(|entry| entry.get("name").and_then(Value::as_str) == Some(tool));
        let ran = if unknown {
            Ran::Refused("no such tool")
        } else {
            tools::run(tool, &args, params.inputs.as_ref(), |ms| (origin.wait)(id, ms))
        };
        self.running.fetch_sub(1, Ordering::AcqRel);
        if tool == "grow" {
            self.grown.store(true, Ordering::Release);
            (origin.notify)("notifications/tools/list_changed");
            if self.is_watched() && has("notifies-twice") {
                (origin.notify)("notifications/tools/list_changed");
            }
        }
        let (outcome, mut result, mut text) = match ran {
            Ran::Done(result) => {
                let failed = result.get("isError") == Some(&Value::Bool(true));
                (if failed { "tool_error" } else { "ok" }, Some(result), String::new())
            }
            Ran::Refused(why) => ("bad_args", None, error(id, -32_602, why)),
            Ran::Crashed => ("crashed", None, error(id, -32_603, &format!("boom {}", tools::canary()))),
            Ran::Cancelled if has("cancelled-recorded") => ("ok", None, String::new()),
            Ran::Cancelled => {
                if let Some(producer) = &self.producer {
                    producer.cancelled();
                }
                return None;
            }
            Ran::Asks(result) if has("question-recorded") => ("ok", Some(result), String::new()),
            Ran::Asks(result) => return Some(answer(id, "result", &result)),
        };
        if let (Some(producer), Some(result)) = (&self.producer, &mut result) {
            let low = self.low_level && has("low-level-changed");
            let after_failure = has("fails-with-the-ingest") && producer.has_failed();
            if has("result-changed") || low || after_failure {
                result["_meta"] = json!({ "watched": true });
            }
        }
        if let Some(result) = &result {
            text = answer(id, "result", result);
        }
        let origin_of = if has("session-per-server") { Some(origin.transport) } else { origin.conversation };
        let call = Call {
            conversation: origin_of,
            client: &client,
            tool,
            args: raw,
            began,
            outcome: self.judge(outcome, tool),
            units: if has("size-of-the-message") {
                u32::try_from(text.len()).unwrap_or_default()
            } else {
                size::response_units(result.as_ref())
            },
            is_empty: outcome == "ok" && is_empty(result.as_ref()),
        };
        self.record(&call, result.as_ref());
        Some(text)
    }

    pub(crate) fn judge<'a>(&self, outcome: &'a str, tool: &str) -> &'a str {
        match outcome {
            "bad_args" if has("bad-args-as-tool-error") => "tool_error",
            "bad_args" if self.low_level && has("low-level-as-crashed") => "crashed",
            "ok" if tool == "late" && has("late-as-bad-args") => "bad_args",
            outcome => outcome,
        }
    }

    pub(crate) fn record(&self, call: &Call<'_>, result: Option<&Value>) {
        let Some(producer) = &self.producer else { return };
        producer.record(call);
        if (self.twice && has("twice-recorded-twice"))
            || (self.running.load(Ordering::Acquire) > 0 && has("recorded-twice-at-once"))
        {
            producer.record(call);
        }
        let declared = matches!(call.tool, "price_a" | "price_b");
        if let Some(value) =
            result.filter(|_| declared).and_then(|result| result.pointer("/structuredContent/order/amount"))
        {
            producer.compare(call.tool, value, call.conversation);
        }
    }
}

fn is_empty(result: Option<&Value>) -> bool {
    let text_only = |result: &Value| json!({ "content": result.get("content").cloned().unwrap_or_default() });
    if has("never-empty") {
        return false;
    }
    if has("empty-by-text") {
        return empty::is_empty(result.map(text_only).as_ref());
    }
    empty::is_empty(result)
}
