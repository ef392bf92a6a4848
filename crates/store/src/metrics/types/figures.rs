use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Calls by what they came to. The five add up to the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Outcomes {
    /// Outcome `ok` with an answer in it.
    pub ok: u64,
    /// Outcome `ok` with an empty answer.
    pub empty: u64,
    /// The handler never ran: arguments failed validation, or there is no such tool.
    pub bad_args: u64,
    /// The tool said that it failed.
    pub tool_error: u64,
    /// The handler broke.
    pub crashed: u64,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// First-call success: the estimate between its bounds, with counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FirstCall {
    /// Share of `estimated_calls` that gave the model what it wanted: good calls less the expected number of
    /// reworded ones. `null` without calls.
    pub first_call_success: Option<f64>,
    /// Where the true share lies in 9 of 10 cases. `null` without calls.
    pub interval: Option<Interval>,
    /// Share of `sequence_calls` that are good and have no retry or follow-up behind them. `null` without calls.
    pub strict: Option<f64>,
    /// Share of `settled_calls` that are good. `null` without calls.
    pub lenient: Option<f64>,
    /// Calls that are settled (denominator of `lenient`).
    pub settled_calls: u64,
    /// Settled calls that are good: ok and not empty (numerator of `lenient`).
    pub good_calls: u64,
    /// Settled calls outside crowded sessions (denominator of `strict`).
    pub sequence_calls: u64,
    /// Good calls among `sequence_calls` with nothing behind them (numerator of `strict`).
    pub strict_calls: u64,
    /// Good calls among `sequence_calls` with a retry behind them (their step was not good as a whole).
    pub retried_calls: u64,
    /// Good calls among `sequence_calls` with a follow-up behind them: reworded, or next in a list.
    pub followed_calls: u64,
    /// Calls among `sequence_calls` that are not ok. With the empty, strict, retried and followed ones they add up
    /// to `sequence_calls`.
    pub failed_calls: u64,
    /// Calls among `sequence_calls` that are ok and empty.
    pub empty_calls: u64,
    /// Calls the estimate is about (its denominator): `sequence_calls`, but `settled_calls` for tools called in series.
    pub estimated_calls: u64,
    /// Expected number of good calls among `estimated_calls` that were reworded.
    pub expected_reworded: f64,
}

/// Latency percentiles by nearest rank, in milliseconds. `null` without calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Latency {
    /// Half of the calls took at most this.
    pub p50_ms: Option<u32>,
    /// 90 % of the calls took at most this.
    pub p90_ms: Option<u32>,
    /// 95 % of the calls took at most this.
    pub p95_ms: Option<u32>,
    /// 99 % of the calls took at most this.
    pub p99_ms: Option<u32>,
}

/// How much was answered and what reading it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Response {
    /// Sum of response sizes, UTF-16 units.
    pub units: u64,
    /// Units per call. `null` without calls.
    pub mean_units: Option<f64>,
    /// The largest response, units. `null` without calls.
    pub max_units: Option<u32>,
    /// Units ÷ 4.
    pub tokens: f64,
    /// Tokens at the account's price, US dollars.
    pub cost_usd: f64,
}

/// The figures of any set of calls. Counts, sums and percentiles are of all calls; shares are of settled ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Figures {
    /// Calls.
    pub calls: u64,
    /// Calls by outcome.
    pub outcomes: Outcomes,
    /// Settled calls by outcome (denominators and numerators of the two rates).
    pub settled_outcomes: Outcomes,
    /// `bad_args`, `tool_error` and `crashed` among settled calls ÷ settled calls. `null` without any.
    pub error_rate: Option<f64>,
    /// Empty ones among settled calls ÷ settled calls. `null` without any.
    pub empty_rate: Option<f64>,
    /// First-call success.
    pub first_call: FirstCall,
    /// Latency percentiles.
    pub latency: Latency,
    /// Response sizes and their cost.
    pub response: Response,
    /// Sessions with at least one of these calls.
    pub sessions: u64,
}
