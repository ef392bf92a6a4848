//! Which producer sent a request, from its `User-Agent`.

use http::{HeaderMap, header};

/// The languages that have a producer of ours.
const LANGUAGES: [&str; 10] =
    ["csharp", "go", "java", "kotlin", "php", "python", "ruby", "rust", "swift", "typescript"];

/// What every other sender is called: the header is free text, and free text is not stored.
const OTHER: &str = "other";

/// `mcpulse-<language>/<version>`, or `other`.
pub(super) fn name(headers: &HeaderMap) -> String {
    headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .and_then(|agent| agent.split(' ').next())
        .filter(|product| is_ours(product))
        .unwrap_or(OTHER)
        .to_owned()
}

fn is_ours(product: &str) -> bool {
    let Some((language, version)) = product.strip_prefix("mcpulse-").and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    LANGUAGES.contains(&language) && is_version(version)
}

/// Three numbers, and perhaps a short pre-release: nothing that could carry data.
fn is_version(version: &str) -> bool {
    let (numbers, pre) =
        version.split_once('-').map_or((version, None), |(numbers, pre)| (numbers, Some(pre)));
    let mut parts = numbers.split('.');
    let three = parts.by_ref().take(3).filter(|part| is_number(part)).count() == 3 && parts.next().is_none();
    three && pre.is_none_or(|pre| (1..=16).contains(&pre.len()) && pre.bytes().all(is_pre_release))
}

fn is_number(part: &str) -> bool {
    (1..=5).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_pre_release(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.'
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(agent: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        name(&headers)
    }

    #[test]
    fn ours_are_named_by_language_and_version() {
        assert_eq!(of("mcpulse-rust/0.1.0"), "mcpulse-rust/0.1.0");
        assert_eq!(of("mcpulse-typescript/1.20.3-beta.1 node/24"), "mcpulse-typescript/1.20.3-beta.1");
    }

    #[test]
    fn everything_else_is_other() {
        for agent in [
            "",
            "curl/8.0",
            "mcpulse-cobol/1.0.0",
            "mcpulse-rust",
            "mcpulse-rust/",
            "mcpulse-rust/1.0",
            "mcpulse-rust/1.0.0.0",
            "mcpulse-rust/1.0.0-Alice",
            "mcpulse-rust/123456.0.0",
        ] {
            assert_eq!(of(agent), "other", "{agent}");
        }
        assert_eq!(name(&HeaderMap::new()), "other");
    }
}
