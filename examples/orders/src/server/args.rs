//! What the tools take. Unknown fields are refused: a model that guesses a name should hear about it.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchOrders {
    /// What to search for.
    pub(super) query: String,
    /// At most this many (default 10).
    pub(super) limit: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderId {
    /// For example O-5012.
    pub(super) order_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListOrders {
    /// For example C-1004.
    pub(super) customer_id: String,
    /// The `next_cursor` of the page before.
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetCustomer {
    /// For example C-1004: an id, never a name.
    pub(super) customer_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetInventory {
    /// For example SKU-104.
    pub(super) sku: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrackShipment {
    /// For example TRK-70012.
    pub(super) tracking: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefundOrder {
    /// For example O-5012.
    pub(super) order_id: String,
    /// At most the order's total.
    pub(super) amount_cents: u64,
    /// Shown to the customer.
    pub(super) reason: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportReport {
    /// `2026-03`.
    pub(super) month: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QuoteShipping {
    /// For example O-5012.
    pub(super) order_id: String,
    /// Two letters: DE, PT, PL, SE, CH, FR.
    pub(super) country: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EraseCustomer {
    /// For example C-1004.
    pub(super) customer_id: String,
}
