//! Reads JSON text and reports where its canonical form differs.

use crate::canonical::{MAX_DEPTH, NotRepresentable};
use crate::json::number::{NumberText, read_number};
use crate::json::order::utf16_cmp;
use crate::json::scan::{Escape, escape, find_special, read_escape, unescape_wtf8};
use crate::json::skip::skip_value;
use crate::json::{is_blank, skip_blank};

/// Is told how the canonical form differs from the text; everything else is as the text has it.
pub(crate) trait Output {
    /// A place in the canonical form.
    type Mark: Copy;

    /// The place of what the text has at `at`. Everything before `at` has been read.
    fn mark(&self, at: usize) -> Self::Mark;

    /// In place of `start..end` of the text stands `with`.
    fn replace(&mut self, text: &[u8], start: usize, end: usize, with: &[u8]);

    /// A member does not count, because its key is repeated.
    fn lose(&mut self, text: &[u8], member: Entry<Self::Mark>);

    /// An object's members are not in order: `kept` are those that count, in order, `all` those that the text
    /// has, in its order.
    fn reorder(&mut self, all: Members<Self::Mark>, kept: &[Entry<Self::Mark>]);

    /// The value ends at `end`; only whitespace is behind it.
    fn finish(&mut self, text: &[u8], end: usize);
}

/// Where an object's members start and end.
#[derive(Clone, Copy)]
pub(crate) struct Members<M> {
    pub(crate) start: M,
    pub(crate) end: M,
}

/// A member of an object.
#[derive(Clone, Copy)]
pub(crate) struct Entry<M> {
    key: Key,
    /// Where the value ends in the text.
    until: usize,
    /// From the key's opening quote …
    pub(crate) start: M,
    /// … to behind the value.
    pub(crate) end: M,
}

/// Where a key's content is in the text.
#[derive(Clone, Copy)]
struct Key {
    start: usize,
    end: usize,
}

/// Something without a canonical form, and where it is in the text. It counts only if it is still there once
/// repeated keys have lost all but their last value.
struct Problem {
    at: usize,
    why: NotRepresentable,
}

/// Reads the whole of `text`, which must be one JSON value. `depth` is how many containers are around it.
pub(crate) fn read_text<O: Output>(text: &str, depth: usize, out: O) -> Result<O, NotRepresentable> {
    let bytes = text.as_bytes();
    let mut reader = Reader {
        text,
        bytes,
        at: 0,
        out,
        entries: Vec::with_capacity(16),
        sorted: Vec::new(),
        decoded: Vec::new(),
        problems: Vec::new(),
        lost: Vec::new(),
    };
    reader.skip_blank();
    reader.value(depth)?;
    let end = reader.at;
    if skip_blank(bytes, end) != bytes.len() {
        return Err(NotRepresentable::NotJson);
    }
    if let Some(why) = first_kept(&reader.problems, &mut reader.lost) {
        return Err(why);
    }
    reader.out.finish(bytes, end);
    Ok(reader.out)
}

/// The first of `problems`, which are in the order of the text, that is in no lost member.
fn first_kept(problems: &[Problem], lost: &mut [(usize, usize)]) -> Option<NotRepresentable> {
    if problems.is_empty() {
        return None;
    }
    lost.sort_unstable();
    let mut lost = lost.iter().peekable();
    let mut lost_until = 0;
    let kept = problems.iter().find(|problem| {
        while let Some((_, until)) = lost.next_if(|(from, _)| *from <= problem.at) {
            lost_until = lost_until.max(*until);
        }
        problem.at >= lost_until
    });
    kept.map(|problem| problem.why)
}

struct Reader<'a, O: Output> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: O,
    /// The members of every object that is open, innermost last.
    entries: Vec<Entry<O::Mark>>,
    /// The members of the object being put in order.
    sorted: Vec<Entry<O::Mark>>,
    /// The characters of the keys that were escaped, as WTF-8, by where the key is in the text.
    decoded: Vec<(usize, Vec<u8>)>,
    problems: Vec<Problem>,
    /// Members that a repeated key has replaced: from where to where they are in the text.
    lost: Vec<(usize, usize)>,
}

