//! One way of looking at JSON, whether it was parsed or is still text, so that each rule is written once.

use std::borrow::Cow;

use serde_json::Value;

use super::scan::{StringToken, read_string, unescape};
use super::skip::skip_value;
use super::{skip_blank, trim_blank};

/// A JSON value that can be looked into.
pub(crate) trait Node<'a>: Copy {
    /// What kind of value it is, one level deep.
    fn view(self) -> View<'a>;
    /// The members of an object in order, repeated keys included; nothing for other kinds.
    fn members(self) -> impl Iterator<Item = (Text<'a>, Self)>;
    /// The elements of an array; nothing for other kinds.
    fn elements(self) -> impl Iterator<Item = Self>;

    /// The last member called `name`: the one that counts.
    fn member(self, name: &str) -> Option<Self> {
        self.members().filter(|(key, _)| key.is(name)).map(|(_, value)| value).last()
    }

    fn is_null(self) -> bool {
        matches!(self.view(), View::Null)
    }
}

/// A value, one level deep.
pub(crate) enum View<'a> {
    Null,
    Bool(bool),
    /// As a double; infinite when past the largest.
    Number(f64),
    String(Text<'a>),
    Array,
    Object,
}

/// A string, which in raw text may hold half a surrogate pair.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    Valid(Cow<'a, str>),
    LoneSurrogate,
}

impl<'a> Text<'a> {
    pub(crate) fn is(&self, other: &str) -> bool {
        matches!(self, Text::Valid(text) if text == other)
    }

    pub(crate) fn valid(self) -> Option<Cow<'a, str>> {
        match self {
            Text::Valid(text) => Some(text),
            Text::LoneSurrogate => None,
        }
    }
}

impl<'a> Node<'a> for &'a Value {
    fn view(self) -> View<'a> {
        match self {
            Value::Null => View::Null,
            Value::Bool(value) => View::Bool(*value),
            // With serde_json's `arbitrary_precision` a number can be past the largest double.
            Value::Number(number) => View::Number(number.as_f64().unwrap_or_else(|| {
                if number.to_string().starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }
            })),
            Value::String(text) => View::String(Text::Valid(Cow::Borrowed(text))),
            Value::Array(_) => View::Array,
            Value::Object(_) => View::Object,
        }
    }

    fn members(self) -> impl Iterator<Item = (Text<'a>, Self)> {
        let map = self.as_object();
        map.into_iter().flatten().map(|(key, value)| (Text::Valid(Cow::Borrowed(key.as_str())), value))
    }

    fn elements(self) -> impl Iterator<Item = Self> {
        self.as_array().into_iter().flatten()
    }
}

/// A value that is still text, known to be grammatical JSON.
#[derive(Clone, Copy)]
pub(crate) struct RawNode<'a> {
    text: &'a str,
}

impl<'a> RawNode<'a> {
    /// `None` when `text` is not JSON.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let text = trim_blank(text);
        (skip_value(text.as_bytes(), 0)? == text.len()).then_some(Self { text })
    }

    /// The text of the value, without whitespace around it.
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// The value that starts at `at`, and the position behind it.
    fn nested(self, at: usize) -> Option<(Self, usize)> {
        let end = skip_value(self.text.as_bytes(), at)?;
        Some((Self { text: self.text.get(at..end)? }, end))
    }

    fn string(self, token: StringToken) -> Option<Text<'a>> {
        let content = self.text.get(token.start..token.end)?;
        if !token.escaped {
            return Some(Text::Valid(Cow::Borrowed(content)));
        }
        Some(unescape(content).map_or(Text::LoneSurrogate, |text| Text::Valid(Cow::Owned(text))))
    }

    /// Where the first entry of a container starts, if it is one of that kind and has any.
    fn first_entry(self, open: u8, close: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let first = skip_blank(bytes, 1);
        (bytes.first() == Some(&open) && bytes.get(first) != Some(&close)).then_some(first)
    }

    /// Where the entry after the one that ended at `end` starts, if there is one.
    fn next_entry(self, end: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let comma = skip_blank(bytes, end);
        (bytes.get(comma) == Some(&b',')).then(|| skip_blank(bytes, comma + 1))
    }
}

impl<'a> Node<'a> for RawNode<'a> {
    fn view(self) -> View<'a> {
        match self.text.as_bytes().first() {
            Some(b'n') | None => View::Null,
            Some(b't') => View::Bool(true),
            Some(b'f') => View::Bool(false),
            Some(b'[') => View::Array,
            Some(b'{') => View::Object,
            Some(b'"') => read_string(self.text.as_bytes(), 0)
                .and_then(|token| self.string(token))
                .map_or(View::Null, View::String),
            // A grammatical number always reads; one past the largest double reads as infinite.
            Some(_) => View::Number(self.text.parse().unwrap_or(f64::NAN)),
        }
    }

    fn members(self) -> impl Iterator<Item = (Text<'a>, Self)> {
        let bytes = self.text.as_bytes();
        let mut next = self.first_entry(b'{', b'}');
        std::iter::from_fn(move || {
            let token = read_string(bytes, next.take()?)?;
            let colon = skip_blank(bytes, token.end + 1);
            let (value, end) = self.nested(skip_blank(bytes, colon + 1))?;
            next = self.next_entry(end);
            Some((self.string(token)?, value))
        })
    }

    fn elements(self) -> impl Iterator<Item = Self> {
        let mut next = self.first_entry(b'[', b']');
        std::iter::from_fn(move || {
            let (value, end) = self.nested(next.take()?)?;
            next = self.next_entry(end);
            Some(value)
        })
    }
}
