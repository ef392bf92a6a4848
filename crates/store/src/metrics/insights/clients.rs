//! One client far below the others on the same tool.

use std::collections::BTreeMap;

use super::message::percent;
use super::{Judgement, Result, about, significant};
use crate::metrics::context::Context;
use crate::metrics::real;
use crate::metrics::snapshot::By;
use crate::metrics::stats::{ENOUGH, Share};
use crate::metrics::types::{FirstCall, Insight, InsightKind, Severity};

/// Far below is at least this much.
const FAR: f64 = 0.15;
/// And this much is high.
const HIGH: f64 = 0.30;

pub(super) fn judge(context: &Context<'_>) -> Result<Vec<Insight>> {
    let first_calls = context.first_calls(By::ToolAndClient, |key| {
        (key.tool.clone().unwrap_or_default(), key.client.clone().unwrap_or_default())
    })?;
    let mut tools: BTreeMap<&str, Vec<(&str, &FirstCall)>> = BTreeMap::new();
    for ((tool, client), calls) in &first_calls {
        tools.entry(tool).or_default().push((client, calls));
    }
    let family = tools.into_iter().flat_map(|(tool, clients)| against_others(tool, &clients)).collect();
    let insights =
        significant(family).filter(|insight| insight.threshold - insight.value >= FAR).map(|insight| {
            let is_high = insight.threshold - insight.value >= HIGH;
            Insight { severity: if is_high { Severity::High } else { Severity::Medium }, ..insight }
        });
    Ok(insights.collect())
}

/// Each client of a tool against all its others together, by `strict`: the share of lists cancels out.
fn against_others(tool: &str, clients: &[(&str, &FirstCall)]) -> Vec<Judgement> {
    let strict: u64 = clients.iter().map(|(_, calls)| calls.strict_calls).sum();
    let sequence: u64 = clients.iter().map(|(_, calls)| calls.sequence_calls).sum();
    let judge = |&(client, calls): &(&str, &FirstCall)| {
        let (n, of_others) = (calls.sequence_calls, sequence - calls.sequence_calls);
        if n < ENOUGH || of_others < ENOUGH {
            return None;
        }
        let own = Share::new(real(calls.strict_calls), n)?;
        let others = Share::new(real(strict - calls.strict_calls), of_others)?;
        let mut insight = about(InsightKind::ClientBehind, tool, own.value(), others.value(), n);
        insight.client = Some(client.to_owned());
        insight.message = format!(
            "{} of the calls of {tool} by {client} are right at first, against {} by other clients: it misreads this \
             tool.",
            percent(own.value()),
            percent(others.value())
        );
        Some(Judgement { p_value: others.above_share(own), p_high: 1.0, insight })
    };
    clients.iter().filter_map(judge).collect()
}
