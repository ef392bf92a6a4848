//! Step 1: from the request to payloads that keep every rule of the wire.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, StatusCode, header};
use mcpulse_store::events::Rejected;
use mcpulse_wire::validate::{Checked, EnvelopeError, Violation, decode_batch};
use serde::Serialize;
use utoipa::ToSchema;

use super::MAX_BODY;
use super::expand::{Encoding, expand};
use crate::input::{self, ReadError};
use crate::problem::Problem;

/// The longest idempotency key.
const MAX_IDEMPOTENCY_KEY: usize = 64;
/// More payloads than a body could hold: a body of commas must not cost more than one of payloads.
const MAX_COUNTED: usize = 65_536;

/// Bodies up to this size are parsed in place; larger ones move off the async threads.
const INLINE: usize = 256 * 1024;

/// The payloads of a batch, each judged by the rules of the wire.
pub(super) type Wire = Vec<Result<Checked, Violation>>;

/// What a request carries, for the OpenAPI document; it is read straight from the text.
#[derive(Serialize, ToSchema)]
pub(super) struct Envelope {
    /// Payloads as `/v1/schema` describes them.
    #[schema(value_type = Vec<Object>, max_items = 500)]
    batch: Vec<serde_json::Value>,
}

/// A body that is refused whole.
pub(super) struct Refusal {
    pub(super) problem: Box<Problem>,
    rule: &'static str,
    payloads: usize,
}

impl Refusal {
    fn new(problem: Problem, rule: &'static str) -> Self {
        Self { problem: Box::new(problem), rule, payloads: 1 }
    }

    /// What was refused, one by one as far as it is known.
    pub(super) fn rejected(&self) -> Vec<Rejected> {
        let count = u32::try_from(self.payloads.min(MAX_COUNTED)).unwrap_or(u32::MAX);
        (0..count).map(|index| Rejected { index, path: String::new(), rule: self.rule.to_owned() }).collect()
    }
}

/// What the head of a request says about its body.
pub(super) struct Head {
    pub(super) encoding: Encoding,
    pub(super) idempotency_key: Option<String>,
    length: Option<usize>,
}

impl Head {
    /// The most bytes that the body will take in memory, as sent and expanded.
    pub(super) fn bytes(&self) -> usize {
        let sent = self.length.unwrap_or(MAX_BODY);
        if self.encoding == Encoding::Identity { sent } else { sent + MAX_BODY }
    }
}

/// Checks what the head of a request says about its body.
pub(super) fn head(headers: &HeaderMap) -> Result<Head, Refusal> {
    if !input::is_json(headers) {
        let problem = Problem::unsupported().detail("the Content-Type must be application/json");
        return Err(Refusal::new(problem, "content_type"));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    // A length that overflows is too large as well; the HTTP layer has refused what is no number.
    let length = length.map(|length| length.parse().unwrap_or(usize::MAX));
    if length.is_some_and(|length| length > MAX_BODY) {
        return Err(Refusal::new(super::too_large(), "body_size"));
    }
    let encoding = Encoding::of(headers).map_err(|problem| Refusal::new(problem, "content_encoding"))?;
    let idempotency_key =
        idempotency_key(headers).map_err(|problem| Refusal::new(problem, "idempotency_key"))?;
    Ok(Head { encoding, idempotency_key, length })
}

/// The idempotency key, if one is sent: at most 64 visible ASCII characters.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let refuse =
        || Problem::malformed().detail("the Idempotency-Key must be 1 to 64 visible characters, once");
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().map_err(|_| refuse())?;
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if values.next().is_some() || !visible || !(1..=MAX_IDEMPOTENCY_KEY).contains(&text.len()) {
        return Err(refuse());
    }
    Ok(Some(text.to_owned()))
}

/// Reads, expands and parses a body.
pub(super) async fn body(body: Body, encoding: Encoding, time: Duration) -> Result<Wire, Refusal> {
    let raw = input::read(body, MAX_BODY, time).await.map_err(|error| match error {
        ReadError::TooLarge => Refusal::new(super::too_large(), "body_size"),
        ReadError::TooSlow => Refusal::new(Problem::too_slow(), "body_time"),
        ReadError::Broken => Refusal::new(Problem::malformed().detail("the body ended early"), "body_cut"),
    })?;
    let text = expand(raw, encoding).await.map_err(|problem| {
        let rule =
            if problem.status() == StatusCode::PAYLOAD_TOO_LARGE { "body_size" } else { "content_encoding" };
        Refusal::new(problem, rule)
    })?;
    if text.len() <= INLINE {
        return payloads(&text);
    }
    tokio::task::spawn_blocking(move || payloads(&text))
        .await
        .unwrap_or_else(|_| Err(Refusal::new(Problem::internal(), "internal")))
}

fn payloads(text: &[u8]) -> Result<Wire, Refusal> {
    match decode_batch(text) {
        Ok(batch) => Ok(batch.payloads),
        Err(EnvelopeError::TooManyPayloads(payloads)) => {
            let problem = Problem::too_large().detail("a batch may have 500 payloads");
            Err(Refusal { payloads, ..Refusal::new(problem, "batch_size") })
        }
        Err(error) => Err(Refusal::new(Problem::malformed().detail(error.to_string()), "envelope")),
    }
}
