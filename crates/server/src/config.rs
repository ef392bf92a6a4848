//! How a server is set up.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use http::Uri;
use serde::{Deserialize, Serialize};

/// Settings of one server. Times are whole seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Address and port to listen on; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// Where browsers and producers reach the server, if not at `listen`: `https://mcpulse.example.org`.
    pub public_url: Option<String>,
    /// Further host names that requests may carry, without port.
    pub allowed_hosts: Vec<String>,
    /// Connections held at once; further ones wait to be accepted.
    pub max_connections: usize,
    /// Requests worked on at once; further ones wait, then get 503.
    pub max_requests: usize,
    /// Bytes of ingest bodies held at once, in MiB; further ones wait, then get 503.
    pub max_ingest_mib: u32,
    /// Seconds a client has to send the head of a request, also how long an idle connection stays open.
    pub header_timeout: u64,
    /// Seconds a client has to send a body.
    pub body_timeout: u64,
    /// Seconds a client may take nothing of an answer.
    pub write_timeout: u64,
    /// Seconds a request may take before it is answered 503.
    pub request_timeout: u64,
    /// Seconds that requests under way have to finish when the server stops.
    pub shutdown_timeout: u64,
    /// Days a browser stays signed in.
    pub login_days: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7077)),
            public_url: None,
            allowed_hosts: Vec::new(),
            max_connections: 8_192,
            max_requests: 1_024,
            max_ingest_mib: 256,
            header_timeout: 20,
            body_timeout: 20,
            write_timeout: 30,
            request_timeout: 60,
            shutdown_timeout: 10,
            login_days: 30,
        }
    }
}

/// A setting that cannot be used: which, and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {rule}")]
pub struct ConfigError {
    /// The setting.
    pub field: &'static str,
    /// The rule it breaks.
    pub rule: &'static str,
}

/// `public_url` taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl {
    /// Scheme and authority, as a browser writes an `Origin`.
    pub(crate) origin: String,
    /// The host without its port, in lower case.
    pub(crate) host: String,
    /// Whether browsers reach us over TLS.
    pub(crate) https: bool,
}

impl Config {
    /// Checks the settings that have rules.
    ///
    /// # Errors
    /// Names the first setting that cannot be used.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.public()?;
        let positive = [
            ("max_connections", self.max_connections as u64),
            ("max_requests", self.max_requests as u64),
            ("header_timeout", self.header_timeout),
            ("body_timeout", self.body_timeout),
            ("write_timeout", self.write_timeout),
            ("request_timeout", self.request_timeout),
            ("login_days", u64::from(self.login_days)),
        ];
        if let Some((field, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError { field, rule: "must be at least 1" });
        }
        // One body of the largest size must fit, raw and expanded.
        if !(8..=65_536).contains(&self.max_ingest_mib) {
            return Err(ConfigError { field: "max_ingest_mib", rule: "must be 8 to 65536" });
        }
        if self.allowed_hosts.iter().any(|host| host.is_empty() || host.contains(['/', ' '])) {
            return Err(ConfigError {
                field: "allowed_hosts",
                rule: "must be host names without scheme or port",
            });
        }
        Ok(())
    }

    /// The public URL, if one is set.
    pub(crate) fn public(&self) -> Result<Option<PublicUrl>, ConfigError> {
        let Some(text) = &self.public_url else { return Ok(None) };
        let refuse = |rule| ConfigError { field: "public_url", rule };
        let uri: Uri = text.trim().trim_end_matches('/').parse().map_err(|_| refuse("must be a URL"))?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(refuse("must start with http:// or https://")),
        };
        // The cookie's path, the dashboard's addresses and the `Host` check all assume the root.
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(refuse("must have no path and no query"));
        }
        let authority = uri.authority().ok_or_else(|| refuse("must name a host"))?;
        if authority.as_str().contains('@') {
            return Err(refuse("must hold no user or password"));
        }
        let host = authority.host().to_ascii_lowercase();
        let standard = if https { 443 } else { 80 };
        let port = authority.port_u16().filter(|port| *port != standard);
        let scheme = if https { "https" } else { "http" };
        let origin = match port {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        Ok(Some(PublicUrl { origin, host, https }))
    }

    pub(crate) fn header_timeout(&self) -> Duration {
        Duration::from_secs(self.header_timeout)
    }

    pub(crate) fn body_timeout(&self) -> Duration {
        Duration::from_secs(self.body_timeout)
    }

    pub(crate) fn write_timeout(&self) -> Duration {
        Duration::from_secs(self.write_timeout)
    }

    pub(crate) fn request_timeout(&self) -> Duration {
        Duration::from_secs(self.request_timeout)
    }

    pub(crate) fn shutdown_timeout(&self) -> Duration {
        Duration::from_secs(self.shutdown_timeout)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn public(text: &str) -> Result<Option<PublicUrl>, ConfigError> {
        Config { public_url: Some(text.to_owned()), ..Config::default() }.public()
    }

    #[test]
    fn the_public_url_is_an_origin() {
        let url = public("https://Stats.Example.org:443/").unwrap().unwrap();
        assert_eq!(url.origin, "https://stats.example.org");
        assert_eq!(url.host, "stats.example.org");
        assert!(url.https);
        assert_eq!(public("http://127.0.0.1:8080").unwrap().unwrap().origin, "http://127.0.0.1:8080");
    }

    #[test]
    fn what_is_no_origin_is_refused_with_the_rule() {
        for (text, rule) in [
            ("ftp://example.org", "must start with http:// or https://"),
            ("https://example.org/pulse", "must have no path and no query"),
            ("https://me@example.org", "must hold no user or password"),
            ("", "must be a URL"),
        ] {
            assert_eq!(public(text), Err(ConfigError { field: "public_url", rule }), "{text}");
        }
    }

    #[test]
    fn zero_limits_are_refused() {
        let config = Config { max_requests: 0, ..Config::default() };
        assert_eq!(config.check().unwrap_err().to_string(), "max_requests: must be at least 1");
    }
}
