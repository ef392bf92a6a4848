//! The rules of what people may type.

use crate::control::{ControlError, Scope};

type Result<T> = std::result::Result<T, ControlError>;

fn rule(field: &'static str, holds: bool, rule: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(ControlError::Invalid { field, rule }) }
}

/// A name that people read: surrounding blanks are dropped.
pub(super) fn name<'a>(field: &'static str, name: &'a str) -> Result<&'a str> {
    let name = name.trim();
    rule(field, (1..=100).contains(&name.chars().count()), "must have 1 to 100 characters")?;
    rule(field, !name.contains(char::is_control), "must not contain control characters")?;
    Ok(name)
}

/// An email address, as far as it can be judged without sending to it: surrounding blanks are dropped.
pub(super) fn email(email: &str) -> Result<&str> {
    let email = email.trim();
    rule("email", email.len() <= 254, "must be at most 254 bytes long")?;
    let sane = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c == '@' || c.is_whitespace() || c.is_control())
    };
    let parts = email.rsplit_once('@');
    let is_address = parts.is_some_and(|(local, domain)| {
        sane(local)
            && local.len() <= 64
            && sane(domain)
            && domain
                .split('.')
                .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'))
    });
    rule("email", is_address, "must be an email address")?;
    Ok(email)
}

/// A tool's name as clients send it.
pub(super) fn tool(name: &str) -> Result<()> {
    rule("tool", (1..=200).contains(&name.chars().count()), "must have 1 to 200 characters")
}

pub(super) fn price(usd_per_million_tokens: f64) -> Result<()> {
    // False for NaN too.
    let sane = (0.0..=1_000_000.0).contains(&usd_per_million_tokens);
    rule("usd_per_million_tokens", sane, "must be from 0 to 1000000")
}

pub(super) fn retention(days: Option<u32>) -> Result<()> {
    rule(
        "retention_days",
        days.is_none_or(|days| (1..=36_500).contains(&days)),
        "must be from 1 to 36500, or null",
    )
}

pub(super) fn limit(per_minute: u32) -> Result<()> {
    rule("limit_per_minute", (1..=100_000_000).contains(&per_minute), "must be from 1 to 100000000")
}

/// The scopes without repeats.
pub(super) fn scopes(scopes: &[Scope]) -> Result<Vec<Scope>> {
    rule("scopes", !scopes.is_empty(), "must name at least one scope")?;
    let mut scopes = scopes.to_vec();
    scopes.sort_unstable();
    scopes.dedup();
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails() {
        for good in [
            "a@b",
            "demo@localhost",
            "Ann.Lee+x@mail.example.org",
            " ann@example.org ",
            "jürgen@bücher.example",
        ] {
            assert!(email(good).is_ok(), "{good}");
        }
        for bad in [
            "", "@", "a@", "@b", "a b@c", "a@b c", "a@@b", "a@b@c", "a@.b", "a@b.", "a@b..c", "a@-b",
            "a\n@b", "plain",
        ] {
            assert!(matches!(email(bad), Err(ControlError::Invalid { field: "email", .. })), "{bad:?}");
        }
        assert!(email(&format!("{}@b", "a".repeat(65))).is_err());
        assert!(email(&format!("a@{}", "b".repeat(253))).is_err());
    }

    #[test]
    fn names_are_counted_in_characters_and_trimmed() {
        assert_eq!(name("name", &format!(" {} ", "é".repeat(100))).ok(), Some(&*"é".repeat(100)));
        for bad in ["", "   ", &"é".repeat(101), "a\u{0}b", "a\nb", "\u{85}a\u{85}b"] {
            assert!(matches!(name("name", bad), Err(ControlError::Invalid { field: "name", .. })), "{bad:?}");
        }
    }

    #[test]
    fn numbers_have_bounds() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.01, 1_000_000.1] {
            assert!(price(bad).is_err(), "{bad}");
        }
        for good in [0.0, 3.0, 1_000_000.0] {
            assert!(price(good).is_ok(), "{good}");
        }
        assert!(retention(Some(0)).is_err() && retention(Some(36_501)).is_err());
        assert!(retention(Some(1)).is_ok() && retention(Some(36_500)).is_ok() && retention(None).is_ok());
        assert!(limit(0).is_err() && limit(1).is_ok() && limit(u32::MAX).is_err());
    }
}
