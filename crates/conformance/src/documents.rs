//! Random JSON text of every kind a client may come up with, named by a seed.

use std::fmt::Write as _;

/// SplitMix64: small, and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(from.len() as u64)).unwrap_or_default();
        from.get(at).copied().unwrap_or_default()
    }
}

const BLANKS: &[&str] = &["", "", "", "", " ", "\t", "\n", "\r\n", "  "];
/// Pieces of strings that stand for themselves.
const PLAIN: &[&str] = &[
    "a",
    "id",
    "Z",
    "0",
    "10",
    "9",
    "é",
    "e\u{301}",
    "東京",
    "서울",
    "\u{7f}",
    "\u{80}",
    "\u{9f}",
    "\u{2028}",
    "\u{fb01}",
    "\u{e000}",
    "\u{fffd}",
    "\u{ffff}",
    "🚀",
    "😀",
    " ",
    "/",
    "<&>",
    "__proto__",
    "constructor",
    "'",
];
const ESCAPES: &[&str] = &[
    r"\n",
    r"\t",
    r"\b",
    r"\f",
    r"\r",
    r#"\""#,
    r"\\",
    r"\/",
    r"\u0000",
    r"\u001f",
    r"\u001F",
    r"\u0061",
    r"\u00e9",
    r"\u20AC",
    r"\ud83d\ude80",
    r"\uD83D\uDE00",
    r"\ue000",
    r"\uffee",
    r"\u2029",
    r"\u007f",
];
/// Halves of surrogate pairs.
const HALVES: &[&str] = &[r"\ud800", r"\udfff", r"\ude80\ud83d", r"\ud83d\n", r"\ud83dx"];
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1e0",
    "1E+2",
    "2e-3",
    "4.50",
    "10.0",
    "1e16",
    "1e20",
    "1e21",
    "1e22",
    "9007199254740991",
    "9007199254740993",
    "-9007199254740993",
    "123456789012345678901234567890",
    "999999999999999868928",
    "999999999999999900000",
    "0.000001",
    "0.0000001",
    "0.0000009999999999999999",
    "5e-324",
    "2e-324",
    "1e-400",
    "1.7976931348623157e308",
    "333333333.33333329",
    "0.1",
    "0.30000000000000004",
    "9007199254740994.5",
    "0e999",
    "8886850931342.312",
    "1888570120608320.2",
    "0.49003237088162277",
];
const TOO_LARGE: &[&str] = &["1e309", "-1e400", "1.7976931348623159e308"];

/// A document. Some have no canonical form.
pub(crate) fn document(random: &mut Random) -> String {
    let mut out = String::new();
    match random.below(200) {
        0 => deep(random, &mut out),
        1 => out.push_str(
            random.pick(&["{\"a\":", "[1,]", "{} x", "{'a':1}", "[01]", "nul", "\"a", "[1 2]", "+1", ".5"]),
        ),
        _ => value(random, 6, &mut out),
    }
    out
}

/// Around the deepest nesting that is representable.
fn deep(random: &mut Random, out: &mut String) {
    let depth = 120 + random.below(16);
    let objects = random.below(2) == 0;
    for _ in 0..depth {
        out.push_str(if objects { "{\"a\":" } else { "[" });
    }
    out.push('1');
    for _ in 0..depth {
        out.push(if objects { '}' } else { ']' });
    }
}

fn blank(random: &mut Random, out: &mut String) {
    out.push_str(random.pick(BLANKS));
}

fn value(random: &mut Random, depth: u32, out: &mut String) {
    blank(random, out);
    match random.below(if depth == 0 { 6 } else { 12 }) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 | 2 => string(random, out),
        3..=5 => number(random, out),
        6..=8 => container(random, depth, out, false),
        _ => container(random, depth, out, true),
    }
    blank(random, out);
}

fn container(random: &mut Random, depth: u32, out: &mut String, is_object: bool) {
    out.push(if is_object { '{' } else { '[' });
    blank(random, out);
    for index in 0..random.below(5) {
        if index > 0 {
            out.push(',');
        }
        if is_object {
            blank(random, out);
            string(random, out);
            blank(random, out);
            out.push(':');
        }
        value(random, depth - 1, out);
    }
    out.push(if is_object { '}' } else { ']' });
}

fn string(random: &mut Random, out: &mut String) {
    out.push('"');
    let pieces = if random.below(20) == 0 { 30 } else { random.below(4) };
    for _ in 0..pieces {
        out.push_str(match random.below(500) {
            0 => random.pick(HALVES),
            1..=100 => random.pick(ESCAPES),
            _ => random.pick(PLAIN),
        });
    }
    out.push('"');
}

fn number(random: &mut Random, out: &mut String) {
    let _ = match random.below(10) {
        0 | 1 => write!(out, "{}", random.below(1_000)),
        2 => write!(out, "-{}", random.next()),
        // Any double there is.
        3 | 4 => match f64::from_bits(random.next()) {
            double if double.is_finite() => write!(out, "{double:e}"),
            _ => write!(out, "0"),
        },
        5 => write!(out, "{}.{:06}", random.below(100_000), random.below(1_000_000)),
        6 => write!(out, "{}.{}e{}", random.below(10), random.next(), random.below(40)),
        7 => write!(out, "{}.{}E-{}", random.below(10), random.next(), random.below(40)),
        8 if random.below(100) == 0 => write!(out, "{}", random.pick(TOO_LARGE)),
        _ => write!(out, "{}", random.pick(NUMBERS)),
    };
}
