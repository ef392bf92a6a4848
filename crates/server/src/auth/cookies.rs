//! The cookie of a signed-in browser.

use http::{HeaderMap, HeaderValue, header};

use crate::config::{Config, PublicUrl};

/// Writes and finds the sign-in cookie.
pub(crate) struct Cookies {
    name: String,
    attributes: String,
}

impl Cookies {
    pub(crate) fn new(config: &Config, public: Option<&PublicUrl>) -> Self {
        let https = public.is_some_and(|url| url.https);
        // `__Host-` makes browsers insist on Secure, Path=/ and no Domain. Cookies ignore ports, so that two
        // servers on one machine need two names.
        let name =
            if https { "__Host-mcpulse".to_owned() } else { format!("mcpulse_{}", config.listen.port()) };
        let secure = if https { "; Secure" } else { "" };
        Self { name, attributes: format!("; Path=/; HttpOnly; SameSite=Strict{secure}") }
    }

    /// `Set-Cookie` that signs a browser in for that many seconds.
    pub(crate) fn set(&self, secret: &str, seconds: i64) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("{}={secret}; Max-Age={seconds}{}", self.name, self.attributes)).ok()
    }

    /// `Set-Cookie` that signs a browser out.
    pub(crate) fn clear(&self) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("{}=; Max-Age=0{}", self.name, self.attributes)).ok()
    }

    /// The secret in the request's cookie, if there is one.
    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<String> {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.name)
            .map(|(_, secret)| secret.to_owned())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    #[test]
    fn behind_https_the_cookie_is_bound_to_the_host() {
        let config = Config { public_url: Some("https://stats.example.org".to_owned()), ..Config::default() };
        let cookies = Cookies::new(&config, config.public().unwrap().as_ref());
        assert_eq!(
            cookies.set("abc", 60).unwrap(),
            "__Host-mcpulse=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure"
        );
    }

    #[test]
    fn a_plain_server_finds_its_own_cookie_among_others() {
        let cookies = Cookies::new(&Config::default(), None);
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("mcpulse_8000=other; mcpulse_7077=mine"));
        assert_eq!(cookies.find(&headers).unwrap(), "mine");
        headers.clear();
        assert_eq!(cookies.find(&headers), None);
    }
}
