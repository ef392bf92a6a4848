//! Turns ring entries into the bytes of a request.

use std::sync::Arc;
use std::time::Instant;

use super::core::{Batch, Draft};
use crate::event::Event;

/// Bytes in one request.
pub(crate) const BODY_MAX: usize = 1024 * 1024;
const CLOSE: &[u8] = b"]}";

/// Builds the batch, and hands back the payloads that did not fit.
///
/// # Errors
/// Hands the draft back when the system gives no random bytes for an idempotency key.
pub(crate) fn assemble(draft: Draft) -> Result<(Batch, Vec<(Instant, Event)>), Draft> {
    let Some(idempotency_key) = random_hex::<16>() else { return Err(draft) };
    let Draft { startup, mut events } = draft;
    let mut body = Vec::with_capacity(256 * (events.len() + 1));
    body.extend_from_slice(br#"{"batch":["#);
    let mut fitted = 0;
    let mut replaced = Vec::new();
    if let Some(surface) = &startup {
        body.extend_from_slice(surface.json.as_bytes());
    }
    for (_, event) in &events {
        let start = body.len();
        let follows = fitted > 0 || startup.is_some();
        if follows {
            body.push(b',');
        }
        event.write(&mut body);
        // The first always goes, or a payload too large for any request would block the ring for ever.
        if follows && body.len() + CLOSE.len() > BODY_MAX {
            body.truncate(start);
            break;
        }
        fitted += 1;
        if let Event::Startup(surface) = event {
            replaced.push(Arc::clone(surface));
        }
    }
    body.extend_from_slice(CLOSE);
    let rest = events.split_off(fitted);
    Ok((Batch { idempotency_key, body: body.into(), events: fitted, startup, replaced }, rest))
}

/// `N` random bytes in hex.
pub(crate) fn random_hex<const N: usize>() -> Option<String> {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    let digit = |nibble: u8| char::from(HEX[usize::from(nibble & 15)]);
    Some(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect())
}

/// A session id: `s_` and 12 hex digits from the system's random source.
pub(crate) fn session_id() -> Option<Arc<str>> {
    random_hex::<6>().map(|hex| format!("s_{hex}").into())
}
