//! Normalised descriptions: against a slow tokeniser, and alike however the words are ordered, separated or cased.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::normalize::{STOP_WORDS, description_hash, description_norm, stem, tokens};
use mcpulse_wire::text::cut;

fn is_word_character(character: char) -> bool {
    let separates = matches!(u32::from(character), 0xA0..=0xBF | 0x2000..=0x206F | 0x3000..=0x303F);
    character.is_ascii_alphanumeric() || (!character.is_ascii() && !separates)
}

/// The runs, lowercase, in the order of the text.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in text.chars() {
        if is_word_character(character) {
            words.last_mut().expect("never empty").push(character.to_ascii_lowercase());
        } else {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fuzz_target!(|text: &str| {
    let ours = tokens(text);
    let words = words(text);
    let mut expected: Vec<String> = words
        .iter()
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
        .map(|word| {
            let is_stemmed = word.chars().count() >= 4 && word.chars().all(|letter| letter.is_ascii_lowercase());
            if is_stemmed { stem(word).into_owned() } else { word.clone() }
        })
        .collect();
    expected.sort_by_key(|token| token.encode_utf16().collect::<Vec<_>>());
    assert_eq!(ours, expected);

    for word in &words {
        let stem = stem(word);
        assert!(!stem.is_empty() && stem.len() <= word.len());
    }
    let reversed: Vec<&str> = words.iter().rev().map(String::as_str).collect();
    assert_eq!(tokens(&reversed.join(" \u{2003}…--")), ours);
    assert_eq!(tokens(&text.to_ascii_uppercase()), ours);

    let norm = description_norm(Some(text));
    assert_eq!(norm, (!ours.is_empty()).then(|| Hash12::of_bytes(ours.join(" ").as_bytes())));
    assert_eq!(description_hash(Some(text)).is_none(), text.is_empty());
    assert_eq!(cut(text, 7), text.chars().take(7).collect::<String>());
});
