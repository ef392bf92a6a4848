//! A small blocking HTTP client.

use std::io::Read;
use std::time::{Duration, SystemTime};

use super::{Request, Response, Transport, TransportError};

/// What is read of an answer: more would let a broken ingest fill our memory.
const ANSWER_LIMIT: u64 = 64 * 1024;

/// Sends batches over HTTP or HTTPS. Redirects are not followed: the key is meant for one destination.
#[derive(Debug)]
pub struct HttpTransport {
    agent: ureq::Agent,
}

impl HttpTransport {
    /// A client with its own connections.
    #[must_use]
    pub fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(1)
            .user_agent(crate::USER_AGENT)
            .build();
        Self { agent: config.new_agent() }
    }
}

impl Default for HttpTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let mut post = self.agent.post(request.url());
        for (name, value) in request.headers() {
            post = post.header(name, value);
        }
        let answer = post
            .config()
            .timeout_global(Some(request.timeout()))
            .build()
            .send(request.body())
            .map_err(|error| TransportError::new(error.to_string()))?;
        let status = answer.status().as_u16();
        let retry_after =
            answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).and_then(retry_after);
        let mut body = Vec::new();
        // The status has answered; a body that breaks off changes nothing.
        let _ = answer.into_body().into_reader().take(ANSWER_LIMIT).read_to_end(&mut body);
        Ok(Response { status, retry_after, body })
    }
}

/// Seconds, or an HTTP date.
fn retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(retry_after(" 17 "), Some(Duration::from_secs(17)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert!(retry_after(&soon).is_some_and(|wait| wait > Duration::from_secs(3000)));
        assert_eq!(retry_after("soon"), None);
        assert_eq!(retry_after("-1"), None);
    }
}
