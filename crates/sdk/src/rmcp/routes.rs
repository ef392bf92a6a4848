//! The author's layer of a server with a `ToolRouter`.

use std::sync::Arc;

use ::rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};

use super::outcome::is_binding_failure;
use super::slot::{Reached, note};

/// Watches the routes of a router. Give the result where the router was:
///
/// ```ignore
/// tool_router: mcpulse::rmcp::routes(Self::tool_router()),
/// ```
#[must_use]
pub fn routes<S: Send + Sync + 'static>(mut router: ToolRouter<S>) -> ToolRouter<S> {
    for route in router.map.values_mut() {
        let author = Arc::clone(&route.call);
        *route = ToolRoute::new_dyn(route.attr.clone(), move |context| {
            note(Reached::Route);
            let answer = author(context);
            Box::pin(async move {
                let answer = answer.await;
                if answer.as_ref().is_err_and(is_binding_failure) {
                    note(Reached::Unbound);
                }
                answer
            })
        });
    }
    router
}
