//! The SQL files of the embedded engine, put together from their parts.
//!
//! Only fixed texts of this crate and numbers are ever put together; whatever a user said is bound or inserted as a
//! value. What is kept worked out and what a question works out itself are made of the same parts.

/// The text of a file: of a metric, or of what keeps metrics worked out.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/metrics/duckdb/", $name, ".sql"))
    };
}
/// The text of a file that keeps metrics worked out.
macro_rules! settle_file {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/duckdb/settle/", $name, ".sql"))
    };
}
pub(crate) use {file, settle_file};

/// Parts that are in several files, outer ones first.
const PARTS: [(&str, &str); 15] = [
    ("accepted", file!("accepted")),
    ("arrived", file!("arrived")),
    ("bins", file!("bins")),
    ("startups_in_use", file!("startups_in_use")),
    ("shape_contributions", file!("shape_contributions")),
    ("contributions", file!("contributions")),
    ("matching", file!("matching")),
    ("facts", file!("facts")),
    ("startup_of_call", file!("startup_of_call")),
    ("surface_entries", file!("surface_entries")),
    // Small ones, which values may contain.
    ("touched", settle_file!("touched")),
    ("latest", file!("latest")),
    ("good", file!("good")),
    ("hour", file!("hour")),
    ("width", file!("width")),
];

/// Puts parts and values into a text's `{places}`.
pub(crate) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let place = |text: String, name: &str, part: &str| {
        let place = format!("{{{name}}}");
        if text.contains(&place) { text.replace(&place, part.trim_end()) } else { text }
    };
    let parts = |text: String| PARTS.iter().fold(text, |text, (name, part)| place(text, name, part));
    let own = values.iter().fold(text.to_owned(), |text, (name, value)| place(text, name, value));
    let whole = parts(own);
    // Parts have places of their own, and so have values.
    parts(values.iter().fold(whole, |text, (name, value)| place(text, name, value)))
}
