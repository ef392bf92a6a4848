//! What a server has been told, as plain lists. Nothing here is clever: the point is that it can be read.

use std::collections::{BTreeMap, BTreeSet};

use mcpulse_store::events::{NewBatch, NewPayload};
use mcpulse_store::metrics::types::Scope;
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Outcome, Tool};

/// One stored call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Order of arrival, shared with startups and agreements.
    pub seq: i64,
    /// The server's clock at arrival.
    pub received_ms: i64,
    pub key: String,
    pub session: String,
    pub client: String,
    pub tool: String,
    pub started_ms: i64,
    pub duration_ms: i64,
    pub outcome: Outcome,
    pub units: u64,
    pub is_empty: bool,
    /// The 48 bits; 0 stands for arguments that were not representable.
    pub hash: u64,
}

impl Call {
    /// First moment after the call.
    pub fn end_ms(&self) -> i64 {
        self.started_ms + self.duration_ms
    }

    /// Ok and not empty.
    pub fn is_good(&self) -> bool {
        self.slice() == Slice::Ok
    }

    /// Which of the five slices the call falls in.
    pub fn slice(&self) -> Slice {
        match (self.outcome, self.is_empty) {
            (Outcome::Ok, false) => Slice::Ok,
            (Outcome::Ok, true) => Slice::Empty,
            (Outcome::BadArgs, _) => Slice::BadArgs,
            (Outcome::ToolError, _) => Slice::ToolError,
            (Outcome::Crashed, _) => Slice::Crashed,
        }
    }
}

/// The five slices of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    Ok,
    Empty,
    BadArgs,
    ToolError,
    Crashed,
}

/// One stored startup; its surface is known by content.
#[derive(Clone, Debug)]
pub struct Startup {
    pub seq: i64,
    pub received_ms: i64,
    pub key: String,
    pub session: String,
    pub client: String,
    /// Position in [`History::surfaces`].
    pub surface: usize,
    pub sdk: Option<String>,
    pub mcp_sdk_version: Option<String>,
    pub protocol_version: Option<String>,
    pub transport: Option<String>,
    pub declared: Vec<(String, Vec<String>)>,
}

/// A set of tools by content.
#[derive(Clone, Debug)]
pub struct Surface {
    /// What was sent, in the order of its content.
    listed: Vec<Tool>,
    /// Its tools by name. Of a name listed twice it has the entry that comes first in that order.
    pub tools: Vec<Tool>,
    /// When its first startup arrived.
    pub first_seen_ms: i64,
    /// The latest arrival of a startup of it.
    pub last_seen_ms: i64,
}

/// One stored verdict.
#[derive(Clone, Debug)]
pub struct Agreement {
    pub received_ms: i64,
    pub key: String,
    pub session: String,
    pub field: String,
    pub tool_a: String,
    pub tool_b: String,
    pub agreed: bool,
    pub checked_ms: i64,
}

/// One rejected payload.
#[derive(Clone, Debug)]
pub struct Rejection {
    pub received_ms: i64,
    pub key: String,
    pub producer: String,
    pub rule: String,
}

/// Everything one server was told, in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub calls: Vec<Call>,
    pub startups: Vec<Startup>,
    pub surfaces: Vec<Surface>,
    pub agreements: Vec<Agreement>,
    pub rejections: Vec<Rejection>,
    last_seq: i64,
    /// Requests that were answered, by ingest key and idempotency key.
    answered: BTreeSet<(String, String)>,
}

impl History {
    /// The history after these batches, in this order.
    pub fn of(batches: &[NewBatch]) -> Self {
        let mut history = Self::default();
        for batch in batches {
            history.take(batch);
        }
        history
    }

    fn take(&mut self, batch: &NewBatch) {
        let key = batch.key.to_string();
        if let Some(idempotency) = &batch.idempotency_key
            && !self.answered.insert((key.clone(), idempotency.clone()))
        {
            return;
        }
        for payload in &batch.payloads {
            self.last_seq += 1;
            self.store(payload, batch, &key);
        }
        for rejected in &batch.rejected {
            self.rejections.push(Rejection {
                received_ms: batch.received_ms,
                key: key.clone(),
                producer: batch.producer.clone(),
                rule: rejected.rule.clone(),
            });
        }
    }

