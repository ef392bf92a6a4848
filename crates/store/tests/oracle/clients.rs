//! Client by client, and producer by producer.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpulse_store::metrics::types::{
    ClientReport, ClientRow, ProducerConfidence, ProducerReport, ProducerRow, ToolOfClient,
};

use crate::rates::{count, share};
use crate::view::{View, Window};

/// Positions grouped by a property of theirs.
pub fn by<K: Ord>(calls: &[usize], key: impl Fn(usize) -> K) -> BTreeMap<K, Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for &at in calls {
        groups.entry(key(at)).or_default().push(at);
    }
    groups
}

impl View<'_> {
    /// Every client that called.
    pub fn clients(&self) -> ClientReport {
        let window = self.now_window();
        let calls = self.matching(window.range);
        ClientReport {
            range: window.range,
            settled_as_of_ms: self.settled_as_of_ms(),
            clients: self.client_rows(&window, &calls, true),
            confidence: self.confidence(&calls),
        }
    }

    /// Most calls first, then by name.
    pub fn client_rows(&self, window: &Window<'_>, calls: &[usize], with_tools: bool) -> Vec<ClientRow> {
        let before = self.matching(self.before_range());
        let mut rows: Vec<ClientRow> = by(calls, |at| self.call(at).client.clone())
            .into_iter()
            .map(|(client, own)| ClientRow {
                figures: window.figures(&own),
                calls_before: count(before.iter().filter(|&&at| self.call(at).client == client)),
                first_call_ms: own.iter().map(|&at| self.call(at).started_ms).min().unwrap(),
                last_call_ms: own.iter().map(|&at| self.call(at).started_ms).max().unwrap(),
                tools: if with_tools { self.tools_of_client(window, &own) } else { Vec::new() },
                client,
            })
            .collect();
        rows.sort_by_key(|row| Reverse(row.figures.calls));
        rows
    }

    fn tools_of_client(&self, window: &Window<'_>, calls: &[usize]) -> Vec<ToolOfClient> {
        let mut rows: Vec<ToolOfClient> = by(calls, |at| self.call(at).tool.clone())
            .into_iter()
            .map(|(tool, own)| {
                let figures = window.figures(&own);
                ToolOfClient {
                    tool,
                    calls: figures.calls,
                    error_rate: figures.error_rate,
                    empty_rate: figures.empty_rate,
                    first_call: figures.first_call,
                    p95_ms: figures.latency.p95_ms,
                }
            })
            .collect();
        rows.sort_by_key(|row| Reverse(row.calls));
        rows
    }

    /// Every combination of what sends.
    pub fn producers(&self) -> ProducerReport {
        let window = self.now_window();
        let calls = self.matching(window.range);
        let facts = |at: usize| {
            let last = |fact: &Option<String>| (fact.is_none(), fact.clone());
            self.startup(at).map_or_else(
                || [const { (true, None) }; 4],
                |startup| {
                    [&startup.sdk, &startup.mcp_sdk_version, &startup.protocol_version, &startup.transport]
                        .map(last)
                },
            )
        };
        let mut producers: Vec<ProducerRow> = by(&calls, facts)
            .into_iter()
            .map(|([sdk, mcp_sdk_version, protocol_version, transport], own)| {
                let all = own.len() as u64;
                ProducerRow {
                    sdk: sdk.1,
                    mcp_sdk_version: mcp_sdk_version.1,
                    protocol_version: protocol_version.1,
                    transport: transport.1,
                    figures: window.figures(&own),
                    confidence: ProducerConfidence {
                        known_client_share: share(
                            count(own.iter().filter(|&&at| self.call(at).client != "unknown")),
                            all,
                        ),
                        crowded_share: share(count(own.iter().filter(|&&at| self.fact(at).crowded)), all),
                        newest_call_ms: own.iter().map(|&at| self.call(at).received_ms).max(),
                    },
                }
            })
            .collect();
        producers.sort_by_key(|row| Reverse(row.figures.calls));
        ProducerReport { range: window.range, settled_as_of_ms: self.settled_as_of_ms(), producers }
    }
}