impl<O: Output> Reader<'_, O> {
    fn skip_blank(&mut self) {
        if self.bytes.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            let end = skip_blank(self.bytes, self.at);
            self.out.replace(self.bytes, self.at, end, b"");
            self.at = end;
        }
    }

    /// `depth` is how many containers are around the value.
    fn value(&mut self, depth: usize) -> Result<(), NotRepresentable> {
        match self.bytes.get(self.at) {
            Some(b'"') => self.string(self.at).map(drop),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => Err(NotRepresentable::NotJson),
        }
    }

    fn literal(&mut self, literal: &[u8]) -> Result<(), NotRepresentable> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += literal.len();
        if rest.starts_with(literal) { Ok(()) } else { Err(NotRepresentable::NotJson) }
    }

    fn number(&mut self) -> Result<(), NotRepresentable> {
        let start = self.at;
        let token = read_number(self.bytes, start).ok_or(NotRepresentable::NotJson)?;
        self.at = token.end;
        if token.canonical {
            return Ok(());
        }
        let text = self.text.get(start..token.end).ok_or(NotRepresentable::NotJson)?;
        let value: f64 = text.parse().map_err(|_| NotRepresentable::NotJson)?;
        match NumberText::new().double(value) {
            None => self.problem(start, NotRepresentable::NumberOutOfRange),
            Some(canonical) if canonical == text.as_bytes() => {}
            Some(canonical) => self.out.replace(self.bytes, start, token.end, canonical),
        }
        Ok(())
    }

    fn problem(&mut self, at: usize, why: NotRepresentable) {
        self.problems.push(Problem { at, why });
    }

    /// Reads the string at `quote`; true when anything in it is escaped.
    fn string(&mut self, quote: usize) -> Result<bool, NotRepresentable> {
        let mut at = quote + 1;
        let mut escaped = false;
        loop {
            at = find_special(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at = self.escape(at)?,
                _ => return Err(NotRepresentable::NotJson),
            }
            escaped = true;
        }
        self.at = at + 1;
        Ok(escaped)
    }

    /// Reads the escape at `at` and replaces it unless it is the one ECMAScript would write.
    fn escape(&mut self, at: usize) -> Result<usize, NotRepresentable> {
        // The short escapes are what ECMAScript writes, but for the solidus.
        if let Some(b'"' | b'\\' | b'n' | b't' | b'r' | b'b' | b'f') = self.bytes.get(at + 1) {
            return Ok(at + 2);
        }
        let (escaped, end) = read_escape(self.bytes, at).ok_or(NotRepresentable::NotJson)?;
        let Escape::Char(character) = escaped else {
            self.problem(at, NotRepresentable::LoneSurrogate);
            return Ok(end);
        };
        let mut buffer = [0; 4];
        let plain = character.encode_utf8(&mut buffer).as_bytes();
        let canonical = if let [byte] = plain { escape(*byte) } else { None };
        let canonical = canonical.as_ref().map_or(plain, |escape| escape.as_bytes());
        if self.bytes.get(at..end) != Some(canonical) {
            self.out.replace(self.bytes, at, end, canonical);
        }
        Ok(end)
    }

    fn key(&mut self) -> Result<Key, NotRepresentable> {
        let quote = self.at;
        if self.bytes.get(quote) != Some(&b'"') {
            return Err(NotRepresentable::NotJson);
        }
        let escaped = self.string(quote)?;
        let key = Key { start: quote + 1, end: self.at - 1 };
        if escaped {
            let content = self.bytes.get(key.start..key.end).unwrap_or_default();
            self.decoded.push((key.start, unescape_wtf8(content)));
        }
        Ok(key)
    }

    /// Steps over a container that nests too deep.
    fn too_deep(&mut self) -> Result<(), NotRepresentable> {
        self.problem(self.at, NotRepresentable::TooDeep);
        self.at = skip_value(self.bytes, self.at).ok_or(NotRepresentable::NotJson)?;
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), NotRepresentable> {
        if depth == MAX_DEPTH {
            return self.too_deep();
        }
        self.at += 1;
        self.skip_blank();
        if self.bytes.get(self.at) == Some(&b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            self.skip_blank();
            self.at += 1;
            match self.bytes.get(self.at - 1) {
                Some(b',') => self.skip_blank(),
                Some(b']') => return Ok(()),
                _ => return Err(NotRepresentable::NotJson),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), NotRepresentable> {
        if depth == MAX_DEPTH {
            return self.too_deep();
        }
        self.at += 1;
        self.skip_blank();
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(());
        }
        let first = self.entries.len();
        let mut in_order = true;
        loop {
            let start = self.out.mark(self.at);
            let key = self.key()?;
            self.skip_blank();
            if self.bytes.get(self.at) != Some(&b':') {
                return Err(NotRepresentable::NotJson);
            }
            self.at += 1;
            self.skip_blank();
            self.value(depth + 1)?;
            let end = self.out.mark(self.at);
            if let Some(previous) = self.entries.get(first..).and_then(<[_]>::last) {
                in_order &= utf16_cmp(self.characters(previous.key), self.characters(key)).is_lt();
            }
            self.entries.push(Entry { key, until: self.at, start, end });
            self.skip_blank();
            self.at += 1;
            match self.bytes.get(self.at - 1) {
                Some(b',') => self.skip_blank(),
                Some(b'}') => break,
                _ => return Err(NotRepresentable::NotJson),
            }
        }
        if !in_order {
            self.put_in_order(first);
        }
        self.entries.truncate(first);
        Ok(())
    }

    /// The characters of a key, as WTF-8.
    fn characters(&self, key: Key) -> &[u8] {
        if !self.decoded.is_empty()
            && let Ok(found) = self.decoded.binary_search_by_key(&key.start, |(start, _)| *start)
        {
            return self.decoded.get(found).map_or(b"", |(_, characters)| characters);
        }
        self.bytes.get(key.start..key.end).unwrap_or_default()
    }

    /// Sorts the members from `first` on, keeps the last of each key, and reports the order.
    fn put_in_order(&mut self, first: usize) {
        let own = self.entries.get(first..).unwrap_or_default();
        let (Some(head), Some(tail)) = (own.first(), own.last()) else { return };
        let all = Members { start: head.start, end: tail.end };
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend_from_slice(own);
        // Stable, so that of a repeated key the last one in the text is the last here. No sort can tell two equal
        // neighbours apart without comparing them, so this finds every repetition.
        let mut repeated = false;
        sorted.sort_by(|a, b| {
            let order = utf16_cmp(self.characters(a.key), self.characters(b.key));
            repeated |= order.is_eq();
            order
        });
        if repeated {
            self.keep_last(&mut sorted);
        }
        self.out.reorder(all, &sorted);
        self.sorted = sorted;
    }

    /// Of members with the same key only the last one counts.
    fn keep_last(&mut self, sorted: &mut Vec<Entry<O::Mark>>) {
        let mut kept = 0;
        for index in 0..sorted.len() {
            let (Some(&entry), next) = (sorted.get(index), sorted.get(index + 1)) else { break };
            if next.is_some_and(|next| self.characters(next.key) == self.characters(entry.key)) {
                self.lost.push((entry.key.start, entry.until));
                self.out.lose(self.bytes, entry);
                continue;
            }
            if let Some(slot) = sorted.get_mut(kept) {
                *slot = entry;
                kept += 1;
            }
        }
        sorted.truncate(kept);
    }
}
