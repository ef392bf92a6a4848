//! JSON as bytes: what the canonical form, the sizes and the validator share. Private to the crate.

pub(crate) mod count;
pub(crate) mod node;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod scan;
pub(crate) mod skip;

/// The four characters JSON calls whitespace, which are also the only ones that count as blank.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first position at or after `at` that is not whitespace.
pub(crate) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}

/// `text` without whitespace around it, as JSON counts whitespace.
pub(crate) fn trim_blank(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}
