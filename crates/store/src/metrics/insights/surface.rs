//! Tools that are listed and not called, called and not listed, or described alike.

use std::collections::{BTreeSet, HashMap};

use super::message::whole;
use super::tools::schema_tokens;
use super::{Result, about};
use crate::metrics::context::Context;
use crate::metrics::real;
use crate::metrics::stats::ENOUGH;
use crate::metrics::surfaces::overlaps;
use crate::metrics::tools::states;
use crate::metrics::types::{Insight, InsightKind, Severity, ToolStatus};

pub(super) fn judge(context: &Context<'_>) -> Result<Vec<Insight>> {
    let exposures: HashMap<String, u64> = context.snapshot.exposures(context.range)?.into_iter().collect();
    let tools = states(context)?;
    let mut insights = Vec::new();
    for tool in &tools {
        let exposed = exposures.get(&tool.tool).copied().unwrap_or_default();
        match (tool.status, &tool.registered) {
            (ToolStatus::Dead, Some(entry)) if exposed >= ENOUGH => {
                let mut insight =
                    about(InsightKind::DeadTool, &tool.tool, tool.schema_cost_usd, 0.0, exposed);
                insight.severity = Severity::Low;
                insight.message = format!(
                    "{} was never called, in {} calls that could have been it; {} sessions read its {} tokens all the same.",
                    tool.tool,
                    whole(real(exposed)),
                    whole(real(entry.sessions)),
                    schema_tokens(entry.schema_units)
                );
                insights.push(insight);
            }
            (ToolStatus::Phantom, _) if tool.settled_calls >= ENOUGH => {
                let calls = real(tool.settled_calls);
                let mut insight =
                    about(InsightKind::PhantomTool, &tool.tool, calls, real(ENOUGH), tool.settled_calls);
                insight.message = format!(
                    "{} was called {} times and is in no list of tools: a model or a prompt believes in a tool that is not there.",
                    tool.tool,
                    whole(calls)
                );
                insights.push(insight);
            }
            _ => {}
        }
    }
    let calls: HashMap<&str, u64> =
        tools.iter().map(|tool| (tool.tool.as_str(), tool.settled_calls)).collect();
    insights.extend(same_descriptions(context, &calls)?);
    Ok(insights)
}

/// Each two tools of one overlap, once.
fn same_descriptions(context: &Context<'_>, calls: &HashMap<&str, u64>) -> Result<Vec<Insight>> {
    let of = |tool: &String| calls.get(tool.as_str()).copied().unwrap_or_default();
    let mut pairs = BTreeSet::new();
    for overlap in overlaps(context.snapshot, context.scope)?.overlaps {
        for (at, one) in overlap.tools.iter().enumerate() {
            pairs.extend(overlap.tools[at + 1..].iter().map(|other| (one.clone(), other.clone())));
        }
    }
    let insights = pairs.into_iter().filter_map(|(one, other)| {
        let together = of(&one) + of(&other);
        (together >= ENOUGH).then(|| {
            let mut insight =
                about(InsightKind::SameDescription, &one, real(together), real(ENOUGH), together);
            insight.severity = Severity::Low;
            insight.message = format!(
                "{one} and {other} are described in the same words: a model can only guess which of them to call."
            );
            insight.other_tool = Some(other);
            insight
        })
    });
    Ok(insights.collect())
}
