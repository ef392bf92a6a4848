//! Normalised descriptions: the same words in another order or inflection give the same hash.

mod porter;
mod stop_words;

use std::borrow::Cow;

use crate::hash::Hash12;
use crate::json::order::utf16_cmp;

pub use porter::stem;
pub use stop_words::STOP_WORDS;

/// `description_hash`: the hash of the description's UTF-8 bytes; none without a description or with an empty
/// one.
#[must_use]
pub fn description_hash(description: Option<&str>) -> Option<Hash12> {
    description.filter(|text| !text.is_empty()).map(|text| Hash12::of_bytes(text.as_bytes()))
}

/// `description_norm`: the hash of the description's tokens, joined with one space; none when no token is left.
#[must_use]
pub fn description_norm(description: Option<&str>) -> Option<Hash12> {
    let tokens = tokens(description?);
    (!tokens.is_empty()).then(|| Hash12::of_bytes(tokens.join(" ").as_bytes()))
}

/// The tokens of a description: runs of ASCII letters, digits and other characters from U+0080 on, lowercase
/// A–Z only, without stop words, stemmed where they are four or more letters a–z, sorted by UTF-16 code
/// units. Repeats are kept.
#[must_use]
pub fn tokens(description: &str) -> Vec<String> {
    let mut tokens: Vec<String> = description
        .split(is_separator)
        .filter(|run| !run.is_empty())
        .map(str::to_ascii_lowercase)
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
        .map(stem_if_word)
        .collect();
    tokens.sort_by(|a, b| utf16_cmp(a.as_bytes(), b.as_bytes()));
    tokens
}

fn is_separator(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => false,
        '\u{00A0}'..='\u{00BF}' | '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' => true,
        other => other.is_ascii(),
    }
}

fn stem_if_word(word: String) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    match stem(&word) {
        Cow::Borrowed(same) if same.len() == word.len() => word,
        stemmed => stemmed.into_owned(),
    }
}
