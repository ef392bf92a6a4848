//! Clients and producers.

use std::collections::HashMap;

use super::MetricsError;
use super::confidence::confidence;
use super::context::{Context, most_calls_first};
use super::ratio;
use super::snapshot::{By, Slice, Snapshot};
use super::types::{
    ClientReport, ClientRow, ProducerConfidence, ProducerReport, ProducerRow, Range, Scope, ToolOfClient,
};

type Result<T> = std::result::Result<T, MetricsError>;

pub(super) fn clients(snapshot: &dyn Snapshot, scope: &Scope) -> Result<ClientReport> {
    let context = Context::new(snapshot, scope, scope.range)?;
    let mut clients = client_rows(&context, scope.range.before())?;
    let mut tools: HashMap<String, Vec<ToolOfClient>> = HashMap::new();
    let mut pairs = context.rows(By::ToolAndClient)?;
    most_calls_first(&mut pairs);
    for pair in pairs {
        let (Some(client), Some(tool)) = (pair.tally.key.client, pair.tally.key.tool) else { continue };
        tools.entry(client).or_default().push(ToolOfClient {
            tool,
            calls: pair.figures.calls,
            error_rate: pair.figures.error_rate,
            empty_rate: pair.figures.empty_rate,
            first_call: pair.figures.first_call,
            p95_ms: pair.figures.latency.p95_ms,
        });
    }
    for client in &mut clients {
        client.tools = tools.remove(&client.client).unwrap_or_default();
    }
    Ok(ClientReport {
        range: scope.range,
        settled_as_of_ms: scope.settled_as_of_ms(),
        clients,
        confidence: confidence(snapshot, scope, &context.total()?)?,
    })
}

/// Clients of a range, without their tools.
pub(super) fn client_rows(context: &Context<'_>, before: Range) -> Result<Vec<ClientRow>> {
    let calls_before: HashMap<Option<String>, u64> = context
        .snapshot
        .counts(Slice::matching(before), By::Client)?
        .into_iter()
        .map(|tally| (tally.key.client, tally.outcomes.total()))
        .collect();
    let mut rows = context.rows(By::Client)?;
    most_calls_first(&mut rows);
    let clients = rows.into_iter().map(|row| ClientRow {
        calls_before: calls_before.get(&row.tally.key.client).copied().unwrap_or_default(),
        client: row.tally.key.client.unwrap_or_default(),
        figures: row.figures,
        first_call_ms: row.tally.first_ms,
        last_call_ms: row.tally.last_ms,
        tools: Vec::new(),
    });
    Ok(clients.collect())
}

pub(super) fn producers(snapshot: &dyn Snapshot, scope: &Scope) -> Result<ProducerReport> {
    let context = Context::new(snapshot, scope, scope.range)?;
    let mut rows = context.rows(By::Producer)?;
    rows.sort_by(|a, b| {
        let names = |row: &super::context::Row| {
            let key = &row.tally.key.producer;
            [&key.sdk, &key.mcp_sdk_version, &key.protocol_version, &key.transport]
                .map(|part| (part.is_none(), part.clone()))
        };
        b.figures.calls.cmp(&a.figures.calls).then_with(|| names(a).cmp(&names(b)))
    });
    let producers = rows.into_iter().map(|row| {
        let (calls, tally) = (row.figures.calls, row.tally);
        ProducerRow {
            sdk: tally.key.producer.sdk,
            mcp_sdk_version: tally.key.producer.mcp_sdk_version,
            protocol_version: tally.key.producer.protocol_version,
            transport: tally.key.producer.transport,
            figures: row.figures,
            confidence: ProducerConfidence {
                known_client_share: ratio(tally.known_client, calls),
                crowded_share: ratio(tally.crowded, calls),
                newest_call_ms: Some(tally.newest_ms),
            },
        }
    });
    Ok(ProducerReport {
        range: scope.range,
        settled_as_of_ms: scope.settled_as_of_ms(),
        producers: producers.collect(),
    })
}
