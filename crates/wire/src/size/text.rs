//! Sizes straight from JSON text: the units of the text itself, less what the canonical form drops.

use std::collections::BTreeMap;

use super::value::brackets_and_commas;
use crate::canonical::{Entry, Members, Output, read_text};
use crate::json::count::{escaped_units, utf16_units};
use crate::json::node::{Node, RawNode};

/// `None` when the text has no canonical form. `depth` is how many containers are around it.
pub(crate) fn units(text: &str, depth: usize) -> Option<usize> {
    let counter = read_text(text, depth, Counter::default()).ok()?;
    Some(utf16_units(text.as_bytes()).wrapping_sub(counter.dropped))
}

/// The units of an object less the members that do not count; `None` when it has no canonical form.
pub(crate) fn object_units<'a>(
    object: RawNode<'a>,
    counts: impl Fn(&str, RawNode<'a>) -> bool,
) -> Option<usize> {
    let mut members = BTreeMap::new();
    for (key, value) in object.members() {
        members.insert(key.valid()?, value);
    }
    members.retain(|key, value| counts(key, *value));
    let inside = members.iter().try_fold(0, |sum, (key, value)| {
        // The quotes and the colon.
        Some(sum + escaped_units(key.as_bytes()) + 3 + units(value.text(), 1)?)
    })?;
    Some(inside + brackets_and_commas(members.len()))
}

/// Counts the units that are in the text and not in the canonical form.
#[derive(Default)]
struct Counter {
    dropped: usize,
}

/// A place in the text, and what had been dropped before it.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    at: usize,
    dropped: usize,
}

impl Output for Counter {
    type Mark = Mark;

    fn mark(&self, at: usize) -> Mark {
        Mark { at, dropped: self.dropped }
    }

    fn replace(&mut self, _text: &[u8], start: usize, end: usize, with: &[u8]) {
        // What is replaced is ASCII. Only a number can grow (`1e20` is 21 digits): then the sum wraps around
        // and comes back.
        self.dropped = self.dropped.wrapping_add(end - start).wrapping_sub(utf16_units(with));
    }

    fn lose(&mut self, text: &[u8], member: Entry<Mark>) {
        // With its comma: another member with the same key is there.
        let units = units_between(text, member.start, member.end) + 1;
        self.dropped = self.dropped.wrapping_add(units);
    }

    fn reorder(&mut self, _all: Members<Mark>, _kept: &[Entry<Mark>]) {
        // Order changes no size.
    }

    fn finish(&mut self, text: &[u8], end: usize) {
        // Whitespace only.
        self.dropped = self.dropped.wrapping_add(text.len() - end);
    }
}

/// The units of the canonical form between two places.
fn units_between(text: &[u8], start: Mark, end: Mark) -> usize {
    let all = utf16_units(text.get(start.at..end.at).unwrap_or_default());
    all.wrapping_sub(end.dropped.wrapping_sub(start.dropped))
}
