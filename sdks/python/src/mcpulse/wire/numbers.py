"""Numbers as ECMAScript writes them."""

from __future__ import annotations

import math


class NotRepresentable(Exception):  # noqa: N818 - an answer, not an error
    """The value has no canonical form."""


def number_text(value: float) -> str:
    """ECMAScript's ``Number::toString`` of a number; an integer is read as a double first.

    Raises `NotRepresentable` for what is not finite.
    """
    try:
        double = float(value)
    except OverflowError:
        raise NotRepresentable from None
    if not math.isfinite(double):
        raise NotRepresentable
    # repr() finds the same shortest digits as ECMAScript; only their layout differs.
    text = float.__repr__(double)
    if "e" not in text:
        if not text.endswith(".0"):
            return text
        return "0" if double == 0 else text[:-2]
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "")
    # The decimal point stands after this many digits.
    point = int(exponent) + 1
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
