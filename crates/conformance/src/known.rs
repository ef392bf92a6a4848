//! Failures that are known, each with its reason.

use serde::Deserialize;

use crate::mcp::Link;

/// One known failure.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The check's number.
    pub id: String,
    /// Over this link only, for example `stdio 2025-11-25`; over all when left out.
    pub link: Option<String>,
    /// Why it fails, and what would have to change.
    pub reason: String,
}

/// The file: a JSON array of such objects.
///
/// # Errors
/// When the text is not such a list, names no check, or gives no reason.
pub fn read(text: &str) -> Result<Vec<Known>, String> {
    let all: Vec<Known> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for known in &all {
        if !crate::ids().any(|id| id == known.id) {
            return Err(format!("there is no check {}", known.id));
        }
        if known.reason.trim().is_empty() {
            return Err(format!("{} has no reason", known.id));
        }
    }
    Ok(all)
}

/// The reason why a check is known to fail.
pub(crate) fn reason<'a>(known: &'a [Known], id: &str, link: Option<Link>) -> Option<&'a str> {
    let link = link.map(|link| link.to_string());
    let one = known.iter().find(|one| one.id == id && (one.link.is_none() || one.link == link))?;
    Some(&one.reason)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;
    use crate::mcp::{Protocol, Transport};

    #[test]
    fn a_known_failure_names_a_check_and_a_reason() {
        let known = read(
            r#"[{"id":"K-101","link":null,"reason":"x"},{"id":"K-401","link":"stdio 2025-11-25","reason":"y"}]"#,
        );
        let known = known.unwrap();
        let link = |protocol| Some(Link { transport: Transport::Stdio, protocol });
        assert_eq!(reason(&known, "K-101", None), Some("x"));
        assert_eq!(reason(&known, "K-401", link(Protocol::Initialize)), Some("y"));
        assert_eq!(reason(&known, "K-401", link(Protocol::Meta)), None);
        assert!(read(r#"[{"id":"K-000","reason":"x"}]"#).is_err());
        assert!(read(r#"[{"id":"K-101","reason":" "}]"#).is_err());
        assert!(read(r#"[{"id":"K-101"}]"#).is_err());
    }
}
