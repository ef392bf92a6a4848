"""Hashes of descriptions: of the wording, and of its meaning-bearing words."""

from __future__ import annotations

import re
import string

from .canonical import hash12, utf16_order
from .porter import stem
from .stop_words import STOP_WORDS

# Runs of ASCII letters, digits and everything from U+0080 up except the punctuation blocks
# U+00A0-00BF, U+2000-206F and U+3000-303F.
_TOKEN = re.compile(
    "[a-z0-9\u0080-\u009f\u00c0-\u1fff\u2070-\u2fff\u3040-\U0010ffff]+",
)
_STEMMED = re.compile("[a-z]{4,}")
# Only A-Z: full case folding differs between languages' libraries and Unicode versions.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def description_tokens(description: str) -> list[str]:
    """The tokens a description is compared by: lowercase, stemmed, sorted, repeats kept."""
    tokens = [
        stem(token) if _STEMMED.fullmatch(token) else token
        for token in _TOKEN.findall(description.translate(_LOWER))
        if token not in STOP_WORDS
    ]
    return sorted(tokens, key=utf16_order)


def description_norm(description: str) -> str | None:
    """Hash of a description's words in any order, or ``None`` if none is left."""
    tokens = description_tokens(description)
    return hash12(" ".join(tokens)) if tokens else None


def description_hash(description: str) -> str | None:
    """Hash of a description's exact wording, or ``None`` if it is empty."""
    return hash12(description) if description else None
