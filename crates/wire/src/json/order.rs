//! The order of UTF-16 code units, told from UTF-8 bytes.

use std::cmp::Ordering;

/// Compares two strings, given as UTF-8, by their UTF-16 code units.
///
/// UTF-8 bytes order by code point. The orders differ only between astral characters (lead bytes F0–F4,
/// surrogates D800–DFFF in UTF-16) and U+E000–U+FFFF (lead bytes EE and EF), which swap places. All of these
/// are lead bytes, so the first difference decides.
pub(crate) fn utf16_cmp(left: &[u8], right: &[u8]) -> Ordering {
    let differing = left.iter().zip(right).find(|(a, b)| a != b);
    match differing {
        None => left.len().cmp(&right.len()),
        Some((&a, &b)) if a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0) => b.cmp(&a),
        Some((a, b)) => a.cmp(b),
    }
}
