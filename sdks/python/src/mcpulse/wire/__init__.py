"""The pure half of the producer: canonical form, hashes, sizes, emptiness; no input or output."""

from .canonical import (
    DEPTH_LIMIT,
    EMPTY_ARGS_HASH,
    NOT_REPRESENTABLE_HASH,
    args_hash,
    canonical_hash,
    canonicalize,
    canonicalize_args_text,
    canonicalize_text,
    hash12,
    parse,
)
from .description import description_hash, description_norm, description_tokens
from .empty import is_empty_result
from .numbers import number_text
from .payloads import Outcome, Policy
from .porter import stem
from .sizes import ResultSize, result_size, text_units, utf16_length, value_units
from .stop_words import STOP_WORDS
from .tool import describe_tool

__all__ = [
    "DEPTH_LIMIT",
    "EMPTY_ARGS_HASH",
    "NOT_REPRESENTABLE_HASH",
    "STOP_WORDS",
    "Outcome",
    "Policy",
    "ResultSize",
    "args_hash",
    "canonical_hash",
    "canonicalize",
    "canonicalize_args_text",
    "canonicalize_text",
    "describe_tool",
    "description_hash",
    "description_norm",
    "description_tokens",
    "hash12",
    "is_empty_result",
    "number_text",
    "parse",
    "result_size",
    "stem",
    "text_units",
    "utf16_length",
    "value_units",
]
