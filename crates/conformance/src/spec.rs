//! The fixtures of `spec/`, which travel with the kit.

use serde_json::Value;

use crate::verdict::{Fault, fail};

macro_rules! fixtures {
    ($($name:ident $file:literal)*) => {$(
        pub(crate) const $name: &str = include_str!(concat!("../../../spec/", $file));
    )*};
}

fixtures! {
    CANONICAL "canonical.json"
    CANONICAL_EXTRA "canonical-extra.json"
    SIZES "sizes.json"
    EMPTY "empty.json"
    TOOLS "tools.json"
    DESCRIPTIONS "description-norm.json"
    PORTER "porter.json"
}

/// A fixture file.
pub(crate) fn read(text: &str) -> Result<Value, Fault> {
    serde_json::from_str(text).or_else(|error| fail(format!("the kit itself: a fixture: {error}")))
}

/// The members of a list in it.
pub(crate) fn list(file: &Value, name: &str) -> Vec<Value> {
    file.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
}
