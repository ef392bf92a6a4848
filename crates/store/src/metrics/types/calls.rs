use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Outcome;

/// What a step is to the one before it in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// Other arguments after a step that was not good.
    Retry,
    /// Other arguments after a good step: reworded, or next in a list.
    FollowUp,
}

/// One stored call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallRow {
    /// Order of arrival.
    pub seq: u64,
    /// When it arrived.
    pub received_ms: i64,
    /// Its session.
    pub session_id: String,
    /// Its client.
    pub client: String,
    /// Its tool.
    pub tool: String,
    /// When it started.
    pub started_ms: i64,
    /// How long it took, milliseconds.
    pub duration_ms: u32,
    /// What it came to.
    #[schema(value_type = super::OutcomeSchema)]
    pub outcome: Outcome,
    /// Whether its answer was empty.
    pub is_empty: bool,
    /// Size of its answer, UTF-16 units.
    pub response_units: u32,
    /// 12 lowercase hex of its arguments; twelve zeros when they had no canonical form.
    pub args_hash: String,
}

/// Which calls to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPage {
    /// Newest arrivals first, below this `seq` if given.
    Before {
        /// Exclusive; `None` starts with the newest.
        seq: Option<u64>,
        /// 1–1 000.
        limit: u32,
    },
    /// Oldest arrivals first, above this `seq`: a live tail.
    After {
        /// Exclusive; 0 starts with the oldest.
        seq: u64,
        /// 1–1 000.
        limit: u32,
    },
}

/// A page of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallsPage {
    /// In the order asked for.
    pub calls: Vec<CallRow>,
    /// `seq` to continue from (exclusive). `null` on the last page.
    pub next: Option<u64>,
}

/// One call on the tape of its session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TapeCall {
    /// The call itself.
    #[serde(flatten)]
    pub call: CallRow,
    /// Number of its step in the session, from 1, by first call. Parallel calls of one tool share a step.
    pub step: u32,
    /// Which repeat of its step: 0 is the first time, 1 the same arguments again, and so on.
    pub repeat: u32,
    /// Number of its run in the session, from 1, by first call.
    pub run: u32,
    /// Steps in its run.
    pub run_steps: u32,
    /// Whether every step of its run is good.
    pub run_clean: bool,
    /// What its step is to the one before in the run. `null` for the first step of a run, after or at arguments
    /// without a hash, and in crowded sessions.
    pub link: Option<LinkKind>,
    /// What the step after it in the run is to its own: why this call counts as retried or followed.
    pub link_behind: Option<LinkKind>,
    /// Probability that the model reworded this call because its answer missed: 1 for a retry behind it, and for a
    /// follow-up in a run that holds a failed or empty step; estimated for a follow-up in a clean run (0 or 1 when
    /// the owner says how the tool is called); 0 with nothing behind it. `null` when it is not good, and in
    /// crowded sessions.
    pub reworded_probability: Option<f64>,
    /// Whether this session and client are crowded.
    pub crowded: bool,
    /// Whether it is settled.
    pub settled: bool,
    /// The surface its session had when it arrived. `null` when unknown.
    pub surface_id: Option<u32>,
}
