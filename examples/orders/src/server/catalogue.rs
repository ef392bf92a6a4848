//! What the tools say of themselves.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{JsonObject, MetaObject};

use super::{Orders, Release};

/// The wording that costs: it does not say what is searched, so models guess.
const SEARCH_FIRST: &str = "Search orders.";
/// The wording that helps.
const SEARCH_SECOND: &str = "Search orders by free text over customer name, city and product name. \
All words must occur; one product name or one customer name works best. Returns id, customer, products and total.";

/// Sets what a release says, and which tools need authorisation.
pub(super) fn describe(router: &mut ToolRouter<Orders>, release: Release) {
    if let Some(search) = router.map.get_mut("search_orders") {
        let text = match release {
            Release::First => SEARCH_FIRST,
            Release::Second => SEARCH_SECOND,
        };
        search.attr.description = Some(text.into());
    }
    for name in ["refund_order", "erase_customer"] {
        if let Some(route) = router.map.get_mut(name) {
            let mut meta = JsonObject::new();
            meta.insert(
                "securitySchemes".to_owned(),
                serde_json::json!([{ "type": "oauth2", "scopes": ["orders:write"] }]),
            );
            route.attr.meta = Some(MetaObject(meta));
        }
    }
}
