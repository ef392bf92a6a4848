//! Hashes: the first 12 hex digits of SHA-256.

mod sink;

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::canonical::{NotRepresentable, write_canonical, write_canonical_object, write_canonical_raw};
use crate::json::is_blank;
use sink::HashSink;

/// Twelve lowercase hex digits. Reads as a `&str`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash12([u8; 12]);

/// The hash of what has no canonical form. It equals and differs from nothing.
pub const UNREPRESENTABLE: Hash12 = Hash12(*b"000000000000");

/// The hash of `{}`: arguments that are absent, null or empty text.
pub const NO_ARGUMENTS: Hash12 = Hash12(*b"44136fa355b3");

impl Hash12 {
    /// The hash of some bytes as they are.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::from_digest(Sha256::digest(bytes).as_slice())
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only ever ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    fn from_digest(digest: &[u8]) -> Self {
        const HEX: [u8; 16] = *b"0123456789abcdef";
        let mut digits = [b'0'; 12];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(digest) {
            pair.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        Self(digits)
    }
}

/// The text is not twelve lowercase hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHash;

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not 12 lowercase hex digits")
    }
}

impl std::error::Error for NotAHash {}

impl FromStr for Hash12 {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let digits: [u8; 12] = text.as_bytes().try_into().map_err(|_| NotAHash)?;
        let hex = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        if hex { Ok(Self(digits)) } else { Err(NotAHash) }
    }
}

impl TryFrom<&str> for Hash12 {
    type Error = NotAHash;

    fn try_from(text: &str) -> Result<Self, NotAHash> {
        text.parse()
    }
}

impl Deref for Hash12 {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Hash12 {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Hash12 {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<Hash12> for String {
    fn from(hash: Hash12) -> Self {
        hash.as_str().to_owned()
    }
}

impl PartialEq<str> for Hash12 {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Hash12 {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for Hash12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Hash12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Serialize for Hash12 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash12 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Hash12;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("12 lowercase hex digits")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Hash12, E> {
                // Not `invalid_value`: errors never show the value.
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// The hash of a value's canonical form; [`UNREPRESENTABLE`] when it has none.
#[must_use]
pub fn canonical_hash(value: &Value) -> Hash12 {
    finish(|sink| write_canonical(value, sink))
}

/// The hash of the canonical form of JSON text; [`UNREPRESENTABLE`] when it has none.
#[must_use]
pub fn canonical_hash_raw(text: &[u8]) -> Hash12 {
    finish(|sink| write_canonical_raw(text, sink))
}

/// `args_hash` of arguments that the MCP SDK shows as a value. Absent and null hash as `{}`.
#[must_use]
pub fn args_hash(arguments: Option<&Value>) -> Hash12 {
    match arguments {
        None | Some(Value::Null) => NO_ARGUMENTS,
        Some(value) => canonical_hash(value),
    }
}

/// `args_hash` of arguments that the MCP SDK shows as an object. Absent ones hash as `{}`.
#[must_use]
pub fn args_hash_object(arguments: Option<&Map<String, Value>>) -> Hash12 {
    match arguments {
        None => NO_ARGUMENTS,
        Some(object) => finish(|sink| write_canonical_object(object, sink)),
    }
}

/// `args_hash` of arguments that are still text. Absent, null, empty and blank hash as `{}`.
#[must_use]
pub fn args_hash_raw(arguments: Option<&[u8]>) -> Hash12 {
    match arguments {
        None => NO_ARGUMENTS,
        Some(text) if is_nothing(text) => NO_ARGUMENTS,
        Some(text) => canonical_hash_raw(text),
    }
}

/// Blank, or the literal `null`.
fn is_nothing(text: &[u8]) -> bool {
    let start = text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len());
    let rest = text.get(start..).unwrap_or_default();
    rest.strip_prefix(b"null").unwrap_or(rest).iter().all(|&byte| is_blank(byte))
}

fn finish(write: impl FnOnce(&mut HashSink) -> Result<(), NotRepresentable>) -> Hash12 {
    let mut sink = HashSink::new();
    match write(&mut sink) {
        Ok(()) => Hash12::from_digest(&sink.finish()),
        Err(_) => UNREPRESENTABLE,
    }
}
