"""Sizes are UTF-16 code units of compact JSON.

A document is measured level by level, the strings and numbers of a level together: that takes a
few calls into C for each level instead of one for each value, and no recursion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from .canonical import DEPTH_LIMIT, parse
from .numbers import NotRepresentable, number_text


class ResultSize(NamedTuple):
    """What a result weighs."""

    units: int
    """UTF-16 code units; 0 when not representable."""
    representable: bool


NO_RESULT = ResultSize(0, True)


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 code units; half a surrogate pair is one."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def text_units(json_text: str | bytes) -> int:
    """The size of a JSON document given as text; 0 if it is not representable."""
    try:
        return measure(parse(json_text))
    except Exception:
        return 0


def value_units(value: Any) -> int:
    """The size of one JSON value; 0 if it is not representable."""
    try:
        return measure(value)
    except Exception:
        return 0


def result_size(result: Any) -> ResultSize:
    """The size of a ``result`` object as the client receives it.

    Its members ``_meta`` and ``resultType``, null members and an ``isError`` that is false do
    not count.
    """
    counted = counted_members(result)
    if counted is None:
        return NO_RESULT
    try:
        return ResultSize(measure(counted), True)
    except Exception:
        return ResultSize(0, False)


def counted_members(result: Any) -> Any:
    """The members of a result that count; other values as they are; None for no result."""
    if not isinstance(result, dict):
        return result
    return {
        key: member
        for key, member in result.items()
        if member is not None
        and key != "_meta"
        and key != "resultType"
        and not (key == "isError" and member is False)
    }


# What JSON escapes, and of that what needs two units instead of six.
_ESCAPED = bytes(range(0x20)) + b'"\\'
_SHORT = b'"\\\b\f\n\r\t'
_SAFE_INTEGER = 2**53


def measure(value: Any) -> int:
    """The size of a JSON value. Raises when it is not representable."""
    units = 0
    depth = 0
    level = [value]
    while level:
        kinds = set(map(type, level))
        if not kinds <= _MEASURES.keys():
            # Subclasses and the like are measured as what they are a kind of.
            level = [item if type(item) in _MEASURES else _plain(item) for item in level]
            kinds = set(map(type, level))
        below: list[Any] = []
        for kind in kinds:
            items: list[Any]
            items = level if len(kinds) == 1 else [item for item in level if type(item) is kind]
            units += _MEASURES[kind](items)
            if kind is dict:
                below.extend(chain.from_iterable(map(dict.values, items)))
            elif kind is list or kind is tuple:
                below.extend(chain.from_iterable(items))
            else:
                continue
            if depth == DEPTH_LIMIT:
                raise NotRepresentable
        level = below
        depth += 1
    return units


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    raise NotRepresentable


def _measure_objects(objects: list[dict[str, Any]]) -> int:
    if len(objects) == 1:
        return _measure_keys(tuple(objects[0]))
    # Rows of one result share their keys.
    shapes = Counter(map(tuple, objects))
    return sum([count * _measure_keys(keys) for keys, count in shapes.items()])


def _measure_keys(keys: tuple[str, ...]) -> int:
    if not keys:
        return 2
    # Each key has a colon and all but one a comma; and there are two braces.
    return _measure_texts("".join(keys), len(keys)) + 2 * len(keys) + 1


def _measure_arrays(arrays: Sequence[Sequence[Any]]) -> int:
    # Two brackets, and a comma for each item but the first.
    return sum(map(len, arrays)) + 2 * len(arrays) - sum(map(bool, arrays))


def _measure_strings(strings: list[str]) -> int:
    return _measure_texts(strings[0] if len(strings) == 1 else "".join(strings), len(strings))


def _measure_texts(joined: str, count: int) -> int:
    # Raises for lone surrogates: Python keeps two halves apart, also where they meet.
    encoded = joined.encode()
    units = 2 * count + (len(joined) if joined.isascii() else utf16_length(joined))
    escaped = len(encoded) - len(encoded.translate(None, _ESCAPED))
    if escaped:
        units += escaped
        # Counting single bytes is fast, and nearly always these three are all there are.
        frequent = encoded.count(b"\n") + encoded.count(b'"') + encoded.count(b"\\")
        if frequent != escaped:
            units += 4 * (len(encoded.translate(None, _SHORT)) - len(encoded) + escaped)
    return units


def _measure_integers(integers: list[int]) -> int:
    if max(integers) > _SAFE_INTEGER or min(integers) < -_SAFE_INTEGER:
        return sum([len(number_text(integer)) for integer in integers])
    # The list's own text has two characters more for each item.
    return len(repr(integers)) - 2 * len(integers)


def _measure_doubles(doubles: list[float]) -> int:
    text = repr(doubles)
    # An exponent, infinity or NaN, minus zero.
    if "e" in text or "n" in text or "-0.0" in text:
        return sum([len(number_text(double)) for double in doubles])
    integral = text.count(".0,") + text.endswith(".0]")
    return len(text) - 2 * len(doubles) - 2 * integral


_MEASURES: dict[type, Callable[[Any], int]] = {
    str: _measure_strings,
    dict: _measure_objects,
    list: _measure_arrays,
    tuple: _measure_arrays,
    int: _measure_integers,
    float: _measure_doubles,
    bool: lambda booleans: 5 * len(booleans) - sum(booleans),
    type(None): lambda nulls: 4 * len(nulls),
}
