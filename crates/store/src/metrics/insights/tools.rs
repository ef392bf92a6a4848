//! Judgements about one tool: first-call success, sizes, empties, speed, and errors of the last hour.

use std::collections::HashMap;

use super::message::{percent, whole};
use super::{Judgement, Result, about, significant};
use crate::metrics::context::Context;
use crate::metrics::figures::{UNITS_PER_TOKEN, tokens};
use crate::metrics::real;
use crate::metrics::snapshot::{By, ErrorCount, Evidence, Slice};
use crate::metrics::stats::{ENOUGH, LogSizes, Share, one_sided_z};
use crate::metrics::types::{FirstCall, Insight, InsightKind, Range, Severity};

/// Units of an answer that are heavy.
const HEAVY: f64 = 10_000.0;
/// And very heavy.
const VERY_HEAVY: f64 = 30_000.0;
const HOUR_MS: i64 = 3_600_000;
const WEEK_MS: i64 = 7 * 24 * HOUR_MS;
/// A burst is at least this much above the week.
const BURST: f64 = 0.05;
/// And this much is a high one.
const HIGH_BURST: f64 = 0.20;

pub(super) fn judge(context: &Context<'_>) -> Result<Vec<Insight>> {
    let first_calls = context.first_calls(By::Tool, |key| key.tool.clone().unwrap_or_default())?;
    let evidence = context.snapshot.evidence(Slice::matching(context.range))?;
    let mut insights = Vec::new();
    insights.extend(significant(
        first_calls.iter().filter_map(|(tool, calls)| low_success(tool, calls)).collect(),
    ));
    insights.extend(heavy_answers(&evidence));
    insights.extend(significant(evidence.iter().filter_map(empties).collect()));
    insights.extend(significant(evidence.iter().filter_map(slow).collect()));
    insights.extend(bursts(context)?);
    Ok(insights)
}

fn low_success(tool: &str, calls: &FirstCall) -> Option<Judgement> {
    let n = calls.estimated_calls;
    let value = calls.first_call_success.filter(|_| n >= ENOUGH)?;
    let share = Share { part: value * real(n), of: real(n) };
    let mut insight = about(InsightKind::LowFirstCallSuccess, tool, value, 0.70, n);
    insight.bound = Some(share.wilson(one_sided_z()).high);
    insight.message = format!(
        "Only {} of the calls of {tool} give the model what it wanted at first; the others cost further calls, \
         time and tokens.",
        percent(value)
    );
    Some(Judgement { p_value: share.below(0.70), p_high: share.below(0.50), insight })
}

/// The log-normal mean must be past the threshold, and the plain one too.
fn heavy_answers(evidence: &[Evidence]) -> impl Iterator<Item = Insight> {
    significant(evidence.iter().filter_map(heavy).collect()).filter(|insight| insight.value > HEAVY).map(
        |insight| {
            let is_high = insight.severity == Severity::High && insight.value > VERY_HEAVY;
            Insight { severity: if is_high { Severity::High } else { Severity::Medium }, ..insight }
        },
    )
}

fn heavy(evidence: &Evidence) -> Option<Judgement> {
    let n = evidence.good;
    let (mean, mean_log) = evidence.mean_units.zip(evidence.mean_log).filter(|_| n >= ENOUGH)?;
    let sizes = LogSizes { count: n, mean: mean_log, variance: evidence.variance_log.unwrap_or_default() };
    let mut insight = about(InsightKind::HeavyAnswers, &evidence.tool, mean, HEAVY, n);
    insight.bound = Some(sizes.at_least());
    insight.message = format!(
        "An answer of {} is {} units on average, about {} tokens that the model reads at every call.",
        evidence.tool,
        whole(mean),
        whole(mean / UNITS_PER_TOKEN)
    );
    Some(Judgement { p_value: sizes.above(HEAVY), p_high: sizes.above(VERY_HEAVY), insight })
}

fn empties(evidence: &Evidence) -> Option<Judgement> {
    share_above(evidence, evidence.empty, (0.05, 0.20), InsightKind::SilentEmpties, |share| {
        format!(
            "{share} of the calls of {} come back ok and empty: the model cannot tell nothing found from asked wrongly.",
            evidence.tool
        )
    })
}

fn slow(evidence: &Evidence) -> Option<Judgement> {
    share_above(evidence, evidence.slow, (0.10, 0.30), InsightKind::Slow, |share| {
        format!(
            "{share} of the calls of {} take more than 2 s: the conversation stands still.",
            evidence.tool
        )
    })
}

fn share_above(
    evidence: &Evidence,
    part: u64,
    (threshold, high): (f64, f64),
    kind: InsightKind,
    message: impl Fn(String) -> String,
) -> Option<Judgement> {
    let n = evidence.settled;
    let share = Share::new(real(part), n).filter(|_| n >= ENOUGH)?;
    let mut insight = about(kind, &evidence.tool, share.value(), threshold, n);
    insight.bound = Some(share.wilson(one_sided_z()).low);
    insight.message = message(percent(share.value()));
    Some(Judgement { p_value: share.above(threshold), p_high: share.above(high), insight })
}

/// Errors of the last hour against the 7 days before, whatever the range.
fn bursts(context: &Context<'_>) -> Result<impl Iterator<Item = Insight>> {
    let now = context.scope.now_ms;
    let errors = |from_ms, to_ms| context.snapshot.errors(Slice::matching(Range { from_ms, to_ms }));
    let week: HashMap<String, ErrorCount> = errors(now - HOUR_MS - WEEK_MS, now - HOUR_MS)?
        .into_iter()
        .map(|count| (count.tool.clone(), count))
        .collect();
    let mut family = Vec::new();
    for hour in errors(now - HOUR_MS, now)? {
        let Some(week) = week.get(&hour.tool) else { continue };
        if hour.settled < ENOUGH || week.settled < ENOUGH {
            continue;
        }
        let (Some(recent), Some(usual)) =
            (Share::new(real(hour.errors), hour.settled), Share::new(real(week.errors), week.settled))
        else {
            continue;
        };
        let p_value = recent.above_share(usual);
        let mut insight =
            about(InsightKind::ErrorBurst, &hour.tool, recent.value(), usual.value(), hour.settled);
        insight.message = format!(
            "{} of the calls of {} failed in the last hour, against {} in the 7 days before: something broke.",
            percent(recent.value()),
            hour.tool,
            percent(usual.value())
        );
        family.push(Judgement { p_value, p_high: 1.0, insight });
    }
    Ok(significant(family).filter(|insight| insight.value - insight.threshold >= BURST).map(|insight| {
        let is_high = insight.value - insight.threshold >= HIGH_BURST;
        Insight { severity: if is_high { Severity::High } else { Severity::Medium }, ..insight }
    }))
}

/// Tokens that listing costs, for messages about surfaces.
pub(super) fn schema_tokens(units: u32) -> String {
    whole(tokens(units.into()))
}
