//! An MCP client of the kit's own, at the level of bytes: what a server answers is compared with the unwatched
//! twin's answer, so no library may read and write it again on the way.

mod http;
mod message;
mod stdio;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::verdict::{Fault, fail};

pub(crate) use http::HttpConnection;
pub(crate) use message::{Answer, method};
pub(crate) use stdio::StdioConnection;

/// How the client reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// A generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Protocol {
    /// 2025-11-25: begins with `initialize`; HTTP has protocol sessions.
    Initialize,
    /// 2026-07-28: `_meta` with each request, no handshake, no sessions.
    Meta,
}

impl Protocol {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Initialize => "2025-11-25",
            Self::Meta => "2026-07-28",
        }
    }
}

/// A transport and a generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(crate) transport: Transport,
    pub(crate) protocol: Protocol,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = match self.transport {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        };
        write!(f, "{transport} {}", self.protocol.version())
    }
}

/// Waiting for one answer.
pub(crate) trait Pending: Send {
    /// The answer, if it comes within `patience`.
    fn wait(self: Box<Self>, patience: Duration) -> Result<Answer, Fault>;
    /// Gives up on it, as the transport has it.
    fn cancel(&mut self);
}

/// A way to a server.
pub(crate) trait Connection: Send + Sync {
    fn begin(&self, request: &Request<'_>) -> Result<Box<dyn Pending>, Fault>;
    fn notify(&self, method: &str, params: &str) -> Result<(), Fault>;
}

/// What goes out.
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    pub(crate) method: &'a str,
    /// The tool's name or the task's id, for the header that repeats it.
    pub(crate) name: Option<&'a str>,
    pub(crate) params: String,
}

impl Request<'_> {
    /// The message on one line. Line feeds stand between tokens only: JSON strings have none.
    fn line(&self) -> String {
        let params = self.params.replace(['\n', '\r'], " ");
        let method = self.method;
        format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#, self.id)
    }
}

/// One client, as it calls itself.
pub(crate) struct Client {
    connection: Box<dyn Connection>,
    protocol: Protocol,
    name: Mutex<Option<String>>,
    next: AtomicU64,
    patience: Duration,
    /// Members that every request carries in its `_meta`, beside the protocol's.
    meta: BTreeMap<&'static str, Value>,
    takes_tasks: bool,
}

impl Client {
    /// A client that has not said anything yet.
    pub(crate) fn new(
        connection: Box<dyn Connection>,
        protocol: Protocol,
        name: Option<&str>,
        patience: Duration,
    ) -> Self {
        let name = Mutex::new(name.map(str::to_owned));
        Self {
            connection,
            protocol,
            name,
            next: AtomicU64::new(1),
            patience,
            meta: BTreeMap::new(),
            takes_tasks: false,
        }
    }

    /// Adds a member to the `_meta` of every request.
    pub(crate) fn meta(&mut self, key: &'static str, value: Value) {
        self.meta.insert(key, value);
    }

    /// From now on the client may be answered with a task, where requests say so ([`Protocol::Meta`]).
    pub(crate) fn take_tasks(&mut self) {
        self.takes_tasks = true;
    }

    /// What the next requests call the client; only [`Protocol::Meta`] says so with each.
    pub(crate) fn rename(&self, name: Option<&str>) {
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name.map(str::to_owned);
    }

    fn name(&self) -> Option<String> {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The handshake, where there is one.
    pub(crate) fn open(&self) -> Result<(), Fault> {
        if self.protocol == Protocol::Meta {
            return Ok(());
        }
        let client = Value::from(self.name().unwrap_or_else(|| "nameless".to_owned()));
        let params = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":{client},"version":"1"}}}}"#
        );
        let answer = self.request("initialize", None, params)?;
        if answer.result().is_none() {
            return fail("`initialize` was answered with an error");
        }
        self.connection.notify("notifications/initialized", "{}")
    }

