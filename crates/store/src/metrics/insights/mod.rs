//! What needs the owner's attention (`docs/metrics.md`, 9). One judge per file; this puts them in order.

mod clients;
mod message;
mod pairs;
mod surface;
mod tools;

use super::MetricsError;
use super::context::Context;
use super::snapshot::Snapshot;
use super::stats::holm;
use super::types::{Insight, InsightKind, InsightReport, Scope, Severity};

type Result<T> = std::result::Result<T, MetricsError>;

pub(super) fn insights(snapshot: &dyn Snapshot, scope: &Scope) -> Result<InsightReport> {
    let context = Context::new(snapshot, scope, scope.range)?;
    let mut insights = tools::judge(&context)?;
    insights.extend(clients::judge(&context)?);
    insights.extend(surface::judge(&context)?);
    insights.extend(pairs::judge(&context)?);
    insights.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(InsightReport { range: scope.range, settled_as_of_ms: scope.settled_as_of_ms(), insights })
}

type Order<'a> = (Severity, InsightKind, &'a str, &'a Option<String>, &'a Option<String>, &'a Option<String>);

fn order(insight: &Insight) -> Order<'_> {
    (insight.severity, insight.kind, &insight.tool, &insight.client, &insight.other_tool, &insight.field)
}

/// One judgement of a family: if its test is significant it is an insight, and a high one if the second is too.
struct Judgement {
    p_value: f64,
    /// The same against the second threshold.
    p_high: f64,
    insight: Insight,
}

/// Those of a family that are significant, by Holm.
fn significant(family: Vec<Judgement>) -> impl Iterator<Item = Insight> {
    let fires = holm(&family.iter().map(|judgement| judgement.p_value).collect::<Vec<_>>());
    let is_high = holm(&family.iter().map(|judgement| judgement.p_high).collect::<Vec<_>>());
    family.into_iter().zip(fires).zip(is_high).filter(|((_, fires), _)| *fires).map(
        |((judgement, _), is_high)| {
            let severity = if is_high { Severity::High } else { judgement.insight.severity };
            Insight { severity, p_value: Some(judgement.p_value), ..judgement.insight }
        },
    )
}

/// An insight about a tool, of medium severity until judged otherwise.
fn about(kind: InsightKind, tool: &str, value: f64, threshold: f64, evidence: u64) -> Insight {
    Insight {
        kind,
        severity: Severity::Medium,
        tool: tool.to_owned(),
        client: None,
        other_tool: None,
        field: None,
        value,
        threshold,
        bound: None,
        p_value: None,
        evidence,
        message: String::new(),
    }
}
