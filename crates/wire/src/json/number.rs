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
    short: [u8; 24],
}

impl NumberText {
    pub(crate) fn new() -> Self {
        Self { double: ryu_js::Buffer::new(), integer: itoa::Buffer::new(), short: [0; 24] }
    }

    /// A double as ECMAScript writes it; `None` when it is not finite.
    pub(crate) fn double(&mut self, value: f64) -> Option<&[u8]> {
        match thousandths(value) {
            Some(thousandths) => Some(self.thousandths(value.is_sign_negative(), thousandths)),
            None => value.is_finite().then(|| self.double.format_finite(value).as_bytes()),
        }
    }

    /// A parsed number as ECMAScript writes it; `None` when it is past the largest double.
    pub(crate) fn number(&mut self, number: &Number) -> Option<&[u8]> {
        if let Some(value) = number.as_i64()
            && value.unsigned_abs() <= SAFE_INTEGER
        {
            return Some(self.integer.format(value).as_bytes());
        }
        self.double(number.as_f64()?)
    }

    fn thousandths(&mut self, negative: bool, thousandths: u64) -> &[u8] {
        let whole = self.integer.format(thousandths / 1000).as_bytes();
        let places = [thousandths / 100 % 10, thousandths / 10 % 10, thousandths % 10];
        let mut end = 0;
        let mut put = |byte: u8| {
            if let Some(slot) = self.short.get_mut(end) {
                *slot = byte;
                end += 1;
            }
        };
        if negative && thousandths > 0 {
            put(b'-');
        }
        whole.iter().for_each(|&digit| put(digit));
        let count = decimal_places(thousandths);
        if count > 0 {
            put(b'.');
        }
        places.iter().take(count).for_each(|&digit| put(b"0123456789"[(digit % 10) as usize]));
        self.short.get(..end).unwrap_or_default()
    }
}

/// The length of a parsed number as ECMAScript writes it; `None` when it is past the largest double.
pub(crate) fn number_units(number: &Number) -> Option<usize> {
    if let Some(value) = number.as_i64()
        && value.unsigned_abs() <= SAFE_INTEGER
    {
        return Some(usize::from(value < 0) + digits(value.unsigned_abs()));
    }
    let value = number.as_f64()?;
    match thousandths(value) {
        Some(0) => Some(1),
        Some(thousandths) => {
            let places = decimal_places(thousandths);
            let fraction = if places > 0 { places + 1 } else { 0 };
            Some(usize::from(value < 0.0) + digits(thousandths / 1000) + fraction)
        }
        None => NumberText::new().double(value).map(<[u8]>::len),
    }
}

/// Decimal digits of an integer.
fn digits(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// How many of the three decimal places ECMAScript writes.
fn decimal_places(thousandths: u64) -> usize {
    match thousandths {
        whole if whole.is_multiple_of(1000) => 0,
        tenths if tenths.is_multiple_of(100) => 1,
        hundredths if hundredths.is_multiple_of(10) => 2,
        _ => 3,
    }
}

/// The magnitude of a double that is a decimal of at most three places and fifteen digits, as most are, in
/// thousandths.
///
/// A quotient of two integers that doubles hold is rounded as the decimal is when it is read, so equality means
/// that the decimal reads as this double. And of at most fifteen digits no two decimals read as the same double,
/// so this is the shortest that does.
fn thousandths(value: f64) -> Option<u64> {
    let magnitude = value.abs();
    if magnitude.is_nan() || magnitude >= 1e12 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "below 1e15 + 1")]
    let nearest = (magnitude * 1000.0 + 0.5) as i64;
    #[allow(clippy::cast_precision_loss, reason = "below 1e15 + 1, which doubles hold")]
    let is_same = nearest as f64 / 1000.0 == magnitude;
    if is_same { u64::try_from(nearest).ok() } else { None }
}
