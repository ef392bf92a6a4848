//! The canonical form as pieces of the text, put together at the end.

use super::reader::{Entry, Members, Output};
use crate::canonical::Sink;

/// The canonical form but for the order of members: the runs of text that stay, with what replaces the rest.
/// Objects whose members must move are kept as a list and moved only while writing, so that each byte is
/// moved once however deep it lies.
#[derive(Default)]
pub(crate) struct Pieces {
    /// What has been settled so far. Empty as long as the text stays as it is.
    out: Vec<u8>,
    /// Where the run of text starts that stays and is not in `out` yet.
    run: usize,
    /// Where the value ends in the text.
    end: usize,
    objects: Vec<Object>,
    members: Vec<Span>,
}

/// Where something lies in the canonical form before reordering.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

/// An object whose members must move.
#[derive(Clone, Copy)]
struct Object {
    /// All members, as the text has them.
    all: Span,
    /// Those that count, in order: a range of [`Pieces::members`].
    kept: Span,
}

impl Output for Pieces {
    type Mark = usize;

    fn mark(&self, at: usize) -> usize {
        self.out.len() + at - self.run
    }

    fn replace(&mut self, text: &[u8], start: usize, end: usize, with: &[u8]) {
        let run = text.get(self.run..start).unwrap_or_default();
        if self.out.capacity() == 0 && !(run.is_empty() && with.is_empty()) {
            self.out.reserve(text.len());
        }
        self.out.extend_from_slice(run);
        self.out.extend_from_slice(with);
        self.run = end;
    }

    fn lose(&mut self, _text: &[u8], _member: Entry<usize>) {}

    fn reorder(&mut self, all: Members<usize>, kept: &[Entry<usize>]) {
        let first = self.members.len();
        self.members.extend(kept.iter().map(|entry| Span { start: entry.start, end: entry.end }));
        self.objects.push(Object {
            all: Span { start: all.start, end: all.end },
            kept: Span { start: first, end: self.members.len() },
        });
    }

    fn finish(&mut self, text: &[u8], end: usize) {
        self.end = end;
        if !self.out.is_empty() {
            self.out.extend_from_slice(text.get(self.run..end).unwrap_or_default());
        }
        self.objects.sort_unstable_by_key(|object| object.all.start);
    }
}

impl Pieces {
    /// Writes the canonical form of what was read from `text`.
    pub(crate) fn write<S: Sink>(&self, text: &[u8], sink: &mut S) {
        let settled = if self.out.is_empty() {
            text.get(self.run..self.end).unwrap_or_default()
        } else {
            self.out.as_slice()
        };
        self.write_span(settled, Span { start: 0, end: settled.len() }, &self.objects, sink);
    }

    /// Writes one span of `settled`; `objects` are those that may start in it, by start. Recurses once for
    /// each container around, of which there are at most [`MAX_DEPTH`](crate::canonical::MAX_DEPTH).
    fn write_span<S: Sink>(&self, settled: &[u8], span: Span, mut objects: &[Object], sink: &mut S) {
        let mut at = span.start;
        while let Some((object, behind)) = objects.split_first()
            && object.all.start < span.end
        {
            put(sink, settled, at, object.all.start);
            let kept = self.members.get(object.kept.start..object.kept.end).unwrap_or_default();
            let is_leaf = behind.first().is_none_or(|next| next.all.start >= object.all.end);
            for (index, &member) in kept.iter().enumerate() {
                let comma: &[u8] = if index > 0 { b"," } else { b"" };
                sink.put(comma);
                if is_leaf {
                    put(sink, settled, member.start, member.end);
                } else {
                    self.write_span(settled, member, from(behind, member.start), sink);
                }
            }
            objects = from(behind, object.all.end);
            at = object.all.end;
        }
        put(sink, settled, at, span.end);
    }
}

/// Those of `objects` that start at or after `start`.
fn from(objects: &[Object], start: usize) -> &[Object] {
    let before = objects.partition_point(|object| object.all.start < start);
    objects.get(before..).unwrap_or_default()
}

fn put<S: Sink>(sink: &mut S, settled: &[u8], start: usize, end: usize) {
    sink.put(settled.get(start..end).unwrap_or_default());
}
