//! Prefixed UUIDv7 identifiers, such as `srv_01890a5d-ac96-774b-bcce-b302099a8057`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The text is not an identifier of the expected kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id that starts with `{0}_`")]
pub struct NotAnId(pub &'static str);

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Uuid);

        impl $name {
            /// What the text form starts with, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// A new identifier, ordered by time of creation.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "two new ids are never equal, so there is no default")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0.as_hyphenated())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let bare = text.strip_prefix(concat!($prefix, "_")).ok_or(NotAnId($prefix))?;
                let id = Uuid::try_parse(bare).map_err(|_| NotAnId($prefix))?;
                // One spelling only: an id is also a file name.
                if id.as_hyphenated().to_string() == bare { Ok(Self(id)) } else { Err(NotAnId($prefix)) }
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAnId;

            fn try_from(text: String) -> Result<Self, NotAnId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    )*};
}

ids! {
    /// A tracked MCP server.
    ServerId = "srv";
    /// An account, to which servers belong.
    AccountId = "acc";
    /// A user, who has memberships in accounts.
    UserId = "usr";
    /// An ingest key.
    KeyId = "key";
    /// An access token.
    TokenId = "tok";
    /// A signed-in browser.
    LoginId = "lgn";
}
