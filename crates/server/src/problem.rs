//! Errors as `application/problem+json` (RFC 9457). A detail names the field and the rule, never the value.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use mcpulse_store::control::ControlError;
use mcpulse_store::events::EventError;
use mcpulse_store::secret::NoRandomness;
use serde::Serialize;
use utoipa::ToSchema;

/// One field of the input and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct FieldError {
    /// Name of the field or of the query parameter.
    #[schema(example = "name")]
    pub(crate) field: String,
    /// The rule it breaks.
    #[schema(example = "must have 1 to 100 characters")]
    pub(crate) rule: String,
}

/// An error, as RFC 9457 has it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Names the kind of error: `urn:mcpulse:problem:` and a word.
    #[serde(rename = "type")]
    #[schema(example = "urn:mcpulse:problem:not-found")]
    kind: &'static str,
    /// The kind of error in words.
    #[schema(example = "Not found")]
    title: &'static str,
    /// The HTTP status.
    #[schema(example = 404)]
    status: u16,
    /// What went wrong this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// The fields at fault, if input was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FieldError>,
    /// Ingest only: the wire versions that are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepts: Option<&'static [u32]>,
    #[serde(skip)]
    retry_after: Option<u64>,
}

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = $status:ident, $slug:literal, $title:literal;)*) => {
        impl Problem {
            $($(#[$doc])*
            pub(crate) fn $name() -> Self {
                Self::new(StatusCode::$status, concat!("urn:mcpulse:problem:", $slug), $title)
            })*
        }
    };
}

problems! {
    /// The request cannot be read at all.
    malformed = BAD_REQUEST, "malformed", "Malformed request";
    /// The input is readable and breaks a rule.
    invalid = UNPROCESSABLE_ENTITY, "invalid", "Invalid input";
    /// No credential, or one that is not taken.
    unauthorized = UNAUTHORIZED, "unauthorized", "Not signed in";
    /// Known, but not allowed.
    forbidden = FORBIDDEN, "forbidden", "Not allowed";
    /// Not there, or somebody else's: the two look the same.
    not_found = NOT_FOUND, "not-found", "Not found";
    /// No such method on this path.
    method_not_allowed = METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed";
    /// The body took too long to come.
    too_slow = REQUEST_TIMEOUT, "too-slow", "The body took too long";
    /// Something like it is there already.
    conflict = CONFLICT, "conflict", "Already there";
    /// The body is too large.
    too_large = PAYLOAD_TOO_LARGE, "too-large", "Too large";
    /// The body is not of a type that is taken.
    unsupported = UNSUPPORTED_MEDIA_TYPE, "unsupported", "Unsupported media type";
    /// The `Host` is not ours.
    misdirected = MISDIRECTED_REQUEST, "misdirected", "Not this host";
    /// Over a limit.
    too_many = TOO_MANY_REQUESTS, "too-many", "Over the limit";
    /// Our fault.
    internal = INTERNAL_SERVER_ERROR, "internal", "Internal error";
    /// We cannot do it now.
    unavailable = SERVICE_UNAVAILABLE, "unavailable", "Unavailable right now";
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str) -> Self {
        Self {
            kind,
            title,
            status: status.as_u16(),
            detail: None,
            errors: Vec::new(),
            accepts: None,
            retry_after: None,
        }
    }

    /// Says what went wrong this time. Never holds a value from the input.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Names a field at fault.
    pub(crate) fn field(mut self, field: impl Into<String>, rule: impl Into<String>) -> Self {
        self.errors.push(FieldError { field: field.into(), rule: rule.into() });
        self
    }

    /// Says after how many seconds to try again.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds.max(1));
        self
    }

    /// Says which wire versions are taken.
    pub(crate) fn accepts(mut self, versions: &'static [u32]) -> Self {
        self.accepts = Some(versions);
        self
    }

    /// The HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_else(|_| b"{}".to_vec());
        let mut response = (self.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // RFC 9110 asks for a challenge with every 401.
        if self.status == StatusCode::UNAUTHORIZED.as_u16() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"mcpulse\""));
        }
        response
    }
}

impl From<ControlError> for Problem {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::NotFound => Self::not_found(),
            ControlError::Invalid { field, rule } => Self::invalid().field(field, rule),
            ControlError::Exists(what) => Self::conflict().detail(format!("{what} already exists")),
            error @ ControlError::LastOwner => Self::conflict().detail(error.to_string()),
            ControlError::Unreadable(_) | ControlError::Engine(_) => {
                tracing::error!(%error, "control store");
                Self::unavailable()
                    .detail("the control store does not answer; see the server's log")
                    .retry_after(5)
            }
        }
    }
}

impl From<NoRandomness> for Problem {
    fn from(error: NoRandomness) -> Self {
        tracing::error!(%error, "no secret could be made");
        Self::internal()
    }
}

impl From<EventError> for Problem {
    fn from(error: EventError) -> Self {
        let detail = match &error {
            EventError::Unavailable(_) => {
                tracing::warn!(%error, "event store");
                "the event store cannot take more right now"
            }
            EventError::Unreadable { .. } => {
                tracing::error!(%error, "event store");
                "the event file of this server cannot be opened; see the server's log"
            }
            EventError::Deleted => return Self::not_found(),
            _ => {
                tracing::error!(%error, "event store");
                "the event store failed; see the server's log"
            }
        };
        // A producer tries again after 503 and gives up after 500: its payloads are worth another try.
        Self::unavailable().detail(detail).retry_after(5)
    }
}
