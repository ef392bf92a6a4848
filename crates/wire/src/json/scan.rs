//! Finding the ends of strings, and reading escapes.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte of `word` that is a quote, a backslash or below U+0020. Bits above the lowest
/// one set may be wrong (borrows travel upwards), so only the lowest counts.
const fn special_mask(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | control) & HIGHS
}

/// The first position at or after `at` of a quote, a backslash or a control character; the length when
/// there is none.
pub(crate) fn find_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let mask = special_mask(u64::from_le_bytes(*chunk));
        if mask != 0 {
            return at + (mask.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        at += 1;
    }
    at
}

/// Whether a string is written as it is and every byte of it is a UTF-16 code unit: ASCII without anything to be
/// escaped.
#[inline]
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<8>() {
        // The last word overlaps the one before it unless the length is a multiple of eight.
        let (words, _) = bytes.as_chunks::<8>();
        let mask = words.iter().fold(odd_mask(u64::from_le_bytes(*last)), |mask, word| {
            mask | odd_mask(u64::from_le_bytes(*word))
        });
        return mask == 0;
    }
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let word = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
            odd_mask(word) == 0
        }
        _ => bytes.iter().all(|&byte| (0x20..0x80).contains(&byte) && byte != b'"' && byte != b'\\'),
    }
}

/// Not zero if any byte of `word` is to be escaped or beyond ASCII.
const fn odd_mask(word: u64) -> u64 {
    special_mask(word) | (word & HIGHS)
}

/// What a backslash stands for.
pub(crate) enum Escape {
    /// A character.
    Char(char),
    /// Half of a surrogate pair: grammatical JSON that no Unicode string can hold.
    Lone(u16),
}

/// Reads the escape whose backslash is at `at`: what it stands for and the position behind it. `None` when
/// the grammar has no such escape.
pub(crate) fn read_escape(bytes: &[u8], at: usize) -> Option<(Escape, usize)> {
    let plain = match bytes.get(at + 1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_unicode_escape(bytes, at),
        _ => return None,
    };
    Some((Escape::Char(plain), at + 2))
}

fn read_unicode_escape(bytes: &[u8], at: usize) -> Option<(Escape, usize)> {
    let unit = hex4(bytes, at + 2)?;
    let end = at + 6;
    if let Some(character) = char::from_u32(unit) {
        return Some((Escape::Char(character), end));
    }
    let is_high = (0xD800..0xDC00).contains(&unit);
    if is_high && bytes.get(end) == Some(&b'\\') && bytes.get(end + 1) == Some(&b'u') {
        let low = hex4(bytes, end + 2)?;
        if (0xDC00..0xE000).contains(&low) {
            let joined = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return char::from_u32(joined).map(|character| (Escape::Char(character), end + 6));
        }
    }
    u16::try_from(unit).ok().map(|unit| (Escape::Lone(unit), end))
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}

/// A string token: its content is `start..end`, between the quotes.
#[derive(Clone, Copy)]
pub(crate) struct StringToken {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether any backslash is inside.
    pub(crate) escaped: bool,
}

/// Reads the string whose opening quote is at `at`. `None` when the grammar has no such string.
pub(crate) fn read_string(bytes: &[u8], at: usize) -> Option<StringToken> {
    let start = at + 1;
    let mut escaped = false;
    let mut end = start;
    loop {
        end = find_special(bytes, end);
        match bytes.get(end)? {
            b'"' => return Some(StringToken { start, end, escaped }),
            b'\\' => {
                escaped = true;
                end = read_escape(bytes, end)?.1;
            }
            _ => return None,
        }
    }
}

/// The characters of an escaped string's content; `None` when half a surrogate pair is among them.
pub(crate) fn unescape(content: &str) -> Option<String> {
    String::from_utf8(unescape_wtf8(content.as_bytes())).ok()
}

/// The characters of an escaped string's content as WTF-8, which is UTF-8 but for halves of surrogate pairs.
/// The content is grammatical.
pub(crate) fn unescape_wtf8(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut at = 0;
    while let Some(&byte) = content.get(at) {
        match if byte == b'\\' { read_escape(content, at) } else { None } {
            Some((Escape::Char(character), end)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at = end;
            }
            Some((Escape::Lone(unit), end)) => {
                let [high, low] = unit.to_be_bytes();
                out.extend_from_slice(&[0xED, 0x80 | (high << 2 & 0x3C) | (low >> 6), 0x80 | (low & 0x3F)]);
                at = end;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// How ECMAScript escapes an ASCII character inside a string, or `None` where it writes it as it is.
pub(crate) fn escape(byte: u8) -> Option<EscapeText> {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        0x00..=0x1f => {
            let text = [b'\\', b'u', b'0', b'0', b'0' + (byte >> 4), HEX[(byte & 15) as usize]];
            return Some(EscapeText { text, len: 6 });
        }
        _ => return None,
    };
    Some(EscapeText { text: [b'\\', short, 0, 0, 0, 0], len: 2 })
}

const HEX: [u8; 16] = *b"0123456789abcdef";

/// An escape as ECMAScript writes it, two or six bytes.
pub(crate) struct EscapeText {
    text: [u8; 6],
    len: usize,
}

impl EscapeText {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.text[..self.len]
    }
}
