//! Step 2: the ingest key. It is looked up for every request, so that a revocation counts at once, whichever
//! process made it.

use http::HeaderMap;
use mcpulse_store::control::{ControlStore, IngestKey};
use mcpulse_store::secret::{self, SecretKind};

use crate::auth::bearer;
use crate::problem::Problem;

/// The key of a request, if it is known and not revoked.
pub(super) async fn key(control: &dyn ControlStore, headers: &HeaderMap) -> Result<IngestKey, Problem> {
    let prefix = SecretKind::IngestKey.prefix();
    let text = bearer(headers).filter(|text| text.starts_with(prefix)).ok_or_else(refusal)?;
    control.key_by_secret(&secret::hash(text)).await?.ok_or_else(refusal)
}

/// The answer to whoever has no key. It tells nobody which keys there are.
pub(super) fn refusal() -> Problem {
    Problem::unauthorized().detail("the ingest key is missing, unknown or revoked")
}
