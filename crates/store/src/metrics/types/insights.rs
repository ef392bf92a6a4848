use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Range;

/// What an insight is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InsightKind {
    /// First-call success is below 70 %.
    LowFirstCallSuccess,
    /// Good answers are over 10 000 units on average.
    HeavyAnswers,
    /// Over 5 % of the calls come back ok and empty.
    SilentEmpties,
    /// Over 10 % of the calls take more than 2 s.
    Slow,
    /// Registered and never called.
    DeadTool,
    /// Called and never registered.
    PhantomTool,
    /// One client does far worse with a tool than the others.
    ClientBehind,
    /// Two tools contradict each other about a declared field.
    Disagreement,
    /// Two tools whose descriptions say the same.
    SameDescription,
    /// More errors in the last hour than the 7 days before explain.
    ErrorBurst,
}

/// How much it matters. The worse comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Act on it today.
    High,
    /// Look into it.
    Medium,
    /// Good to know.
    Low,
}

/// Something that needs attention: a tool, a number, a consequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Insight {
    /// What it is about.
    pub kind: InsightKind,
    /// How much it matters.
    pub severity: Severity,
    /// The tool.
    pub tool: String,
    /// The client, where it is about one.
    pub client: Option<String>,
    /// The other tool, where it is about two.
    pub other_tool: Option<String>,
    /// The declared field, where it is about one.
    pub field: Option<String>,
    /// What was measured: a share, or units for heavy answers, US dollars for dead tools, calls for phantom tools.
    pub value: f64,
    /// What it is measured against.
    pub threshold: f64,
    /// The bound of `value`'s confidence interval that faces the threshold, for judgements by a bound.
    pub bound: Option<f64>,
    /// One-sided p value before the correction for many tests. `null` where nothing is tested.
    pub p_value: Option<f64>,
    /// Calls (or verdicts) the judgement rests on.
    pub evidence: u64,
    /// In one sentence: the number, and what follows from it.
    pub message: String,
}

/// All insights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InsightReport {
    /// The range asked for.
    pub range: Range,
    /// Judged from calls that had ended and arrived by then.
    pub settled_as_of_ms: i64,
    /// By severity, then kind, tool, client, other tool, field.
    pub insights: Vec<Insight>,
}
