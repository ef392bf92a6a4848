//! Request bodies: read within bounds of size and time, and errors that name the field and the rule.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use std::time::Duration;

use crate::app::App;
use crate::problem::Problem;

/// The largest body of a REST write.
const MAX_BODY: usize = 64 * 1024;

/// How much of a body that is refused is read and dropped, so that the client gets to read the answer
/// instead of a reset connection.
const MAX_DRAINED: usize = 32 * 1024 * 1024;

/// How long that may take: strangers must not hold a place for longer.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A JSON body.
pub(crate) struct Input<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Input<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(Problem::unsupported().detail("the Content-Type must be application/json"));
        }
        let body = read(body, MAX_BODY, app.config.body_timeout()).await.map_err(|error| match error {
            ReadError::TooLarge => Problem::too_large().detail("a body may have 64 KiB"),
            ReadError::TooSlow => Problem::too_slow(),
            ReadError::Broken => Problem::malformed().detail("the body ended early"),
        })?;
        parse(&body).map(Self)
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.classify() != Category::Data {
            return Problem::malformed().detail("the body is not JSON");
        }
        let (field, rule) = broken_rule(&path, &inner.to_string());
        Problem::invalid().field(field, rule)
    })?;
    json.end().map_err(|_| Problem::malformed().detail("the body is not one JSON document"))?;
    Ok(value)
}

/// The field and the rule in a message of serde's, which may also hold the value: only the rule gets out.
fn broken_rule(path: &str, message: &str) -> (String, &'static str) {
    let quoted = message.split('`').nth(1).unwrap_or_default();
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    if message.starts_with("missing field") {
        (inside(quoted), "is required")
    } else if message.starts_with("unknown field") {
        // The path already ends with the name.
        (path.to_owned(), "is not known here")
    } else if message.starts_with("unknown variant") {
        (path.to_owned(), "must be one of the listed values")
    } else if message.starts_with("invalid value") && message.contains("integer `-") {
        (path.to_owned(), "must not be negative")
    } else if message.starts_with("invalid type") {
        (path.to_owned(), "has the wrong type")
    } else {
        (path.to_owned(), "has a value that is not allowed")
    }
}

/// Whether the body says it is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let mut parts = value.split(';').map(str::trim);
    let essence = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    // JSON is UTF-8; whoever says otherwise sent something else.
    let utf_8 =
        |name: &str| ["utf-8", "utf8"].iter().any(|known| name.trim_matches('"').eq_ignore_ascii_case(known));
    essence
        && parts
            .filter_map(|part| part.split_once('='))
            .all(|(name, value)| !name.trim().eq_ignore_ascii_case("charset") || utf_8(value.trim()))
}

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It has more bytes than allowed.
    TooLarge,
    /// It did not come in time.
    TooSlow,
    /// The connection broke.
    Broken,
}

/// Reads a whole body of at most `limit` bytes within a time.
pub(crate) async fn read(body: Body, limit: usize, time: Duration) -> Result<Bytes, ReadError> {
    tokio::time::timeout(time, collect(body, limit)).await.unwrap_or(Err(ReadError::TooSlow))
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, ReadError> {
    let mut all = BytesMut::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ReadError::Broken)?.into_data() else { continue };
        seen += data.len();
        if seen <= limit {
            all.extend_from_slice(&data);
        } else if seen > MAX_DRAINED {
            break;
        } else {
            all = BytesMut::new();
        }
    }
    if seen > limit { Err(ReadError::TooLarge) } else { Ok(all.freeze()) }
}

/// Reads and drops what is left of a body that is refused, within bounds.
pub(crate) async fn drain(body: Body) {
    // Whatever happens here, the answer is made already.
    let _ = read(body, 0, DRAIN_TIME).await;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[allow(dead_code, reason = "only its parsing is tested")]
        name: String,
        #[serde(default)]
        #[allow(dead_code, reason = "only its parsing is tested")]
        limit: Option<u32>,
    }

    fn refusal(body: &str) -> serde_json::Value {
        serde_json::to_value(parse::<Sample>(body.as_bytes()).unwrap_err()).unwrap()
    }

    #[test]
    fn errors_name_the_field_and_the_rule_and_never_the_value() {
        for (body, field, rule) in [
            ("{}", "name", "is required"),
            (r#"{"name":"a","extra":"secret"}"#, "extra", "is not known here"),
            (r#"{"name":7}"#, "name", "has the wrong type"),
            (r#"{"name":"a","limit":-5}"#, "limit", "must not be negative"),
            (r#"{"name":"a","limit":5000000000}"#, "limit", "has a value that is not allowed"),
            (r#"{"name":"a","limit":"secret"}"#, "limit", "has the wrong type"),
        ] {
            let problem = refusal(body);
            assert_eq!(problem["errors"][0]["field"], field, "{body}");
            assert_eq!(problem["errors"][0]["rule"], rule, "{body}");
            assert!(!problem.to_string().contains("secret"), "{body}");
        }
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        for body in ["", "{", "nope", r#"{"name":"a"} 1"#] {
            assert_eq!(refusal(body)["status"], 400, "{body}");
        }
    }

    #[test]
    fn json_is_utf_8() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, http::HeaderValue::from_static(value));
            is_json(&headers)
        };
        for good in
            ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\";v=1"]
        {
            assert!(of(good), "{good}");
        }
        for bad in ["text/plain", "application/json; charset=iso-8859-1", "application/json-seq", ""] {
            assert!(!of(bad), "{bad}");
        }
    }

    #[tokio::test]
    async fn a_body_is_bounded() {
        let limit = Duration::from_secs(60);
        assert_eq!(read(Body::from("12345"), 5, limit).await.unwrap(), "12345");
        assert_eq!(read(Body::from("123456"), 5, limit).await.unwrap_err(), ReadError::TooLarge);
    }
}
