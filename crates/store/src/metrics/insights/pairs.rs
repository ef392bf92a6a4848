//! Two tools that contradict each other about a declared field.

use super::message::percent;
use super::{Judgement, Result, about, significant};
use crate::metrics::context::Context;
use crate::metrics::real;
use crate::metrics::snapshot::VerdictCount;
use crate::metrics::stats::{ENOUGH, Share, one_sided_z};
use crate::metrics::types::{Insight, InsightKind};

/// Disagreeing more often than this is worth a look.
const THRESHOLD: f64 = 0.01;
/// And more often than this is high.
const HIGH: f64 = 0.10;

pub(super) fn judge(context: &Context<'_>) -> Result<Vec<Insight>> {
    let verdicts = context.snapshot.verdicts(context.range)?;
    Ok(significant(verdicts.iter().filter_map(disagreement).collect()).collect())
}

fn disagreement(verdicts: &VerdictCount) -> Option<Judgement> {
    let n = verdicts.checked;
    let share = Share::new(real(n - verdicts.agreed), n).filter(|_| n >= ENOUGH)?;
    let mut insight = about(InsightKind::Disagreement, &verdicts.tool_a, share.value(), THRESHOLD, n);
    insight.other_tool = Some(verdicts.tool_b.clone());
    insight.field = Some(verdicts.field.clone());
    insight.bound = Some(share.wilson(one_sided_z()).low);
    insight.message = format!(
        "{} and {} disagree about {} in {} of {n} comparisons: the model gets contradicting answers.",
        verdicts.tool_a,
        verdicts.tool_b,
        verdicts.field,
        percent(share.value())
    );
    Some(Judgement { p_value: share.above(THRESHOLD), p_high: share.above(HIGH), insight })
}
