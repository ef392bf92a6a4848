//! Messages, kept as the bytes they came as.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    method: Option<String>,
}

/// The id of an answer; `None` for anything that is none.
pub(super) fn answered_id(message: &[u8]) -> Option<u64> {
    let parts: Parts<'_> = serde_json::from_slice(message).ok()?;
    if parts.method.is_some() || (parts.result.is_none() && parts.error.is_none()) {
        return None;
    }
    parts.id?.get().parse().ok()
}

/// The method of a notification or a request.
pub(crate) fn method(message: &[u8]) -> Option<String> {
    serde_json::from_slice::<Parts<'_>>(message).ok()?.method
}

/// An answer and what came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How it came: for HTTP the status and the content type.
    pub(crate) how: String,
    /// The message.
    pub(crate) message: Vec<u8>,
}

impl Answer {
    fn parts(&self) -> Option<Parts<'_>> {
        serde_json::from_slice(&self.message).ok()
    }

    /// The raw text of `result`.
    pub(crate) fn result(&self) -> Option<&str> {
        self.parts()?.result.map(RawValue::get)
    }

    pub(crate) fn result_value(&self) -> Option<serde_json::Value> {
        serde_json::from_str(self.result()?).ok()
    }

    /// The first text of a result.
    pub(crate) fn text(&self) -> Option<String> {
        Some(self.result_value()?.pointer("/content/0/text")?.as_str()?.to_owned())
    }

    pub(crate) fn is_error_result(&self) -> bool {
        self.result_value().is_some_and(|result| result.get("isError") == Some(&true.into()))
    }
}
