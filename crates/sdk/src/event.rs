//! What waits in the ring: small, and turned into JSON only on the sender's thread.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{Agreement, Call, Outcome, Payload, WIRE_VERSION};
use mcpulse_wire::time;

/// One entry of the ring.
#[derive(Debug)]
pub(crate) enum Event {
    Call(CallEvent),
    Agreement(AgreementEvent),
    /// The surface that a newer one replaced before any batch took it: already JSON.
    Startup(Arc<Surface>),
}

/// One finished call. Names are already cut to fit.
#[derive(Debug)]
pub(crate) struct CallEvent {
    pub(crate) session: Arc<str>,
    pub(crate) client: Arc<str>,
    pub(crate) tool: Box<str>,
    pub(crate) started_at: SystemTime,
    pub(crate) duration_ms: u32,
    pub(crate) outcome: Outcome,
    pub(crate) response_bytes: u32,
    pub(crate) is_empty: bool,
    pub(crate) args_hash: Hash12,
}

/// One verdict about a declared field.
#[derive(Debug)]
pub(crate) struct AgreementEvent {
    pub(crate) session: Arc<str>,
    pub(crate) field: Arc<str>,
    pub(crate) tool_a: Arc<str>,
    pub(crate) tool_b: Arc<str>,
    pub(crate) agreed: bool,
    pub(crate) checked_at: SystemTime,
    pub(crate) window_ms: u32,
}

/// A startup payload, and what its surface is known by within the session.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) fingerprint: Hash12,
    pub(crate) json: Box<str>,
}

impl Event {
    /// Appends the payload's JSON to `out`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let payload = match self {
            Self::Startup(surface) => {
                out.extend_from_slice(surface.json.as_bytes());
                return;
            }
            Self::Call(call) => Payload::Call(Call {
                v: WIRE_VERSION,
                session_id: call.session.as_ref().to_owned(),
                client_name: call.client.as_ref().to_owned(),
                tool_name: call.tool.as_ref().to_owned(),
                started_at: rfc3339(call.started_at),
                duration_ms: call.duration_ms,
                outcome: call.outcome,
                response_bytes: call.response_bytes,
                is_empty: call.is_empty,
                args_hash: call.args_hash,
            }),
            Self::Agreement(verdict) => Payload::Agreement(Agreement {
                v: WIRE_VERSION,
                session_id: verdict.session.as_ref().to_owned(),
                field: verdict.field.as_ref().to_owned(),
                tool_a: verdict.tool_a.as_ref().to_owned(),
                tool_b: verdict.tool_b.as_ref().to_owned(),
                agreed: verdict.agreed,
                checked_at: rfc3339(verdict.checked_at),
                window_ms: verdict.window_ms,
            }),
        };
        let start = out.len();
        // Plain structs of strings and numbers: this cannot fail, and if it did, half a payload must not stay.
        if serde_json::to_writer(&mut *out, &payload).is_err() {
            out.truncate(start);
        }
    }
}

/// UTC with three decimals, rounded down.
fn rfc3339(at: SystemTime) -> String {
    let ms = match at.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        // A clock before 1970 is wrong, but no reason to fail; rounding down means away from 1970 here.
        Err(before) => {
            let before = before.duration();
            let ms = i64::try_from(before.as_millis()).unwrap_or(i64::MAX);
            -ms - i64::from(before.subsec_nanos() % 1_000_000 != 0)
        }
    };
    time::format_ms(ms)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_rounded_down() {
        assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_micros(1_999)), "1970-01-01T00:00:00.001Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_micros(1)), "1969-12-31T23:59:59.999Z");
    }
}
