use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far the data behind a headline can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Confidence {
    /// Matching calls, settled or not (denominator of the two shares).
    pub calls: u64,
    /// Calls whose client said its name.
    pub known_client_calls: u64,
    /// `known_client_calls` ÷ `calls`. `null` without calls.
    pub known_client_share: Option<f64>,
    /// Calls in crowded sessions: several conversations share one session, so first-call figures leave them out.
    /// The producer's option `sessions: conversation` tells conversations apart.
    pub crowded_calls: u64,
    /// `crowded_calls` ÷ `calls`. `null` without calls.
    pub crowded_share: Option<f64>,
    /// Payloads rejected on the days (UTC) that the range touches, of the whole server.
    pub rejected_payloads: u64,
    /// Payloads accepted on those days by time of arrival, of the whole server.
    pub accepted_payloads: u64,
    /// Rejected ÷ (rejected + accepted). `null` without payloads.
    pub rejected_share: Option<f64>,
    /// Sessions with a matching call.
    pub sessions: u64,
    /// Sessions with a matching call that never sent which tools they have.
    pub sessions_without_startup: u64,
    /// When the newest payload of the server arrived, ever. `null` when nothing ever did.
    pub newest_payload_ms: Option<i64>,
    /// The server's clock less `newest_payload_ms`.
    pub newest_payload_age_ms: Option<i64>,
}
