//! `/openapi.json` and `/docs`. Everything that the page loads is in the binary.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderValue, header};
use utoipa_swagger_ui::Config;

use crate::app::App;
use crate::problem::Problem;

/// The document never changes while the server runs.
static DOCUMENT: LazyLock<Bytes> =
    LazyLock::new(|| crate::openapi::document().to_json().map(Bytes::from).unwrap_or_default());

static PAGE: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/openapi.json").validator_url("none")));

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/openapi.json", get(openapi))
        // Relative addresses inside the page need the slash.
        .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
        .route("/docs/", get(|| async { page("index.html") }))
        .route("/docs/{file}", get(|Path(file): Path<String>| async move { page(&file) }))
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], DOCUMENT.clone())
}

fn page(file: &str) -> Response {
    match utoipa_swagger_ui::serve(file, Arc::clone(&PAGE)) {
        Ok(Some(file)) => {
            let kind = HeaderValue::try_from(file.content_type)
                .unwrap_or(HeaderValue::from_static("application/octet-stream"));
            ([(header::CONTENT_TYPE, kind)], file.bytes.into_owned()).into_response()
        }
        Ok(None) => Problem::not_found().into_response(),
        Err(error) => {
            tracing::error!(%error, "the documentation page");
            Problem::internal().into_response()
        }
    }
}
