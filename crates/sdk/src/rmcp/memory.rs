//! What has to be remembered between requests. It belongs to the stream, not to a watched server: HTTP servers
//! are often built anew for each request.

use std::any::TypeId;
use std::sync::{Arc, Mutex};

use ::rmcp::ServerHandler;
use ::rmcp::model::Tool;
use mcpulse_wire::hash::Hash12;

use crate::bounded::BoundedMap;
use crate::guard::lock;
use crate::record::State;

/// Kinds of servers in one process.
const SERVERS_MAX: usize = 1_000;
/// Tasks on their way.
const TASKS_MAX: usize = 10_000;

/// Servers of one kind are taken to list the same tools until one of them is seen to list others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    handler: TypeId,
    name: String,
    version: String,
}

impl Kind {
    pub(super) fn of<H: ServerHandler>(handler: &H) -> Self {
        let info = handler.get_info().server_info;
        Self { handler: TypeId::of::<H>(), name: info.name, version: info.version }
    }
}

/// What is known of the tools of one kind.
#[derive(Clone, Debug)]
pub(super) enum Listed {
    /// They are being collected.
    Collecting,
    /// As last seen by a client, or collected by us.
    Tools(Arc<List>),
}

/// A list of tools, and what its surface is known by.
#[derive(Debug)]
pub(super) struct List {
    pub(super) tools: Vec<Tool>,
    /// Seen by a client from before 2026-07-28.
    pub(super) legacy: bool,
    pub(super) fingerprint: Hash12,
}

#[derive(Debug)]
pub(crate) struct Memory {
    listed: Mutex<BoundedMap<Kind, Listed>>,
    tasks: Mutex<BoundedMap<String, State>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            listed: Mutex::new(BoundedMap::new(SERVERS_MAX)),
            tasks: Mutex::new(BoundedMap::new(TASKS_MAX)),
        }
    }
}

impl Memory {
    /// True for one caller only, until the tools are known or collecting them failed.
    pub(super) fn begin_collecting(&self, kind: &Kind) -> bool {
        let mut listed = lock(&self.listed);
        if listed.get_mut(kind).is_some() {
            return false;
        }
        listed.insert(kind.clone(), Listed::Collecting);
        true
    }

    /// The next request tries again, unless a client has listed the tools meanwhile.
    pub(super) fn collecting_failed(&self, kind: &Kind) {
        let mut listed = lock(&self.listed);
        if matches!(listed.get_mut(kind), Some(Listed::Collecting)) {
            listed.remove(kind);
        }
    }

    pub(super) fn listed(&self, kind: &Kind) -> Option<Listed> {
        lock(&self.listed).get_mut(kind).cloned()
    }

    pub(super) fn set_listed(&self, kind: Kind, list: List) {
        lock(&self.listed).insert(kind, Listed::Tools(Arc::new(list)));
    }

    pub(super) fn park(&self, task: String, call: State) {
        lock(&self.tasks).insert(task, call);
    }

    pub(super) fn unpark(&self, task: &str) -> Option<State> {
        lock(&self.tasks).remove(task)
    }
}
