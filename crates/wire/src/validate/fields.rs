//! An object taken apart into the fields the schema names.

use super::Violation;
use crate::json::node::{Node, Text, View};

/// The members of an object.
pub(super) struct Fields<'a, N> {
    members: Vec<(Text<'a>, N)>,
}

impl<'a, N: Node<'a>> Fields<'a, N> {
    pub(super) fn of(node: N) -> Result<Self, Violation> {
        match node.view() {
            View::Object => Ok(Self { members: node.members().collect() }),
            _ => Err(Violation::here("type")),
        }
    }

    /// What the schema does not name has nowhere to be stored.
    pub(super) fn only(&self, names: &[&str]) -> Result<(), Violation> {
        let is_known = |(key, _): &(Text<'a>, N)| names.iter().any(|name| key.is(name));
        if self.members.iter().all(is_known) { Ok(()) } else { Err(Violation::here("additionalProperties")) }
    }

    /// A field that may be left out; null counts as left out. Of a repeated key the last member counts.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        check: impl FnOnce(N) -> Result<T, Violation>,
    ) -> Result<Option<T>, Violation> {
        let member = self.members.iter().rev().find(|(key, _)| key.is(name));
        match member.filter(|(_, value)| !value.is_null()) {
            None => Ok(None),
            Some((_, value)) => {
                check(*value).map(Some).map_err(|violation| violation.under(&format!("/{name}")))
            }
        }
    }

    /// A field that must be there.
    pub(super) fn required<T>(
        &self,
        name: &str,
        check: impl FnOnce(N) -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        self.optional(name, check)?.ok_or_else(|| Violation::field(name, "required"))
    }
}
