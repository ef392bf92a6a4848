//! Random streams: what happens, as requests in the order in which they are appended.

use mcpulse_store::events::{NewBatch, Rejected};
use mcpulse_store::id::KeyId;
use proptest::prelude::*;

use crate::happen::{Sent, Story};
use crate::plan::{Plan, plans};

/// What one server is told, request by request, and when the question is asked.
#[derive(Clone, Debug)]
pub struct Stream {
    /// In the order in which they are appended.
    pub batches: Vec<NewBatch>,
    /// The names in use, so that filters can hit.
    pub tools: Vec<String>,
    pub clients: Vec<String>,
    /// Where the stream's clock started and ended.
    pub first_ms: i64,
    pub last_ms: i64,
}

/// A random stream.
pub fn streams() -> impl Strategy<Value = Stream> {
    plans().prop_map(build)
}

/// Turns the plan into requests.
fn build(plan: Plan) -> Stream {
    let mut sent = Story::of(&plan);
    sent.sort_by_key(|sent| sent.arrival_ms);
    let first_ms = sent.iter().map(|sent| sent.arrival_ms).min().unwrap_or(plan.first_ms).min(plan.first_ms);
    let last_ms = sent.iter().map(|sent| sent.arrival_ms).max().unwrap_or(plan.first_ms).max(plan.first_ms);

    let keys: Vec<KeyId> = (0..3).map(|_| KeyId::new()).collect();
    let mut batches: Vec<(u8, NewBatch)> = Vec::new();
    let mut requests = plan.requests.iter().cycle();
    let mut rest = sent.into_iter().peekable();
    while rest.peek().is_some() {
        let Some(request) = requests.next() else { break };
        let taken: Vec<Sent> = rest.by_ref().take(request.size).collect();
        let arrival_ms = taken.iter().map(|sent| sent.arrival_ms).max().unwrap_or(plan.first_ms);
        let batch = NewBatch {
            key: keys[request.key],
            producer: request.producer.to_owned(),
            idempotency_key: Some(format!("{:032x}", batches.len())),
            received_ms: arrival_ms + request.skew_ms,
            rejected: (0_u32..)
                .zip(&request.rejected)
                .map(|(nth, (path, rule))| Rejected {
                    index: taken.len() as u32 + nth,
                    path: (*path).to_owned(),
                    rule: (*rule).to_owned(),
                })
                .collect(),
            payloads: taken.into_iter().map(|sent| sent.payload).collect(),
        };
        if request.sent_twice {
            batches.push((request.order, batch.clone()));
        }
        batches.push((request.order, batch));
    }
    batches.sort_by_key(|(order, _)| *order);
    Stream {
        batches: batches.into_iter().map(|(_, batch)| batch).collect(),
        tools: plan.tools,
        clients: plan.clients,
        first_ms,
        last_ms,
    }
}
