//! UTF-16 code units, counted from UTF-8 bytes.

use super::scan::is_plain;

/// Bytes summed in one go: with at most 6 for each, the sum fits a byte, which keeps the loop in wide
/// registers.
const CHUNK: usize = 32;

/// UTF-16 code units of UTF-8 text: one for each character, two for each beyond U+FFFF.
pub(crate) fn utf16_units(text: &[u8]) -> usize {
    sum(text, |byte| u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0))
}

/// UTF-16 code units of UTF-8 text once ECMAScript has escaped it, without the quotes around it.
pub(crate) fn escaped_units(text: &[u8]) -> usize {
    // Most keys and many values are short and plain.
    if text.len() < 64 && is_plain(text) {
        return text.len();
    }
    sum(text, |byte| {
        let unit = u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0);
        let backslash = u8::from(byte == b'"') + u8::from(byte == b'\\') + u8::from(byte < 0x20);
        let short = u8::from(byte.wrapping_sub(8) < 6) - u8::from(byte == 0x0b);
        let long = u8::from(byte < 0x20) - short;
        unit + backslash + long * 4
    })
}

/// The weights of all bytes. A space weighs one.
fn sum(text: &[u8], weight: impl Fn(u8) -> u8) -> usize {
    let of_chunk = |chunk: &[u8; CHUNK]| {
        usize::from(chunk.iter().fold(0u8, |sum, &byte| sum.wrapping_add(weight(byte))))
    };
    let (chunks, rest) = text.as_chunks::<CHUNK>();
    let whole: usize = chunks.iter().map(of_chunk).sum();
    if rest.is_empty() {
        return whole;
    }
    let mut padded = [b' '; CHUNK];
    for (slot, byte) in padded.iter_mut().zip(rest) {
        *slot = *byte;
    }
    whole + of_chunk(&padded) - (CHUNK - rest.len())
}
