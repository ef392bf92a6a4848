//! Secrets: made here, shown once, and kept only as a hash.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::control::{NewSecret, SecretHash};

/// Random letters and digits in a secret: 62^32 is over 190 bits.
const RANDOM: usize = 32;
/// How much of a secret is stored and shown, so that people can tell theirs apart.
const SHOWN: usize = 12;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// What a secret opens; each kind begins with a word of its own, so that a leaked one is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// Writes to one server.
    IngestKey,
    /// Reads what its user may read.
    AccessToken,
    /// Signs a user in, once.
    LoginLink,
    /// A signed-in browser's cookie.
    LoginCookie,
    /// Lets the command line into a running server as its operator, once.
    OperatorPass,
}

impl SecretKind {
    /// What secrets of this kind begin with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::IngestKey => "mp_live_",
            Self::AccessToken => "mp_pat_",
            Self::LoginLink => "mp_link_",
            Self::LoginCookie => "mp_login_",
            Self::OperatorPass => "mp_pass_",
        }
    }
}

/// The operating system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("no random bytes from the operating system: {0}")]
pub struct NoRandomness(getrandom::Error);

/// A fresh secret. Neither `Debug` nor `Display` shows it: whoever means to must call [`reveal`](Self::reveal).
pub struct Secret(String);

impl Secret {
    /// Makes a secret from the operating system's random bytes.
    ///
    /// # Errors
    /// When the operating system gives none.
    pub fn generate(kind: SecretKind) -> Result<Self, NoRandomness> {
        let mut text = String::with_capacity(kind.prefix().len() + RANDOM);
        text.push_str(kind.prefix());
        let mut bytes = [0; RANDOM];
        let mut missing = RANDOM;
        while missing > 0 {
            getrandom::fill(&mut bytes).map_err(NoRandomness)?;
            for letter in bytes.iter().filter_map(|&byte| letter(byte)).take(missing) {
                text.push(letter);
                missing -= 1;
            }
        }
        Ok(Self(text))
    }

    /// The secret itself, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    #[must_use]
    pub fn to_stored(&self) -> NewSecret {
        NewSecret { hash: hash(&self.0), prefix: self.0.chars().take(SHOWN).collect() }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The hash under which a secret is found.
///
/// Plain SHA-256 is enough: nobody guesses 190 random bits, so there is nothing for salt or slowness to protect.
#[must_use]
pub fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Bytes beyond the largest multiple of 62 are thrown away: taken modulo 62 they would favour the first letters.
fn letter(byte: u8) -> Option<char> {
    let fair = u8::MAX - u8::MAX % 62;
    (byte < fair).then(|| ALPHABET.get(usize::from(byte % 62)).copied().map(char::from)).flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_secret_is_its_prefix_and_32_letters_and_digits() {
        for kind in
            [SecretKind::IngestKey, SecretKind::AccessToken, SecretKind::LoginLink, SecretKind::LoginCookie]
        {
            let secret = Secret::generate(kind).unwrap();
            let random = secret.reveal().strip_prefix(kind.prefix()).unwrap();
            assert_eq!(random.len(), 32);
            assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        }
    }

    #[test]
    fn every_letter_comes_from_equally_many_bytes() {
        let mut counts: HashMap<char, u32> = HashMap::new();
        for letter in (0..=u8::MAX).filter_map(letter) {
            *counts.entry(letter).or_default() += 1;
        }
        assert_eq!(counts.len(), 62);
        assert!(counts.values().all(|&count| count == 4), "{counts:?}");
    }

    #[test]
    fn two_secrets_differ() {
        let [a, b] = [(); 2].map(|()| Secret::generate(SecretKind::IngestKey).unwrap());
        assert_ne!(a.reveal(), b.reveal());
    }

    #[test]
    fn debug_shows_nothing_of_it() {
        let secret = Secret::generate(SecretKind::IngestKey).unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn twelve_characters_and_the_hash_are_stored() {
        let secret = Secret("mp_live_0123456789".to_owned());
        let stored = secret.to_stored();
        assert_eq!(stored.prefix, "mp_live_0123");
        let hex: String = stored.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "7f1339737a6ce8b6bbeec7cbec027ca5764c1be4f17e4e8218582ad4f02068a6");
    }
}
