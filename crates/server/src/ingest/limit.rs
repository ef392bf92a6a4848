//! Step 3: how many payloads a minute a key may bring. A batch passes whole or not at all.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use mcpulse_store::control::IngestKey;
use mcpulse_store::id::KeyId;
use std::sync::{Arc, Mutex, PoisonError};

use crate::problem::Problem;

/// Limiters of the keys in use. Only keys that exist get here, so their number is bounded by the control
/// store; those of revoked keys stay until the server restarts.
#[derive(Default)]
pub(crate) struct KeyLimits {
    keys: Mutex<HashMap<KeyId, KeyLimit>>,
}

struct KeyLimit {
    per_minute: u32,
    limiter: Arc<DefaultDirectRateLimiter>,
}

impl KeyLimits {
    /// Takes that many payloads from what the key may bring, or says when to come back.
    pub(super) fn take(&self, key: &IngestKey, payloads: u32) -> Result<(), Problem> {
        let Some(payloads) = NonZeroU32::new(payloads) else { return Ok(()) };
        let Some(per_minute) = NonZeroU32::new(key.limit_per_minute) else {
            return Err(refuse(Duration::from_secs(60)).detail("the key's limit is 0 payloads a minute"));
        };
        let limiter = self.limiter(key.id, per_minute);
        match limiter.check_n(payloads) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not_until)) => {
                let wait = not_until.wait_time_from(governor::clock::DefaultClock::default().now());
                Err(refuse(wait).detail("over the key's payloads a minute"))
            }
            Err(_) => Err(refuse(Duration::from_secs(60))
                .detail("the batch holds more payloads than the key's limit for a minute")),
        }
    }

    fn limiter(&self, id: KeyId, per_minute: NonZeroU32) -> Arc<DefaultDirectRateLimiter> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || KeyLimit {
            per_minute: per_minute.get(),
            limiter: Arc::new(RateLimiter::direct(Quota::per_minute(per_minute))),
        };
        let limit = keys.entry(id).or_insert_with(fresh);
        // The owner changed the limit: the key starts afresh under the new one.
        if limit.per_minute != per_minute.get() {
            *limit = fresh();
        }
        Arc::clone(&limit.limiter)
    }
}

fn refuse(wait: Duration) -> Problem {
    Problem::too_many().retry_after(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use http::StatusCode;
    use mcpulse_store::id::ServerId;

    use super::*;

    fn key(limit_per_minute: u32) -> IngestKey {
        IngestKey {
            id: KeyId::new(),
            server_id: ServerId::new(),
            name: "test".to_owned(),
            prefix: "mp_live_AbCd".to_owned(),
            limit_per_minute,
            created_ms: 0,
            revoked_ms: None,
        }
    }

    #[test]
    fn a_batch_passes_whole_or_not_at_all() {
        let (limits, key) = (KeyLimits::default(), key(10));
        limits.take(&key, 8).unwrap();
        assert_eq!(limits.take(&key, 3).unwrap_err().status(), StatusCode::TOO_MANY_REQUESTS);
        limits.take(&key, 2).unwrap();
        assert!(limits.take(&key, 1).is_err());
        limits.take(&key, 0).unwrap();
    }

    #[test]
    fn keys_do_not_share_and_a_new_limit_counts_at_once() {
        let (limits, mut first, second) = (KeyLimits::default(), key(5), key(5));
        limits.take(&first, 5).unwrap();
        assert!(limits.take(&first, 1).is_err());
        limits.take(&second, 5).unwrap();
        first.limit_per_minute = 20;
        limits.take(&first, 20).unwrap();
        first.limit_per_minute = 0;
        assert!(limits.take(&first, 1).is_err());
    }

    #[test]
    fn a_batch_larger_than_the_limit_never_passes() {
        assert!(KeyLimits::default().take(&key(4), 5).is_err());
    }
}
