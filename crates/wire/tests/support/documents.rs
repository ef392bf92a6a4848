//! Random JSON text of every kind a sender may come up with, and a slow way to its canonical form.

use std::fmt::Write as _;

use serde_json::Value;

/// A small random number generator, so that a document is named by its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// SplitMix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap_or_default()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const BLANKS: &[&str] = &["", "", "", "", "", " ", "  ", "\n", "\t", "\r\n", " \n\t\r "];
const PLAIN: &[&str] = &[
    "a", "b", "id", "name", "query", "limit", "A", "_", "0", "10", "9", "é", "東京", "\u{e000}", "\u{ffee}",
    "😀", "🚀", "\u{2028}", "\u{7f}", "\u{80}", "\u{ffff}", " ", "/", "<",
];
const ESCAPED: &[&str] = &[
    "\\n",
    "\\t",
    "\\b",
    "\\f",
    "\\r",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u0061",
    "\\u000a",
    "\\u000A",
    "\\u001f",
    "\\u0000",
    "\\u00e9",
    "\\u20AC",
    "\\ud83d\\ude80",
    "\\uD83D\\uDE00",
    "\\ue000",
    "\\uffee",
    "\\u002f",
];
const LONE: &[&str] =
    &["\\ud800", "\\udc00", "\\ude80\\ud83d", "\\ud800x", "\\ud800\\n", "\\ud800\\ud800\\udc00"];
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "0.0",
    "-0.0",
    "1.0",
    "1e0",
    "1E3",
    "1e+2",
    "2e-3",
    "4.50",
    "100000000000000000000",
    "1e21",
    "1e20",
    "123456789012345678901234567890",
    "9007199254740993",
    "9007199254740992",
    "-9007199254740993",
    "999999999999999",
    "1000000000000000",
    "0.000001",
    "0.0000001",
    "0.00000100",
    "0.1234567890123456789",
    "123456789.12345",
    "123456789012345.5",
    "0.30000000000000004",
    "5e-324",
    "4.9e-324",
    "1e-400",
    "1.7976931348623157e308",
    "333333333.33333329",
    "8886850931342.312",
    "0e400",
    "-1.5e-9",
];

/// A document. Some hold what has no canonical form; all are grammatical.
pub(crate) fn document(random: &mut Random) -> String {
    let mut out = String::new();
    let depth = if random.below(50) == 0 { 60 } else { 5 };
    value(random, depth, &mut out);
    out
}

fn blank(random: &mut Random, out: &mut String) {
    out.push_str(random.pick(BLANKS));
}

fn value(random: &mut Random, depth: usize, out: &mut String) {
    blank(random, out);
    let kinds = if depth == 0 {
        6
    } else if depth > 5 {
        40
    } else {
        11
    };
    match random.below(kinds) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 | 2 => string(random, out),
        3..=5 => number(random, out),
        kind if kind % 2 == 0 => container(random, depth, out, '[', ']'),
        _ => container(random, depth, out, '{', '}'),
    }
    blank(random, out);
}

fn container(random: &mut Random, depth: usize, out: &mut String, open: char, close: char) {
    out.push(open);
    let most = if depth > 5 { 2 } else { 6 };
    let count = random.below(most);
    for index in 0..count {
        if index > 0 {
            out.push(',');
        }
        if open == '{' {
            blank(random, out);
            string(random, out);
            blank(random, out);
            out.push(':');
        }
        value(random, depth - 1, out);
    }
    if count == 0 {
        blank(random, out);
    }
    out.push(close);
}

fn string(random: &mut Random, out: &mut String) {
    out.push('"');
    let pieces = match random.below(12) {
        0 => 0,
        1 => 40,
        _ => 1 + random.below(3),
    };
    for _ in 0..pieces {
        out.push_str(match random.below(12) {
            0..=8 => random.pick(PLAIN),
            9 | 10 => random.pick(ESCAPED),
            _ if random.below(60) == 0 => random.pick(LONE),
            _ => "xyz",
        });
    }
    out.push('"');
}

fn number(random: &mut Random, out: &mut String) {
    let _ = match random.below(10) {
        0..=2 => write!(out, "{}", random.below(1000)),
        3 => write!(out, "{}", random.next()),
        // Any double, in a form of many digits.
        4 => match f64::from_bits(random.next()) {
            double if double.is_finite() => write!(out, "{double:e}"),
            _ => write!(out, "0"),
        },
        5 => write!(out, "{}.{}", random.below(100_000), random.below(1_000_000)),
        6 => write!(out, "-{}.{}e{}", random.below(10), random.next(), random.below(30)),
        7 if random.below(60) == 0 => write!(out, "1e400"),
        _ => write!(out, "{}", random.pick(NUMBERS)),
    };
}

/// The canonical form the obvious way, for comparison.
pub(crate) fn slow_canonical(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => ryu_js::Buffer::new().format(number.as_f64().unwrap_or(f64::NAN)).to_owned(),
        Value::String(text) => slow_string(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(slow_canonical).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| key.encode_utf16().collect::<Vec<_>>());
            let members =
                members.iter().map(|(key, value)| format!("{}:{}", slow_string(key), slow_canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

fn slow_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|character| match character {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\u{8}' => "\\b".to_owned(),
            '\t' => "\\t".to_owned(),
            '\n' => "\\n".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            '\r' => "\\r".to_owned(),
            '\0'..='\x1f' => format!("\\u{:04x}", u32::from(character)),
            other => other.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