    /// The `_meta` of a request, if it has one.
    fn meta_text(&self) -> Option<String> {
        let mut members: serde_json::Map<String, Value> =
            self.meta.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        if self.protocol == Protocol::Meta {
            let key = |name: &str| format!("io.modelcontextprotocol/{name}");
            members.insert(key("protocolVersion"), self.protocol.version().into());
            let mut capabilities = serde_json::json!({ "elicitation": {} });
            if self.takes_tasks {
                capabilities["extensions"] = serde_json::json!({ "io.modelcontextprotocol/tasks": {} });
            }
            members.insert(key("clientCapabilities"), capabilities);
            if let Some(name) = self.name() {
                members.insert(key("clientInfo"), serde_json::json!({ "name": name, "version": "1" }));
            }
        }
        (!members.is_empty()).then(|| Value::Object(members).to_string())
    }

    /// Params of raw members, with the `_meta` that belongs to them.
    fn params(&self, members: &[(&str, &str)]) -> String {
        let meta = self.meta_text();
        let all = members.iter().copied().chain(meta.as_deref().map(|meta| ("_meta", meta)));
        let text: Vec<String> = all.map(|(key, raw)| format!(r#""{key}":{raw}"#)).collect();
        format!("{{{}}}", text.join(","))
    }

    fn begin(&self, method: &str, name: Option<&str>, params: String) -> Result<Box<dyn Pending>, Fault> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.connection.begin(&Request { id, method, name, params })
    }

    fn request(&self, method: &str, name: Option<&str>, params: String) -> Result<Answer, Fault> {
        self.begin(method, name, params)?.wait(self.patience)
    }

    /// Asks what the server speaks; only 2026-07-28 has this request.
    pub(crate) fn discover(&self) -> Result<Answer, Fault> {
        self.request("server/discover", None, self.params(&[]))
    }

    /// Asks about a task.
    pub(crate) fn about_task(&self, method: &str, task: &str) -> Result<Answer, Fault> {
        self.request(method, Some(task), self.params(&[("taskId", &Value::from(task).to_string())]))
    }

    /// One page of `tools/list`.
    pub(crate) fn list_page(&self, cursor: Option<&str>) -> Result<Answer, Fault> {
        let cursor = cursor.map(|cursor| Value::from(cursor).to_string());
        let members: Vec<_> = cursor.iter().map(|raw| ("cursor", raw.as_str())).collect();
        self.request("tools/list", None, self.params(&members))
    }

    /// Begins a call. `args` is raw JSON text; `more` are further members of `params`.
    pub(crate) fn begin_call(
        &self,
        tool: &str,
        args: Option<&str>,
        more: &[(&str, &str)],
    ) -> Result<Box<dyn Pending>, Fault> {
        let name = Value::from(tool).to_string();
        let mut members = vec![("name", name.as_str())];
        members.extend(args.map(|args| ("arguments", args)));
        members.extend(more);
        self.begin("tools/call", Some(tool), self.params(&members))
    }

    /// Tells the server that the request before the last `ago - 1` ones is given up.
    pub(crate) fn cancel_previous(&self, ago: u64) -> Result<(), Fault> {
        let id = self.next.load(Ordering::Relaxed).saturating_sub(ago);
        self.connection.notify("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#))
    }

    /// Calls a tool and waits for the answer.
    pub(crate) fn call(&self, tool: &str, args: Option<&str>) -> Result<Answer, Fault> {
        self.call_with(tool, args, &[])
    }

    pub(crate) fn call_with(
        &self,
        tool: &str,
        args: Option<&str>,
        more: &[(&str, &str)],
    ) -> Result<Answer, Fault> {
        self.begin_call(tool, args, more)?.wait(self.patience)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

/// A connection that several clients share: standard input is one.
pub(crate) struct Shared<C>(pub(crate) Arc<C>);

impl<C: Connection> Connection for Shared<C> {
    fn begin(&self, request: &Request<'_>) -> Result<Box<dyn Pending>, Fault> {
        self.0.begin(request)
    }

    fn notify(&self, method: &str, params: &str) -> Result<(), Fault> {
        self.0.notify(method, params)
    }
}
