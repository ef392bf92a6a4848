"""Compares what several tools say of the same field, in memory, and tells only yes or no."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any, NamedTuple

from .bounded import BoundedMap
from .options import Agreement
from .wire.canonical import canonical_bytes, utf16_order
from .wire.payloads import MAX_TOOL_NAME, fit_name

_CONVERSATIONS = 1000
"""This many conversations are remembered, and this many fields and tools altogether."""

_INDEX = re.compile(r"0|[1-9][0-9]*", re.ASCII)


class Verdict(NamedTuple):
    """One comparison."""

    field: str
    tool_a: str
    tool_b: str
    agreed: bool
    window_ms: int


class _Seen(NamedTuple):
    """The latest value of a tool: a number as itself, anything else only as its digest."""

    value: float | bytes
    at_ms: float


class AgreementBook:
    """The latest values per conversation, field and tool. One book serves one destination."""

    def __init__(self) -> None:
        self._conversations: BoundedMap[str, BoundedMap[tuple[str, str], _Seen]]
        self._conversations = BoundedMap(_CONVERSATIONS)

    def note(
        self,
        agreements: tuple[Agreement, ...],
        conversation: str,
        name: str,
        structured: Any,
        now_ms: float,
    ) -> list[Verdict]:
        """Notes what the tool called ``name`` returned at ``now_ms`` (monotonic).

        Compares it with the latest value of every other tool of its fields, if that is young
        enough.
        """
        # As declared tools are named: cut to what the wire format takes.
        tool = fit_name(name, MAX_TOOL_NAME)
        verdicts: list[Verdict] = []
        for field, tools, window_ms, tolerance in map(_parts, agreements):
            path = tools.get(tool)
            value = None if path is None else _comparable(value_at(structured, path))
            if value is None:
                continue
            book = self._conversations.get_or_set(conversation, BoundedMap(_CONVERSATIONS))
            for other in tools:
                seen = None if other == tool else book.get((field, other))
                if seen is None or now_ms - seen.at_ms >= window_ms:
                    continue
                first, second = sorted((tool, other), key=utf16_order)
                agreed = _equal(value, seen.value, tolerance)
                verdicts.append(Verdict(field, first, second, agreed, window_ms))
            book.set((field, tool), _Seen(value, now_ms))
        return verdicts


def _parts(agreement: Agreement) -> tuple[str, dict[str, str], int, float]:
    return agreement.field, agreement.tools, agreement.window_ms, agreement.tolerance


def _comparable(value: Any) -> float | bytes | None:
    if value is _MISSING:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value) if math.isfinite(value) else None
        except OverflowError:
            return None
    canonical = canonical_bytes(value)
    return None if canonical is None else hashlib.sha256(canonical).digest()


def _equal(one: float | bytes, other: float | bytes, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= tolerance
    return one == other


_MISSING = object()


def value_at(document: Any, pointer: str) -> Any:
    """The value a JSON Pointer names, or a mark that stands for none."""
    value = document
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            index = int(name) if _INDEX.fullmatch(name) and len(name) < 10 else len(value)
            value = value[index] if index < len(value) else _MISSING
        else:
            value = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    return value
