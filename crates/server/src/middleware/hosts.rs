//! Which hosts are ours. A page elsewhere may point a name of its own at this machine (DNS rebinding); its
//! requests then carry that name, and are refused. Names matter, ports do not: rebinding cannot choose a name.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header;
use http::uri::Authority;
use percent_encoding::percent_decode_str;

use crate::app::App;
use crate::config::{Config, PublicUrl};
use crate::problem::Problem;

/// Our side of the connection a request came by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAddress(pub(crate) SocketAddr);

/// The hosts that requests may carry.
pub(crate) struct Hosts {
    names: BTreeSet<String>,
    public_origin: Option<String>,
    listen: IpAddr,
}

impl Hosts {
    pub(crate) fn new(config: &Config, public: Option<&PublicUrl>) -> Self {
        let mut names: BTreeSet<String> =
            config.allowed_hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        names.insert("localhost".to_owned());
        names.extend(public.map(|url| url.host.clone()));
        Self { names, public_origin: public.map(|url| url.origin.clone()), listen: config.listen.ip() }
    }

    /// Whether a request to that host is for us. An address counts if the connection came to it.
    fn holds(&self, host: &str, local: Option<IpAddr>) -> bool {
        let host = host.to_ascii_lowercase();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => {
                let address = address.to_canonical();
                address == self.listen
                    || local.is_some_and(|local| local.to_canonical() == address)
                    || self.names.contains(&host)
            }
            Err(_) => self.names.contains(&host),
        }
    }

    /// Whether a page of that origin is ours: the public one, or the very host the request was sent to.
    fn is_ours(&self, origin: &str, host: &Authority) -> bool {
        if self.public_origin.as_deref().is_some_and(|ours| ours.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host.as_str()))
    }
}

/// Refuses requests for other hosts (421), paths that are no text (400), and writes that pages of other origins
/// send (403).
pub(crate) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    match examine(&app.hosts, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn examine(hosts: &Hosts, request: &Request) -> Result<(), Problem> {
    let host = host(request)?;
    let local = request.extensions().get::<LocalAddress>().map(|address| address.0.ip());
    if !hosts.holds(host.host(), local) {
        return Err(Problem::misdirected().detail(
            "the Host header names no host of this server; set the public URL or the allowed hosts",
        ));
    }
    if percent_decode_str(request.uri().path()).decode_utf8().is_err() {
        return Err(Problem::malformed().detail("the path is not percent-encoded UTF-8"));
    }
    if request.method().is_safe() {
        return Ok(());
    }
    // Browsers send an Origin with every write; programs that send none are not a browser's victim.
    let foreign = request
        .headers()
        .get_all(header::ORIGIN)
        .iter()
        .any(|origin| !origin.to_str().is_ok_and(|origin| hosts.is_ours(origin, &host)));
    if foreign {
        return Err(Problem::forbidden().detail("the Origin header is not this server's"));
    }
    // Should a browser leave the Origin out, it still says where a page's request comes from.
    let elsewhere = request
        .headers()
        .get_all("sec-fetch-site")
        .iter()
        .any(|site| site != "same-origin" && site != "none");
    if elsewhere {
        return Err(Problem::forbidden().detail("the request comes from a page of another site"));
    }
    Ok(())
}

/// The one host a request names.
fn host(request: &Request) -> Result<Authority, Problem> {
    let refuse = || Problem::malformed().detail("exactly one Host header is required");
    let mut values = request.headers().get_all(header::HOST).iter();
    let value = values.next().ok_or_else(refuse)?;
    if values.next().is_some() {
        return Err(refuse());
    }
    let host = Authority::try_from(value.as_bytes()).map_err(|_| refuse())?;
    // An absolute request target overrides the header; a proxy could have looked at the other one.
    if request.uri().authority().is_some_and(|target| !target.as_str().eq_ignore_ascii_case(host.as_str())) {
        return Err(Problem::malformed().detail("the request target and the Host header differ"));
    }
    Ok(host)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn hosts(public: Option<&str>, listen: &str) -> Hosts {
        let config = Config {
            public_url: public.map(str::to_owned),
            listen: listen.parse().unwrap(),
            allowed_hosts: vec!["mcpulse.internal".to_owned()],
            ..Config::default()
        };
        Hosts::new(&config, config.public().unwrap().as_ref())
    }

    #[test]
    fn names_must_be_known_and_addresses_must_be_where_the_connection_came() {
        let hosts = hosts(Some("https://stats.example.org"), "0.0.0.0:7077");
        let local = Some("10.1.2.3".parse().unwrap());
        for host in ["localhost", "LOCALHOST", "stats.example.org", "mcpulse.internal", "10.1.2.3"] {
            assert!(hosts.holds(host, local), "{host}");
        }
        for host in ["evil.example", "10.1.2.4", "localhost.evil.example", "127.0.0.1", ""] {
            assert!(!hosts.holds(host, local), "{host}");
        }
        assert!(hosts.holds("[::1]", Some("::1".parse().unwrap())));
    }

    #[test]
    fn an_origin_is_ours_by_public_url_or_by_the_host_asked() {
        let hosts = hosts(Some("https://stats.example.org"), "127.0.0.1:7077");
        let host = Authority::from_static("localhost:7077");
        assert!(hosts.is_ours("http://localhost:7077", &host));
        assert!(hosts.is_ours("https://stats.example.org", &host));
        for origin in ["http://localhost:3000", "http://stats.example.org", "null", "localhost:7077"] {
            assert!(!hosts.is_ours(origin, &host), "{origin}");
        }
    }
}
