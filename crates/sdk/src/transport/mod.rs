//! How a batch leaves the process.

use std::time::Duration;

#[cfg(feature = "http")]
mod http;

#[cfg(feature = "http")]
pub use http::HttpTransport;

/// Sends one batch and reports the answer. Runs on the producer's own thread, so it may block up to
/// [`Request::timeout`].
pub trait Transport: Send + Sync + 'static {
    /// Sends `request` as a `POST`.
    ///
    /// # Errors
    /// When no answer came: the batch is then tried again with the same idempotency key.
    fn send(&self, request: &Request) -> Result<Response, TransportError>;
}

/// One `POST` of a batch.
#[derive(Clone)]
pub struct Request {
    pub(crate) url: String,
    pub(crate) authorization: String,
    pub(crate) idempotency_key: String,
    pub(crate) body: std::sync::Arc<[u8]>,
}

impl Request {
    /// Where to.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The headers, `Authorization` among them.
    #[must_use]
    pub fn headers(&self) -> [(&'static str, &str); 4] {
        [
            ("authorization", &self.authorization),
            ("content-type", "application/json"),
            ("user-agent", crate::USER_AGENT),
            ("idempotency-key", &self.idempotency_key),
        ]
    }

    /// 128 random bits in hex: the same for every try of one batch.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// `{"batch":[…]}`, at most 1 MiB.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// How long the whole exchange may take: 10 s.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(10)
    }
}

// The key is a credential, and the body is not ours to log.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("url", &self.url)
            .field("idempotency_key", &self.idempotency_key)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

/// The answer to a batch.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After`, already turned into a span of time.
    pub retry_after: Option<Duration>,
    /// The first 64 KiB of the body.
    pub body: Vec<u8>,
}

/// No answer came.
#[derive(Debug)]
pub struct TransportError {
    reason: String,
}

impl TransportError {
    /// `reason` is shown by `debug` and must hold neither the key nor the body.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl std::fmt::Display for TransportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for TransportError {}
