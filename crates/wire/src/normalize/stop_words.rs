//! Words that say nothing about a tool.

/// The stop words of `spec/description-norm.json`, sorted.
#[rustfmt::skip] // One word a line would be a hundred lines.
pub const STOP_WORDS: [&str; 108] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "both", "but", "by", "can", "could", "do", "does", "each", "either", "every", "for", "from", "had",
    "has", "have", "he", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "may", "me", "more",
    "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other", "our",
    "out", "over", "own", "per", "shall", "she", "should", "so", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under",
    "until", "up", "upon", "us", "very", "via", "was", "we", "were", "what", "when", "where", "whether",
    "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "would", "you",
    "your", "yours",
];
