//! `POST /v1/ingest`: decode, authenticate, limit, validate, store, answer. Each step has its file.
//!
//! The key comes first: a stranger's body is not read into memory, and every batch of a known key ends stored, or
//! counted with a reason.

mod answer;
mod authenticate;
mod decode;
mod expand;
mod limit;
mod over_limit;
mod producer;
mod store;
mod validate;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use mcpulse_store::control::IngestKey;

use crate::app::{App, Shared, now_ms};
use crate::input;
use crate::problem::Problem;
use answer::Accepted;

pub(crate) use limit::KeyLimits;
pub(crate) use over_limit::{OverLimit, WRITTEN_EVERY};

/// The largest body, as sent and after expansion.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// Send payloads
///
/// At most 500 payloads of wire version 1 (see `/v1/schema`) and 4 MiB, also after expansion; `gzip` and `zstd`
/// are taken. A bad payload never costs its neighbours: 202 means that every valid payload is on disk, and names
/// the first 20 rejected ones. A repeated `Idempotency-Key` answers as the first time and stores nothing.
#[utoipa::path(
    post,
    path = "/v1/ingest",
    tag = "ingest",
    operation_id = "ingest",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "128 random bits as hex, the same for every try of one batch", max_length = 64),
        ("Content-Encoding" = Option<String>, Header, description = "`gzip`, `zstd` or `identity`"),
    ),
    request_body(content = decode::Envelope, content_type = "application/json"),
    responses(
        (status = 202, description = "Every valid payload is on disk", body = Accepted),
        (status = 400, description = "Not JSON, or no `batch`", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "The key is missing, unknown or revoked", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "More than 500 payloads or 4 MiB", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON, or an encoding that is not taken", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Over the key's limit; `Retry-After` says when to come back", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match take(&app, &parts.headers, body).await {
        Ok(accepted) => accepted.into_response(),
        Err(problem) => {
            app.telemetry.refused(problem.status());
            answer::refused(problem).into_response()
        }
    }
}

async fn take(app: &Shared, headers: &HeaderMap, body: Body) -> Result<Accepted, Problem> {
    let received_ms = now_ms();
    let key = match authenticate::key(&*app.control, headers).await {
        Ok(key) => key,
        Err(problem) => {
            unread(headers, body).await;
            return Err(problem);
        }
    };
    let mut batch = Batch { key, producer: producer::name(headers), idempotency_key: None, received_ms };
    let head = match decode::head(headers) {
        Ok(head) => head,
        Err(refusal) => {
            unread(headers, body).await;
            return Err(batch.refuse(app, refusal).await);
        }
    };
    // Held until the batch is stored, so that what all requests hold together is bounded.
    let _room = app.room(head.bytes()).await?;
    let payloads = match decode::body(body, head.encoding, app.config.body_timeout()).await {
        Ok(payloads) => payloads,
        Err(refusal) => return Err(batch.refuse(app, refusal).await),
    };
    batch.idempotency_key = head.idempotency_key;
    batch.keep(app, payloads).await
}

/// Lets a client finish writing what nobody will read: an answer that comes before can be lost with the
/// connection. Whoever waits for `100 Continue` has not begun.
async fn unread(headers: &HeaderMap, body: Body) {
    if !headers.contains_key(http::header::EXPECT) {
        input::drain(body).await;
    }
}

/// A request whose key is known.
struct Batch {
    key: IngestKey,
    producer: String,
    idempotency_key: Option<String>,
    received_ms: i64,
}

impl Batch {
    /// Limits, judges and stores the payloads.
    async fn keep(self, app: &Shared, payloads: decode::Wire) -> Result<Accepted, Problem> {
        let count = u32::try_from(payloads.len()).unwrap_or(u32::MAX);
        if let Err(problem) = app.limits.take(&self.key, count) {
            app.over_limit.add(&self, count);
            return Err(problem);
        }
        let server = app.control.server(self.key.server_id).await?.ok_or_else(authenticate::refusal)?;
        let sorted = validate::sort(payloads, self.received_ms, server.retention_days);
        store::store(app, self, sorted).await
    }

    /// Counts a batch that is refused whole, unless the key is over its limit: that would let a broken
    /// producer write as fast as it can send.
    async fn refuse(&self, app: &Shared, refusal: decode::Refusal) -> Problem {
        let rejected = refusal.rejected();
        app.telemetry.rejected(&rejected);
        if app.limits.take(&self.key, 1).is_ok() {
            store::count(app, self, rejected).await;
        }
        *refusal.problem
    }
}

fn too_large() -> Problem {
    Problem::too_large().detail("a body may have 4 MiB, also after expansion")
}
