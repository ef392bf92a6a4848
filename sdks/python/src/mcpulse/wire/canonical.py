"""The canonical form of a JSON document (RFC 8785) and the hashes made from it.

Python's own encoder, in C, writes nearly every document just so. What it writes differently is
found in its output with a few searches at the speed of memory, and only then the document is
written again with care.
"""

from __future__ import annotations

import hashlib
import json
import re
from json.encoder import encode_basestring
from typing import Any

from .numbers import NotRepresentable, number_text

DEPTH_LIMIT = 128
"""Deeper nesting than this many containers has no canonical form."""

NOT_REPRESENTABLE_HASH = "000000000000"
"""``args_hash`` of arguments that have no canonical form."""

EMPTY_ARGS_HASH = "44136fa355b3"
"""``args_hash`` of ``{}``, and so of absent, null and empty arguments."""

_encode = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
).encode

# A double that is integral, or one with an exponent: repr() is not what ECMAScript writes.
_INTEGRAL = re.compile(rb"\.0(?:[,\]}]|$)")
_EXPONENT = re.compile(rb"[0-9]e[+-][0-9]")
# Sixteen digits in a row may be an integer that no double holds.
_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_LONG_RUN = b"0" * 16
# The first byte of whatever needs two UTF-16 units.
_ASTRAL = bytes(range(0xF0, 0xF8))


def canonicalize(value: Any) -> str | None:
    """The canonical form of a value made of dicts, lists, strings, numbers, booleans and None.

    ``None`` if it has none: a lone surrogate, a number that is not finite, nesting deeper than
    `DEPTH_LIMIT`, or anything that JSON does not have.
    """
    encoded = canonical_bytes(value)
    return None if encoded is None else encoded.decode()


def canonicalize_text(text: str | bytes) -> str | None:
    """The canonical form of JSON text, or ``None`` if it is not JSON or has none."""
    try:
        return canonicalize(parse(text))
    except Exception:
        return None


def parse(text: str | bytes) -> Any:
    """Reads JSON strictly: UTF-8, no ``NaN``, no byte order mark. Raises what is not JSON."""
    if isinstance(text, bytes):
        text = text.decode()
    return json.loads(text, parse_constant=_refuse)


def _refuse(_constant: str) -> Any:
    raise NotRepresentable


def canonical_bytes(value: Any) -> bytes | None:
    """The UTF-8 of `canonicalize`."""
    try:
        text = _encode(value)
        encoded = text.encode()
        if _is_canonical(text, encoded):
            return encoded
        return _write(value, 0).encode()
    # Not only NotRepresentable: a lone surrogate, a cycle, an object JSON does not know.
    except Exception:
        return None


def args_hash(arguments: Any) -> str:
    """``args_hash`` of a tool's arguments: 12 lowercase hex digits."""
    if arguments is None:
        return EMPTY_ARGS_HASH
    encoded = canonical_bytes(arguments)
    return NOT_REPRESENTABLE_HASH if encoded is None else hash12(encoded)


def canonicalize_args_text(text: str | bytes) -> str | None:
    """The canonical form of arguments given as JSON text; blank text and null count as {}."""
    blank = (
        text.strip(b" \t\n\r") == b"" if isinstance(text, bytes) else text.strip(" \t\n\r") == ""
    )
    if blank:
        return "{}"
    canonical = canonicalize_text(text)
    return "{}" if canonical == "null" else canonical


def canonical_hash(value: Any) -> str | None:
    """The hash of a document's canonical form, or ``None`` if it has none."""
    encoded = canonical_bytes(value)
    return None if encoded is None else hash12(encoded)


def hash12(data: str | bytes) -> str:
    """The first 12 hex digits of SHA-256."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:12]


def _is_canonical(text: str, encoded: bytes) -> bool:
    """Whether Python's encoder wrote the canonical form, for certain."""
    return not (
        # As many containers may be nested too deep.
        encoded.count(b"{") + encoded.count(b"[") > DEPTH_LIMIT
        # Python sorts by code points, which differs from UTF-16 units beyond the BMP.
        or (not text.isascii() and len(encoded.translate(None, _ASTRAL)) != len(encoded))
        # Looking for a few bytes first is an order of magnitude faster than an expression.
        or (b".0" in encoded and _INTEGRAL.search(encoded) is not None)
        or ((b"e-" in encoded or b"e+" in encoded) and _EXPONENT.search(encoded) is not None)
        or _LONG_RUN in encoded.translate(_DIGITS)
    )


def _write(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if depth == DEPTH_LIMIT:
        raise NotRepresentable
    if isinstance(value, dict):
        keys = sorted(value, key=utf16_order)
        members = [f"{encode_basestring(key)}:{_write(value[key], depth + 1)}" for key in keys]
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_write(item, depth + 1) for item in value]) + "]"
    raise NotRepresentable


def utf16_order(text: str) -> bytes:
    """Sorts as UTF-16 code units do. Raises for lone surrogates."""
    return text.encode("utf-16-be")
