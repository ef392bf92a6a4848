//! Entries of `tools/list` as the wire has them: sizes and hashes.

use serde_json::{Map, Value};

use crate::hash::{Hash12, canonical_hash};
use crate::normalize::{description_hash, description_norm};
use crate::payload::{Policy, Tool};
use crate::{size, text};

/// The tool of an entry of `tools/list` as the client receives it. The policy is what the entry declares.
#[must_use]
pub fn tool_from_entry(entry: &Value) -> Tool {
    let description = entry.get("description").and_then(Value::as_str);
    Tool {
        name: text::name(entry.get("name").and_then(Value::as_str).unwrap_or_default()).into_owned(),
        schema_bytes: size::json_units(entry),
        schema_hash: Some(schema_hash(entry)),
        description_hash: description_hash(description),
        description_norm: description_norm(description),
        policy: declared_policy(entry),
    }
}

/// `schema_hash`: the canonical hash of the object that holds the entry's `inputSchema` and, if present, its
/// `outputSchema`.
#[must_use]
pub fn schema_hash(entry: &Value) -> Hash12 {
    let schemas: Map<String, Value> = ["inputSchema", "outputSchema"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), entry.get(name)?.clone())))
        .collect();
    canonical_hash(&Value::Object(schemas))
}

/// What an entry's `securitySchemes` declare: `noauth` among them means that anyone may call, `oauth2` alone
/// that authorisation is needed; anything else declares nothing. They stand in the entry or in its `_meta`.
#[must_use]
pub fn declared_policy(entry: &Value) -> Option<Policy> {
    let schemes = entry
        .get("securitySchemes")
        .or_else(|| entry.get("_meta")?.get("securitySchemes"))?
        .as_array()
        .filter(|schemes| !schemes.is_empty())?;
    let is = |scheme: &Value, kind: &str| scheme.get("type").and_then(Value::as_str) == Some(kind);
    if schemes.iter().any(|scheme| is(scheme, "noauth")) {
        return Some(Policy::None);
    }
    schemes.iter().all(|scheme| is(scheme, "oauth2")).then_some(Policy::Authorization)
}
