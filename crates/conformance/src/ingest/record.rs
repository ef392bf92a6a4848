//! One request as it arrived, and the rules of the wire it breaks.

use std::io::Read;
use std::time::Instant;

use mcpulse_wire::payload::Payload;
use mcpulse_wire::validate::decode_batch;

use crate::http1::Head;

/// Largest body of a producer, in bytes, after expansion too.
const BODY_MAX: usize = 1 << 20;

/// What a request was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// An answer that takes the batch.
    Taken,
    /// Nothing or half an answer, though the batch was stored.
    StoredUnsaid,
    /// Any other answer, or something that is none.
    Other,
    /// Nothing yet.
    Held,
    /// Nothing, and the producer gave up.
    Abandoned,
}

impl Given {
    pub(crate) fn stores(self) -> bool {
        matches!(self, Self::Taken | Self::StoredUnsaid)
    }
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    /// When it was read whole.
    pub(crate) at: Instant,
    /// Just before the first byte of the answer was written.
    pub(crate) answered: Option<Instant>,
    pub(crate) given: Given,
    pub(crate) head: Head,
    /// As it came, compressed or not.
    pub(crate) body: Vec<u8>,
    /// Expanded.
    pub(crate) text: Vec<u8>,
    /// The payloads that are valid.
    pub(crate) payloads: Vec<Payload>,
    /// Rules of `spec/protocol.md` that it breaks, with what was seen. Never a value.
    pub(crate) faults: Vec<String>,
}

impl Arrived {
    pub(crate) fn new(head: Head, body: Vec<u8>) -> Self {
        let mut faults = Vec::new();
        let text = expand(&head, &body).unwrap_or_else(|| {
            faults.push("W-003: a body that cannot be expanded".to_owned());
            Vec::new()
        });
        judge_head(&head, &mut faults);
        let payloads = judge_body(&text, &mut faults);
        let (at, given) = (Instant::now(), Given::Held);
        Self { at, answered: None, given, head, body, text, payloads, faults }
    }

    pub(crate) fn idempotency_key(&self) -> &str {
        self.head.header("idempotency-key").unwrap_or_default()
    }
}

fn expand(head: &Head, body: &[u8]) -> Option<Vec<u8>> {
    let most = BODY_MAX as u64 * 4;
    let mut text = Vec::new();
    match head.header("content-encoding") {
        None | Some("identity") => text = body.to_vec(),
        Some("gzip") => {
            flate2::read::MultiGzDecoder::new(body).take(most).read_to_end(&mut text).ok()?;
        }
        Some("zstd") => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(body).ok()?;
            decoder.take(most).read_to_end(&mut text).ok()?;
        }
        Some(_) => return None,
    }
    Some(text)
}

fn judge_head(head: &Head, faults: &mut Vec<String>) {
    let mut judge = |rule: &str, header: &str, good: &dyn Fn(&str) -> bool| {
        if !head.header(header).is_some_and(good) {
            faults.push(format!("{rule}: the header `{header}` is missing or wrong"));
        }
    };
    judge("W-002", "authorization", &|value| value.starts_with("Bearer "));
    judge("W-003", "content-type", &|value| {
        value.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    });
    judge("W-004", "user-agent", &|value| {
        value.strip_prefix("mcpulse-").and_then(|rest| rest.split_once('/')).is_some_and(
            |(language, version)| {
                !language.is_empty() && version.starts_with(|first: char| first.is_ascii_digit())
            },
        )
    });
    judge("W-005", "idempotency-key", &|value| {
        value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if head.start != "POST /v1/ingest HTTP/1.1" {
        faults.push("W-001: not `POST /v1/ingest`".to_owned());
    }
}

fn judge_body(text: &[u8], faults: &mut Vec<String>) -> Vec<Payload> {
    if text.len() > BODY_MAX {
        faults.push(format!("W-006: a body of {} bytes", text.len()));
    }
    let batch = match decode_batch(text) {
        Ok(batch) => batch,
        Err(error) => {
            faults.push(format!("W-006: {error}"));
            return Vec::new();
        }
    };
    let envelope = serde_json::from_slice::<serde_json::Value>(text).ok();
    if envelope.as_ref().and_then(|value| value.as_object()).is_some_and(|members| members.len() > 1) {
        faults.push("W-006: something stands beside `batch`".to_owned());
    }
    let mut payloads = Vec::new();
    for checked in batch.payloads {
        match checked {
            Ok(checked) => payloads.push(Payload::from(checked)),
            Err(violation) => faults.push(format!("W-011: {violation}")),
        }
    }
    payloads
}
