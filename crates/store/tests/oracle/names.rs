//! The names random streams are made of.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::subsequence;

/// Moments worth starting at (milliseconds since 1970).
pub const ERAS: &[i64] = &[
    1_774_741_800_000, // 2026-03-28T23:50:00Z, the night clocks go forward in Berlin
    1_761_433_800_000, // 2025-10-25T23:10:00Z, the night they go back
    1_762_045_800_000, // 2025-11-02T01:10:00Z, the night they go back in St John's
    1_772_926_200_000, // 2026-03-07T23:30:00Z, the night they go forward there
    1_325_237_400_000, // 2011-12-30T09:30:00Z, as Apia is about to skip a day
    1_767_225_000_000, // 2025-12-31T23:50:00Z
    1_772_323_140_000, // 2026-02-28T23:59:00Z
    1_779_796_800_000, // 2026-05-26T12:00:00Z
];

/// Names of tools: look-alikes, quotes, wildcards of SQL, right to left, beyond the BMP, and long.
pub const TOOLS: &[&str] = &[
    "search",
    "Search",
    "get_order",
    "it's \"quoted\"; --",
    "100%_off",
    "\u{5d7}\u{5d9}\u{5e4}\u{5d5}\u{5e9}",
    "\u{1f680}launch",
    "\u{ff5e}wide",
    "caf\u{e9}",
    "cafe\u{301}",
    LONG,
    " ",
    "(other)",
];

/// Names of clients.
pub const CLIENTS: &[&str] =
    &["unknown", "cursor", "claude-desktop", "\u{645}\u{631}\u{62d}\u{628}\u{627}", "\u{1f916}"];

/// Session ids.
pub const SESSIONS: &[&str] =
    &["s_000000000001", "s_000000000002", "s_00000000000a", "s'; drop table calls", "\u{4f1a}\u{8bdd}"];

/// Fields that tools are declared to agree about.
pub const FIELDS: &[&str] = &["price", "stock", "\u{5de}\u{5d7}\u{5d9}\u{5e8}"];

/// Two hundred code points.
const LONG: &str = concat!(
    "long_long_long_long_long_long_long_long_long_long_",
    "long_long_long_long_long_long_long_long_long_long_",
    "long_long_long_long_long_long_long_long_long_long_",
    "long_long_long_long_long_long_long_long_long_lon\u{1f40d}e"
);

/// A few of these names.
pub fn some(names: &'static [&'static str], count: Range<usize>) -> impl Strategy<Value = Vec<String>> {
    subsequence(names, count).prop_map(|names| names.into_iter().map(str::to_owned).collect())
}
