//! What can be wrong with the producer. Each fault is one that published SDKs have or could have.

use std::sync::OnceLock;

static PLANTED: OnceLock<String> = OnceLock::new();

pub(crate) fn plant(name: &str) {
    PLANTED.get_or_init(|| name.to_owned());
}

/// Whether this fault is planted.
pub(crate) fn has(name: &str) -> bool {
    PLANTED.get().is_some_and(|planted| planted == name)
}
