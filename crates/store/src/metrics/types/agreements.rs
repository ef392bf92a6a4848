use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Range;

/// How often two tools agreed about one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgreementRow {
    /// The declared field.
    pub field: String,
    /// First tool, in UTF-16 order.
    pub tool_a: String,
    /// Second tool.
    pub tool_b: String,
    /// Verdicts in the range. 0 when the pair is declared and was never compared.
    pub checked: u64,
    /// Verdicts that the two agreed.
    pub agreed: u64,
    /// `agreed` ÷ `checked`. `null` without verdicts.
    pub agreed_share: Option<f64>,
    /// The last verdict that they did not agree, in the range. `null` when there is none.
    pub last_disagreement_ms: Option<i64>,
}

/// All agreements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgreementReport {
    /// The range asked for.
    pub range: Range,
    /// By field, then tools.
    pub agreements: Vec<AgreementRow>,
}

/// Tools whose descriptions are the same once words are brought to their stems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overlap {
    /// The normalised description's hash.
    pub description_norm: String,
    /// Two or more, by name.
    pub tools: Vec<String>,
    /// Surfaces in use in the range that hold at least two of them.
    pub surfaces: u64,
    /// When one of those surfaces was last sent.
    pub last_seen_ms: i64,
}

/// All overlaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverlapReport {
    /// The range asked for.
    pub range: Range,
    /// Most tools first, then by name of the first.
    pub overlaps: Vec<Overlap>,
}
