//! Numbers: IEEE doubles, written as ECMAScript writes them.

use serde_json::Number;

/// Beyond 2^53 a double no longer holds every integer.
const SAFE_INTEGER: u64 = 1 << 53;

/// A number token.
#[derive(Clone, Copy)]
pub(crate) struct NumberToken {
    pub(crate) end: usize,
    /// Whether ECMAScript is certain to write the number as the token has it. False leaves it open.
    pub(crate) canonical: bool,
}

/// Reads the number at `at`. `None` when the grammar has no such number.
pub(crate) fn read_number(bytes: &[u8], at: usize) -> Option<NumberToken> {
    let negative = bytes.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let mut end = match bytes.get(first)? {
        b'0' => first + 1,
        b'1'..=b'9' => skip_digits(bytes, first + 1),
        _ => return None,
    };
    let leading_zero = bytes.get(first) == Some(&b'0');
    let mut digits = end - first;
    // At most 15 digits: every such integer is exact in a double.
    let mut canonical = digits <= 15 && !(negative && leading_zero);
    if bytes.get(end) == Some(&b'.') {
        let point = end;
        end = skip_digits(bytes, point + 1);
        if end == point + 1 {
            return None;
        }
        let zeros = if leading_zero { count_zeros(bytes, point + 1) } else { 0 };
        digits = digits - usize::from(leading_zero) + (end - point - 1) - zeros;
        // Decimals of at most 15 significant digits map to doubles one to one, so the shortest text that
        // reads back is this one, unless it ends in a zero or ECMAScript turns to an exponent.
        canonical = digits <= 15 && zeros < 6 && bytes.get(end - 1) != Some(&b'0');
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        end = skip_digits(bytes, exponent);
        if end == exponent {
            return None;
        }
        canonical = false;
    }
    Some(NumberToken { end, canonical })
}

fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

fn count_zeros(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take_while(|&&byte| byte == b'0').count()
}

/// A number's text, ready to be written.
pub(crate) struct NumberText {
    double: ryu_js::Buffer,
    integer: itoa::Buffer,
}

impl NumberText {
    pub(crate) fn new() -> Self {
        Self { double: ryu_js::Buffer::new(), integer: itoa::Buffer::new() }
    }

    /// A double as ECMAScript writes it; `None` when it is not finite.
    pub(crate) fn double(&mut self, value: f64) -> Option<&str> {
        value.is_finite().then(|| self.double.format_finite(value))
    }

    /// A parsed number as ECMAScript writes it; `None` when it is past the largest double.
    pub(crate) fn number(&mut self, number: &Number) -> Option<&str> {
        if let Some(value) = number.as_i64()
            && value.unsigned_abs() <= SAFE_INTEGER
        {
            return Some(self.integer.format(value));
        }
        self.double(number.as_f64()?)
    }
}
