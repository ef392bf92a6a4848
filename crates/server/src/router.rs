//! All routes, at once. What is registered here is in the OpenAPI document; what is not, is not reachable.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::controllers::{
    accounts, backup, export, keys, live, me, metrics, operations, schema, servers, sign_in, tokens,
    tool_modes,
};
use crate::middleware::{around, headers, hosts};
use crate::problem::Problem;
use crate::{auth, dashboard, docs, ingest, openapi};

/// Routes that anybody reaches.
fn open() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(operations::health))
        .routes(routes!(operations::metrics))
        .routes(routes!(schema::get))
        .routes(routes!(sign_in::create))
        .routes(routes!(backup::create))
        .routes(routes!(ingest::create))
}

/// Routes that need somebody.
fn signed_in() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(me::get, me::delete))
        .routes(routes!(sign_in::delete))
        .routes(routes!(accounts::get, accounts::update, accounts::delete))
        .routes(routes!(metrics::usage))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(servers::list, servers::create))
        .routes(routes!(servers::get, servers::update, servers::delete))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::get, keys::update, keys::revoke))
        .routes(routes!(tool_modes::list, tool_modes::update))
        .routes(routes!(servers::retention))
        .routes(routes!(export::get))
        .routes(routes!(live::both))
        .routes(routes!(live::calls))
        .routes(routes!(live::ingest_health))
        .routes(routes!(metrics::overview))
        .routes(routes!(metrics::tools))
        .routes(routes!(metrics::tool))
        .routes(routes!(metrics::tool_by_name))
        .routes(routes!(metrics::clients))
        .routes(routes!(metrics::producers))
        .routes(routes!(metrics::sessions))
        .routes(routes!(metrics::session))
        .routes(routes!(metrics::pairs))
        .routes(routes!(metrics::insights))
        .routes(routes!(metrics::changes))
        .routes(routes!(metrics::overlaps))
        .routes(routes!(metrics::agreements))
        .routes(routes!(metrics::ingest_health))
        .routes(routes!(metrics::calls))
}

/// The OpenAPI document of all routes.
pub(crate) fn document() -> OpenApi {
    openapi::finish(open().into_openapi(), signed_in().into_openapi())
}

/// The whole application.
pub(crate) fn router(app: App) -> Router {
    let (open, _) = open().split_for_parts();
    let (signed_in, _) = signed_in().split_for_parts();
    let signed_in = signed_in.route_layer(from_fn_with_state(app.clone(), auth::authenticate));
    open.merge(signed_in)
        .merge(docs::routes())
        .fallback(dashboard::serve)
        .method_not_allowed_fallback(|| async { Problem::method_not_allowed().into_response() })
        .with_state(app.clone())
        .layer(from_fn_with_state(app.clone(), around::bound))
        .layer(from_fn_with_state(app.clone(), hosts::check))
        .layer(CatchPanicLayer::custom(around::panicked))
        .layer(CompressionLayer::new())
        .layer(from_fn(headers::add))
        .layer(from_fn_with_state(app, around::observe))
}
