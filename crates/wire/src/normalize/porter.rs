//! M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), 1980: the paper as printed, without its
//! author's later departures.

use std::borrow::Cow;

/// The stem of a word of letters a–z. Other words come back as they are.
#[must_use]
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut stemmer = Stemmer { word: word.to_owned() };
    stemmer.plural();
    stemmer.past_and_progressive();
    stemmer.final_y();
    stemmer.first_match(&STEP_2, |stem| measure(stem) > 0);
    stemmer.first_match(&STEP_3, |stem| measure(stem) > 0);
    stemmer.strip_suffix();
    stemmer.final_e();
    stemmer.double_l();
    Cow::Owned(stemmer.word)
}

/// A suffix and what takes its place.
type Rule = (&'static str, &'static str);

/// Longer suffixes come before those they end in: the longest match decides, whether or not it applies.
const STEP_2: [Rule; 20] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [Rule; 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
];

struct Stemmer {
    word: String,
}

impl Stemmer {
    /// What is before `suffix`, if the word ends in it.
    fn before(&self, suffix: &str) -> Option<&str> {
        self.word.strip_suffix(suffix)
    }

    /// Puts `ending` in place of the last `len` letters.
    fn replace_last(&mut self, len: usize, ending: &str) {
        self.word.truncate(self.word.len() - len);
        self.word.push_str(ending);
    }

    /// Step 1a.
    fn plural(&mut self) {
        if self.word.ends_with("sses") || self.word.ends_with("ies") {
            self.replace_last(2, "");
        } else if self.word.ends_with('s') && !self.word.ends_with("ss") {
            self.replace_last(1, "");
        }
    }

    /// Step 1b.
    fn past_and_progressive(&mut self) {
        if let Some(stem) = self.before("eed") {
            if measure(stem) > 0 {
                self.replace_last(1, "");
            }
            return;
        }
        let suffix = match (self.before("ed"), self.before("ing")) {
            (Some(stem), _) if has_vowel(stem) => 2,
            (_, Some(stem)) if has_vowel(stem) => 3,
            _ => return,
        };
        self.replace_last(suffix, "");
        if ["at", "bl", "iz"].iter().any(|ending| self.word.ends_with(ending)) {
            self.word.push('e');
        } else if ends_in_double_consonant(&self.word) {
            if !self.word.ends_with(['l', 's', 'z']) {
                self.replace_last(1, "");
            }
        } else if measure(&self.word) == 1 && ends_in_cvc(&self.word) {
            self.word.push('e');
        }
    }

    /// Step 1c.
    fn final_y(&mut self) {
        if self.before("y").is_some_and(has_vowel) {
            self.replace_last(1, "i");
        }
    }

    /// Steps 2 and 3: the longest suffix that matches is replaced if what is before it satisfies `condition`.
    fn first_match(&mut self, rules: &[Rule], condition: impl Fn(&str) -> bool) {
        let matching = rules.iter().filter(|(suffix, _)| self.word.ends_with(suffix));
        if let Some((suffix, ending)) = matching.max_by_key(|(suffix, _)| suffix.len())
            && self.before(suffix).is_some_and(condition)
        {
            self.replace_last(suffix.len(), ending);
        }
    }

    /// Step 4.
    fn strip_suffix(&mut self) {
        let matching = STEP_4.iter().filter(|suffix| self.word.ends_with(**suffix));
        let Some(suffix) = matching.max_by_key(|suffix| suffix.len()) else { return };
        let applies = |stem: &str| measure(stem) > 1 && (*suffix != "ion" || stem.ends_with(['s', 't']));
        if self.before(suffix).is_some_and(applies) {
            self.replace_last(suffix.len(), "");
        }
    }

    /// Step 5a.
    fn final_e(&mut self) {
        let Some(stem) = self.before("e") else { return };
        let measure = measure(stem);
        if measure > 1 || (measure == 1 && !ends_in_cvc(stem)) {
            self.replace_last(1, "");
        }
    }

    /// Step 5b.
    fn double_l(&mut self) {
        if self.word.ends_with("ll") && measure(&self.word) > 1 {
            self.replace_last(1, "");
        }
    }
}

/// Whether each letter is a consonant: `y` is one at the start and after a vowel.
fn consonants(stem: &str) -> impl Iterator<Item = bool> {
    stem.bytes().scan(false, |after_consonant, letter| {
        let is_consonant = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !*after_consonant,
            _ => true,
        };
        *after_consonant = is_consonant;
        Some(is_consonant)
    })
}

/// Porter's m: how many times a run of vowels is followed by a run of consonants.
fn measure(stem: &str) -> usize {
    let mut after_vowel = false;
    let mut count = 0;
    for is_consonant in consonants(stem) {
        count += usize::from(after_vowel && is_consonant);
        after_vowel = !is_consonant;
    }
    count
}

fn has_vowel(stem: &str) -> bool {
    consonants(stem).any(|is_consonant| !is_consonant)
}

fn ends_in_double_consonant(stem: &str) -> bool {
    let letters = stem.as_bytes();
    matches!(letters, [.., a, b] if a == b) && consonants(stem).last() == Some(true)
}

/// Porter's *o: consonant, vowel, consonant at the end, the last one not w, x or y.
fn ends_in_cvc(stem: &str) -> bool {
    let from = stem.len().saturating_sub(3);
    let mut last = consonants(stem).skip(from);
    stem.len() >= 3
        && last.next() == Some(true)
        && last.next() == Some(false)
        && last.next() == Some(true)
        && !stem.ends_with(['w', 'x', 'y'])
}
