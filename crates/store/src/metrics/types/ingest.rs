use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Range;

/// Payloads accepted on one day (UTC) by one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AcceptedDay {
    /// The day, `2026-07-28`.
    pub day: String,
    /// The key they came by.
    pub key_id: String,
    /// Calls.
    pub calls: u64,
    /// Startups.
    pub startups: u64,
    /// Agreements.
    pub agreements: u64,
    /// When the last of them arrived.
    pub last_ms: i64,
}

/// Payloads rejected on one day (UTC) by one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RejectedRow {
    /// The day, `2026-07-28`.
    pub day: String,
    /// The key they came by.
    pub key_id: String,
    /// From `User-Agent`; `other` when it is not a MCPulse producer.
    pub producer: String,
    /// The rule they broke, such as `pattern`.
    pub rule: String,
    /// How many.
    pub count: u64,
    /// When the last of them arrived.
    pub last_ms: i64,
}

/// What arrived and what was rejected. Days are UTC; those that the range touches are shown whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IngestHealth {
    /// The range asked for.
    pub range: Range,
    /// Payloads accepted on those days.
    pub accepted: u64,
    /// Payloads rejected on those days.
    pub rejected: u64,
    /// Rejected ÷ (accepted + rejected). `null` without payloads.
    pub rejected_share: Option<f64>,
    /// When the newest payload arrived, ever. `null` when none did.
    pub newest_payload_ms: Option<i64>,
    /// By day (newest first), then key.
    pub accepted_days: Vec<AcceptedDay>,
    /// By day (newest first), count (most first), key, producer, rule.
    pub rejections: Vec<RejectedRow>,
}

/// What one server sent on one day (UTC).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageDay {
    /// The day, `2026-07-28`.
    pub day: String,
    /// Calls.
    pub calls: u64,
    /// Startups.
    pub startups: u64,
    /// Agreements.
    pub agreements: u64,
    /// Payloads rejected.
    pub rejected: u64,
}

/// What one server sent. The sums are those of the days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Calls.
    pub calls: u64,
    /// Startups.
    pub startups: u64,
    /// Agreements.
    pub agreements: u64,
    /// Payloads rejected.
    pub rejected: u64,
    /// Newest first; days without payloads are left out.
    pub days: Vec<UsageDay>,
}
