//! What a producer can be told. No option sends more.

use std::collections::BTreeMap;
use std::env;

use mcpulse_wire::payload::Policy;

use crate::agreements::AgreementOptions;

/// Where payloads go when neither the option nor `MCPULSE_ENDPOINT` says otherwise.
pub const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:7077";

/// Which session id the calls of one conversation carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sessions {
    /// One session for everything this process sends to one destination.
    #[default]
    Process,
    /// For HTTP servers with many users at once: where the protocol names a conversation
    /// (`Mcp-Session-Id`), its calls carry a random id of their own. Everything else, startups included,
    /// stays with the session of the process.
    Conversation,
}

/// Options of a producer. `Options::new()` takes key and endpoint from the environment.
///
/// ```
/// use mcpulse::{Options, Policy};
///
/// let options = Options::new().key("mp_live_…").endpoint("https://pulse.example.com").policy("refund_order", Policy::Authorization);
/// ```
#[derive(Clone, Default)]
pub struct Options {
    key: Option<String>,
    endpoint: Option<String>,
    disabled: bool,
    debug: bool,
    policies: BTreeMap<String, Policy>,
    agreements: BTreeMap<String, AgreementOptions>,
    sessions: Sessions,
}

impl Options {
    /// The defaults: key and endpoint from `MCPULSE_KEY` and `MCPULSE_ENDPOINT`, everything else off.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The ingest key (`mp_live_…`). It is trimmed; an empty one turns everything off.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Where payloads go, without `/v1/ingest`. Trailing slashes are dropped.
    #[must_use]
    pub fn endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        self
    }

    /// `false` records and sends nothing.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.disabled = !enabled;
        self
    }

    /// Prints every payload sent, and every reason for not sending, on standard error (never standard output).
    #[must_use]
    pub fn debug(mut self, debug: bool) -> Self {
        self.debug = debug;
        self
    }

    /// Declares what `tool` needs from its caller. Wins over what the tool says of itself.
    #[must_use]
    pub fn policy(mut self, tool: impl Into<String>, policy: Policy) -> Self {
        self.policies.insert(tool.into(), policy);
        self
    }

    /// Declares a field that several tools should agree about. At most 100 fields of 2 to 20 tools each; a
    /// declaration that cannot work is left out, and `debug` says which and why.
    #[must_use]
    pub fn agreement(mut self, field: impl Into<String>, agreement: AgreementOptions) -> Self {
        self.agreements.insert(field.into(), agreement);
        self
    }

    /// Which session id calls carry.
    #[must_use]
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.sessions = sessions;
        self
    }

    /// Fills in what the environment says and checks the rest.
    pub(crate) fn resolve(self) -> Resolved {
        let key = self.key.or_else(|| env::var("MCPULSE_KEY").ok()).unwrap_or_default().trim().to_owned();
        let endpoint = self
            .endpoint
            .or_else(|| env::var("MCPULSE_ENDPOINT").ok().filter(|value| !value.trim().is_empty()))
            .unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned())
            .trim()
            .trim_end_matches('/')
            .to_owned();
        let mut complaints = Vec::new();
        let off = if self.disabled {
            Some("enabled is false")
        } else if key.is_empty() {
            Some("no key (option `key` or MCPULSE_KEY)")
        } else if !key.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
            Some("key: only visible ASCII characters can be sent in a header")
        } else if !(endpoint.starts_with("http://") || endpoint.starts_with("https://")) {
            Some("endpoint: must begin with http:// or https://")
        } else {
            None
        };
        let agreements = self
            .agreements
            .into_iter()
            .filter_map(|(field, options)| match options.check(&field) {
                Ok(()) => Some((field, options)),
                Err(rule) => {
                    complaints.push(format!("agreements: {rule}; left out"));
                    None
                }
            })
            .take(100)
            .collect();
        Resolved {
            key,
            endpoint,
            off,
            debug: self.debug,
            complaints,
            policies: self.policies,
            agreements,
            sessions: self.sessions,
        }
    }
}

// The key is a credential: a derived Debug would print it into the host's logs.
impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("endpoint", &self.endpoint)
            .field("enabled", &!self.disabled)
            .field("debug", &self.debug)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}

/// Options after the environment and the checks.
pub(crate) struct Resolved {
    pub(crate) key: String,
    pub(crate) endpoint: String,
    /// Why nothing will be recorded, if nothing will.
    pub(crate) off: Option<&'static str>,
    pub(crate) debug: bool,
    /// What was left out, for `debug`.
    pub(crate) complaints: Vec<String>,
    pub(crate) policies: BTreeMap<String, Policy>,
    pub(crate) agreements: BTreeMap<String, AgreementOptions>,
    pub(crate) sessions: Sessions,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_trimmed_and_an_empty_one_turns_everything_off() {
        assert_eq!(Options::new().key(" mp_live_x \n").resolve().key, "mp_live_x");
        assert!(Options::new().key("  ").resolve().off.is_some());
        assert!(Options::new().key("k").resolve().off.is_none());
        assert!(Options::new().key("k").enabled(false).resolve().off.is_some());
    }

    #[test]
    fn a_key_that_no_header_can_carry_turns_everything_off() {
        assert!(Options::new().key("a\r\nb").resolve().off.is_some());
        assert!(Options::new().key("schlüssel").resolve().off.is_some());
    }

    #[test]
    fn trailing_slashes_of_the_endpoint_are_dropped() {
        assert_eq!(
            Options::new().key("k").endpoint("https://a.example//").resolve().endpoint,
            "https://a.example"
        );
        assert!(Options::new().key("k").endpoint("ftp://a.example").resolve().off.is_some());
    }

    #[test]
    fn the_key_is_in_no_debug_output() {
        assert!(!format!("{:?}", Options::new().key("mp_live_secret")).contains("secret"));
    }

    #[test]
    fn broken_agreements_are_left_out_with_a_reason() {
        let one_tool = AgreementOptions::new().tool("a", "/x");
        let resolved = Options::new().key("k").agreement("total", one_tool).resolve();
        assert!(resolved.agreements.is_empty());
        assert_eq!(resolved.complaints.len(), 1);
    }
}
