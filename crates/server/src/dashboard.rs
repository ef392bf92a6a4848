//! The dashboard, embedded in the binary. Paths that are nobody else's get its page.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

/// Built by `make dashboard`. The server compiles without it, and then says so.
#[derive(RustEmbed)]
#[folder = "../../dashboard/dist"]
#[allow_missing = true]
struct Files;

/// Paths of programs, which get an error and no page.
const PROGRAMS: [&str; 1] = ["/v1/"];

/// Names under here hold a hash of the content.
const HASHED: &str = "assets/";

const NOT_BUILT: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>MCPulse</title>\n\
    <h1>MCPulse</h1>\n<p>The server works, but this binary was built without the dashboard: run <code>make \
    build</code>.</p>\n<p>The REST API is described at <a href=\"/docs/\">/docs</a>.</p>\n</html>\n";

/// Answers every path that has no route.
pub(crate) async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    if PROGRAMS.iter().any(|prefix| path.starts_with(prefix)) {
        return Problem::not_found().detail("there is no such route").into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allowed = HeaderValue::from_static("GET,HEAD");
        return ([(header::ALLOW, allowed)], Problem::method_not_allowed()).into_response();
    }
    let name = path.trim_start_matches('/');
    if let Some(file) = Files::get(name) {
        return answer(name, &file, request.headers());
    }
    // A missing asset must not come as a page: the browser would try to run it.
    if name.starts_with(HASHED) {
        return Problem::not_found().into_response();
    }
    match Files::get("index.html") {
        Some(page) => answer("index.html", &page, request.headers()),
        None => (html(), NOT_BUILT).into_response(),
    }
}

fn html() -> [(header::HeaderName, HeaderValue); 1] {
    [(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))]
}

fn answer(name: &str, file: &EmbeddedFile, request: &HeaderMap) -> Response {
    let tag = tag(file);
    let cache = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let known = request.get(header::IF_NONE_MATCH).is_some_and(|known| Some(known) == tag.as_ref());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else if name == "index.html" {
        (html(), file.data.clone().into_owned()).into_response()
    } else {
        let kind = HeaderValue::try_from(file.metadata.mimetype())
            .unwrap_or(HeaderValue::from_static("application/octet-stream"));
        ([(header::CONTENT_TYPE, kind)], file.data.clone().into_owned()).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// A weak tag: the body may be compressed on its way.
fn tag(file: &EmbeddedFile) -> Option<HeaderValue> {
    let hash = file.metadata.sha256_hash();
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(format!("W/\"{hex}\"")).ok()
}
