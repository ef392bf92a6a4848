//! The canonical form of a parsed value.

use serde_json::{Map, Value};

use super::{MAX_DEPTH, NotRepresentable, Sink};
use crate::json::number::NumberText;
use crate::json::order::utf16_cmp;
use crate::json::scan::{escape, find_special, is_plain};

pub(crate) fn write_value<S: Sink>(value: &Value, sink: &mut S) -> Result<(), NotRepresentable> {
    Writer::new(sink).value(value, 0)
}

pub(crate) fn write_object<S: Sink>(
    object: &Map<String, Value>,
    sink: &mut S,
) -> Result<(), NotRepresentable> {
    Writer::new(sink).object(object, 0)
}

struct Writer<'a, 's, S> {
    sink: &'s mut S,
    /// The members of every object that is open, innermost last: one allocation serves all depths.
    members: Vec<(&'a str, &'a Value)>,
}

impl<'a, 's, S: Sink> Writer<'a, 's, S> {
    fn new(sink: &'s mut S) -> Self {
        // Enough for most documents at once.
        Self { sink, members: Vec::with_capacity(32) }
    }

    /// `depth` is how many containers are around `value`.
    fn value(&mut self, value: &'a Value, depth: usize) -> Result<(), NotRepresentable> {
        match value {
            Value::Null => self.sink.put(b"null"),
            Value::Bool(true) => self.sink.put(b"true"),
            Value::Bool(false) => self.sink.put(b"false"),
            Value::Number(number) => {
                let mut text = NumberText::new();
                let text = text.number(number).ok_or(NotRepresentable::NumberOutOfRange)?;
                self.sink.put(text);
            }
            Value::String(text) if is_plain(text.as_bytes()) => {
                self.sink.put_between(b"\"", text.as_bytes(), b"\"");
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => self.array(items, depth)?,
            Value::Object(object) => self.object(object, depth)?,
        }
        Ok(())
    }

    fn array(&mut self, items: &'a [Value], depth: usize) -> Result<(), NotRepresentable> {
        if depth == MAX_DEPTH {
            return Err(NotRepresentable::TooDeep);
        }
        self.sink.put(b"[");
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.sink.put(b",");
            }
            self.value(item, depth + 1)?;
        }
        self.sink.put(b"]");
        Ok(())
    }

    fn object(&mut self, object: &'a Map<String, Value>, depth: usize) -> Result<(), NotRepresentable> {
        if depth == MAX_DEPTH {
            return Err(NotRepresentable::TooDeep);
        }
        let first = self.members.len();
        let mut sorted = true;
        let mut previous: &[u8] = b"";
        for (key, value) in object {
            sorted &= utf16_cmp(previous, key.as_bytes()).is_le();
            previous = key.as_bytes();
            self.members.push((key, value));
        }
        if !sorted && let Some(own) = self.members.get_mut(first..) {
            own.sort_unstable_by(|(a, _), (b, _)| utf16_cmp(a.as_bytes(), b.as_bytes()));
        }
        self.sink.put(b"{");
        let mut at = first;
        // Deeper objects push behind ours and take off what they pushed.
        while let Some(&(key, value)) = self.members.get(at) {
            self.key(key, at == first);
            self.value(value, depth + 1)?;
            at += 1;
        }
        self.members.truncate(first);
        self.sink.put(b"}");
        Ok(())
    }

    fn key(&mut self, key: &str, is_first: bool) {
        let bytes = key.as_bytes();
        match (is_plain(bytes), is_first) {
            (true, true) => self.sink.put_between(b"\"", bytes, b"\":"),
            (true, false) => self.sink.put_between(b",\"", bytes, b"\":"),
            (false, is_first) => {
                if !is_first {
                    self.sink.put(b",");
                }
                self.string(key);
                self.sink.put(b":");
            }
        }
    }

    fn string(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.sink.put(b"\"");
        let mut done = 0;
        loop {
            let special = find_special(bytes, done);
            self.sink.put(bytes.get(done..special).unwrap_or_default());
            let Some(escape) = bytes.get(special).and_then(|&byte| escape(byte)) else { break };
            self.sink.put(escape.as_bytes());
            done = special + 1;
        }
        self.sink.put(b"\"");
    }
}
