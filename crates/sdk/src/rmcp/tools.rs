//! The tools clients see.

use std::sync::Arc;

use ::rmcp::model::{
    ErrorCode, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerResult, Tool,
};
use ::rmcp::service::RequestContext;
use ::rmcp::{RoleServer, ServerHandler};
use mcpulse_wire::payload::limit;
use serde_json::Value;

use super::memory::{Kind, List, Listed};
use super::request::{Asker, rmcp_version};
use crate::guard::quietly;
use crate::pulse::Producer;
use crate::record::CatchUnwind;
use crate::surface::SurfaceContext;

/// Pages asked for at most: a server whose cursors go round in a circle must not keep us busy for ever.
const PAGES_MAX: usize = 1_000;

/// Who asked, kept for when the tools are known.
struct Seen {
    client: Option<String>,
    protocol_version: Option<ProtocolVersion>,
    transport: mcpulse_wire::payload::Transport,
    legacy: bool,
}

impl Seen {
    fn by(asker: &Asker<'_>) -> Self {
        Self {
            client: asker.client().map(str::to_owned),
            protocol_version: asker.protocol_version(),
            transport: asker.transport(),
            legacy: asker.is_legacy(),
        }
    }
}

/// Collects the tools, unless they are known or being collected. Returns at once: pages are asked for beside
/// the request.
pub(super) fn ensure_known<H: ServerHandler>(
    producer: &Arc<Producer>,
    handler: &Arc<H>,
    kind: &Kind,
    context: &RequestContext<RoleServer>,
) {
    let starts = producer.run().is_some_and(|run| run.memory.begin_collecting(kind));
    if starts {
        collect(producer, handler, kind, context, Vec::new(), None);
    }
}

/// Looks at an answer to `tools/list`: what clients see is what counts.
pub(super) fn observe<H: ServerHandler>(
    producer: &Arc<Producer>,
    handler: &Arc<H>,
    kind: &Kind,
    context: &RequestContext<RoleServer>,
    answer: &ListToolsResult,
) {
    match &answer.next_cursor {
        None => report(producer, kind, &Seen::by(&Asker::new(context)), &answer.tools),
        Some(cursor) => {
            collect(producer, handler, kind, context, answer.tools.clone(), Some(cursor.clone()));
        }
    }
}

/// Asks for the pages that are missing, in a task of its own.
fn collect<H: ServerHandler>(
    producer: &Arc<Producer>,
    handler: &Arc<H>,
    kind: &Kind,
    context: &RequestContext<RoleServer>,
    tools: Vec<Tool>,
    cursor: Option<String>,
) {
    let (producer, handler, kind) = (Arc::clone(producer), Arc::clone(handler), kind.clone());
    let failed = {
        let (producer, kind) = (Arc::clone(&producer), kind.clone());
        move |why: &str| {
            if let Some(run) = producer.run() {
                run.memory.collecting_failed(&kind);
            }
            producer.debug(|| format!("tools/list failed ({why}); trying again with the next request"));
        }
    };
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        failed("no runtime");
        return;
    };
    let seen = Seen::by(&Asker::new(context));
    let mut context = context.clone();
    // The request that brought us here may be over, and its token cancelled, before the last page is read.
    context.ct = Default::default();
    runtime.spawn(async move {
        match CatchUnwind::new(pages(handler.as_ref(), &context, tools, cursor)).await {
            Ok(Ok(tools)) => report(&producer, &kind, &seen, &tools),
            Ok(Err(code)) => failed(&format!("error {}", code.0)),
            Err(_) => failed("it panicked"),
        }
    });
}

async fn pages<H: ServerHandler>(
    handler: &H,
    context: &RequestContext<RoleServer>,
    mut tools: Vec<Tool>,
    mut cursor: Option<String>,
) -> Result<Vec<Tool>, ErrorCode> {
    for _ in 0..PAGES_MAX {
        let request =
            cursor.clone().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let page = handler.list_tools(request, context.clone()).await.map_err(|error| error.code)?;
        tools.extend(page.tools);
        if page.next_cursor.is_none() || page.next_cursor == cursor || tools.len() >= limit::TOOLS {
            break;
        }
        cursor = page.next_cursor;
    }
    Ok(tools)
}

fn report(producer: &Producer, kind: &Kind, seen: &Seen, tools: &[Tool]) {
    let _ = quietly(|| {
        let Some(run) = producer.run() else { return };
        if let Some(Listed::Tools(known)) = run.memory.listed(kind)
            && known.legacy == seen.legacy
            && known.tools == tools
            && producer.stream().knows(&known.fingerprint)
        {
            return;
        }
        let entries = entries(tools, seen.legacy);
        let version = rmcp_version();
        let context = SurfaceContext {
            client: seen.client.as_deref(),
            mcp_sdk_version: Some(&version),
            protocol_version: seen.protocol_version.as_ref().map(ProtocolVersion::as_str),
            transport: Some(seen.transport),
        };
        if let Some(fingerprint) = producer.report(&entries, &context) {
            let list = List { tools: tools.to_vec(), legacy: seen.legacy, fingerprint };
            run.memory.set_listed(kind.clone(), list);
        }
    });
}

/// The entries as the client receives them: a peer from before 2026-07-28 is not told of output schemas that
/// are no objects.
fn entries(tools: &[Tool], legacy: bool) -> Vec<Value> {
    let mut sent = ServerResult::ListToolsResult(ListToolsResult::with_all_items(tools.to_vec()));
    if legacy {
        sent.strip_non_object_output_for_legacy_peer();
    }
    let ServerResult::ListToolsResult(sent) = sent else { return Vec::new() };
    sent.tools.iter().filter_map(|tool| serde_json::to_value(tool).ok()).collect()
}
