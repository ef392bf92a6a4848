"""M. F. Porter, "An algorithm for suffix stripping" (1980), as published.

Without the departures of later implementations.
"""

from __future__ import annotations

from collections.abc import Iterable

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}

_STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}

_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment"),
    *("ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


def stem(word: str) -> str:
    """The stem of a lowercase word of a-z."""
    word = _step_1b(_step_1a(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    return _step_5(_step_4(word))


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("ss") or not word.endswith("s"):
        return word
    return word[:-1]


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if word.endswith("ed"):
        rest = word[:-2]
    elif word.endswith("ing"):
        rest = word[:-3]
    else:
        return word
    if not _has_vowel(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _ends_in_double_consonant(rest) and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_in_short_syllable(rest) else rest


def _replace(word: str, rules: dict[str, str]) -> str:
    """The longest suffix decides; if its condition fails, no other rule is tried."""
    suffix = _longest_suffix(word, rules)
    if not suffix:
        return word
    rest = word[: -len(suffix)]
    return rest + rules[suffix] if _measure(rest) > 0 else word


def _step_4(word: str) -> str:
    suffix = _longest_suffix(word, _STEP_4)
    if not suffix:
        return word
    rest = word[: -len(suffix)]
    if _measure(rest) <= 1 or (suffix == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_in_short_syllable(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _longest_suffix(word: str, suffixes: Iterable[str]) -> str:
    return max((suffix for suffix in suffixes if word.endswith(suffix)), key=len, default="")


def _is_consonant(word: str, at: int) -> bool:
    """A ``y`` is a vowel after a consonant, and a consonant elsewhere."""
    consonant = word[at] not in "aeiou"
    if word[at] != "y":
        return consonant
    # Each y of a run is the other of what is before it.
    start = at
    while start > 0 and word[start - 1] == "y":
        start -= 1
    first = start == 0 or word[start - 1] in "aeiou"
    return first == ((at - start) % 2 == 0)


def _has_vowel(word: str) -> bool:
    return not all(_is_consonant(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    """Porter's m: how many times a run of vowels is followed by a run of consonants."""
    measure = 0
    after_vowel = False
    for at in range(len(word)):
        consonant = _is_consonant(word, at)
        if consonant and after_vowel:
            measure += 1
        after_vowel = not consonant
    return measure


def _ends_in_double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_in_short_syllable(word: str) -> bool:
    """Porter's *o: consonant, vowel, consonant at the end, the last not w, x or y."""
    last = len(word) - 1
    return (
        last >= 2
        and _is_consonant(word, last)
        and not _is_consonant(word, last - 1)
        and _is_consonant(word, last - 2)
        and word[last] not in "wxy"
    )