    fn store(&mut self, payload: &NewPayload, batch: &NewBatch, key: &str) {
        let (seq, received_ms) = (self.last_seq, batch.received_ms);
        match payload {
            NewPayload::Call(new) => self.calls.push(Call {
                seq,
                received_ms,
                key: key.to_owned(),
                session: new.call.session_id.clone(),
                client: new.call.client_name.clone(),
                tool: new.call.tool_name.clone(),
                started_ms: new.started_ms,
                duration_ms: i64::from(new.call.duration_ms),
                outcome: new.call.outcome,
                units: u64::from(new.call.response_bytes),
                is_empty: new.call.is_empty,
                hash: u64::from_str_radix(&new.call.args_hash, 16).unwrap(),
            }),
            NewPayload::Startup(new) => {
                let surface = self.surface(&new.tools, received_ms);
                self.startups.push(Startup {
                    seq,
                    received_ms,
                    key: key.to_owned(),
                    session: new.session_id.clone(),
                    client: new.client_name.clone(),
                    surface,
                    sdk: new.sdk.clone(),
                    mcp_sdk_version: new.mcp_sdk_version.clone(),
                    protocol_version: new.protocol_version.clone(),
                    transport: new.transport.map(|transport| wire_name(&transport)),
                    declared: new
                        .agreements
                        .iter()
                        .flatten()
                        .map(|declared| (declared.field.clone(), declared.tools.clone()))
                        .collect(),
                });
            }
            NewPayload::Agreement(new) => self.agreements.push(Agreement {
                received_ms,
                key: key.to_owned(),
                session: new.agreement.session_id.clone(),
                field: new.agreement.field.clone(),
                tool_a: new.agreement.tool_a.clone(),
                tool_b: new.agreement.tool_b.clone(),
                agreed: new.agreement.agreed,
                checked_ms: new.checked_ms,
            }),
        }
    }

    /// The surface with exactly these tools, in whatever order they came.
    fn surface(&mut self, tools: &[Tool], seen_ms: i64) -> usize {
        let mut listed = tools.to_vec();
        listed.sort_by_cached_key(content);
        if let Some(known) = self.surfaces.iter().position(|surface| surface.listed == listed) {
            let surface = &mut self.surfaces[known];
            surface.last_seen_ms = surface.last_seen_ms.max(seen_ms);
            return known;
        }
        let mut tools = listed.clone();
        tools.dedup_by(|later, earlier| later.name == earlier.name);
        self.surfaces.push(Surface { listed, tools, first_seen_ms: seen_ms, last_seen_ms: seen_ms });
        self.surfaces.len() - 1
    }

    /// The same, as if only the calls that a scope counts had ever been made.
    pub fn only(&self, scope: &Scope) -> Self {
        let counted = |call: &Call| {
            (scope.range.from_ms..scope.range.to_ms).contains(&call.started_ms)
                && (scope.tools.is_empty() || scope.tools.contains(&call.tool))
                && (scope.clients.is_empty() || scope.clients.contains(&call.client))
        };
        Self { calls: self.calls.iter().filter(|call| counted(call)).cloned().collect(), ..self.clone() }
    }

    /// The startup a call belongs to: its session's newest that arrived before it, else its session's first.
    pub fn startup_of(&self, call: &Call) -> Option<&Startup> {
        let own = || self.startups.iter().filter(|startup| startup.session == call.session);
        own()
            .filter(|startup| startup.seq < call.seq)
            .max_by_key(|startup| startup.seq)
            .or_else(|| own().min_by_key(|startup| startup.seq))
    }

    /// Start of the first call of each session, of all its calls.
    pub fn session_dates(&self) -> BTreeMap<&str, i64> {
        let mut dates = BTreeMap::new();
        for call in &self.calls {
            let date = dates.entry(call.session.as_str()).or_insert(call.started_ms);
            *date = (*date).min(call.started_ms);
        }
        dates
    }
}

/// What the entries of a surface are ordered by: a set has no order of its own.
fn content(tool: &Tool) -> (String, String) {
    let hash = |hash: &Option<Hash12>| hash.map_or_else(String::new, String::from);
    let rest = [
        tool.schema_bytes.to_string(),
        hash(&tool.schema_hash),
        hash(&tool.description_hash),
        hash(&tool.description_norm),
        tool.policy.map_or_else(String::new, |policy| wire_name(&policy)),
    ];
    (tool.name.clone(), rest.join(","))
}

/// The name a unit variant has on the wire.
pub fn wire_name<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}
