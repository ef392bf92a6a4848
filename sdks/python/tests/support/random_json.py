"""Random JSON documents, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable


class RandomJson:
    """As text, with white space, escapes and number spellings no serialiser would use."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        return self._value(0)

    def _int(self, below: int) -> int:
        return int(self._random.random() * below)

    def _value(self, depth: int) -> str:
        match self._int(5 if depth > 5 else 8):
            case 0:
                return self._random.choice(("true", "false", "null"))
            case 1 | 2:
                return self._number()
            case 3 | 4:
                return self._string()
            case 5:
                return self._many("[", "]", lambda: self._value(depth + 1))
            case _:
                return self._many("{", "}", lambda: self._member(depth))

    def _member(self, depth: int) -> str:
        return f"{self._string()}{self._space()}:{self._value(depth + 1)}"

    def _many(self, opening: str, closing: str, item: Callable[[], str]) -> str:
        items = [self._space() + item() + self._space() for _ in range(self._int(6))]
        return opening + self._space() + ",".join(items) + closing

    def _space(self) -> str:
        return self._random.choice((" ", "\t", "\n", "\r", "  ")) if self._int(4) == 0 else ""

    def _digits(self, count: int) -> str:
        return "".join(str(self._int(10)) for _ in range(count))

    def _number(self) -> str:
        sign = self._random.choice(("", "", "-"))
        whole = "0" if self._int(3) == 0 else f"{1 + self._int(9)}{self._digits(self._int(25))}"
        fraction = "" if self._int(2) == 0 else f".{self._digits(1 + self._int(20))}"
        exponent = ""
        if self._int(3) == 0:
            exponent = (
                f"{self._random.choice('eE')}{self._random.choice(('', '+', '-'))}{self._int(400)}"
            )
        return sign + whole + fraction + exponent

    def _string(self) -> str:
        return '"' + "".join(self._character() for _ in range(self._int(12))) + '"'

    def _character(self) -> str:
        match self._int(9):
            case 0:
                short = ("\\n", "\\t", "\\r", "\\b", "\\f", '\\"', "\\\\", "\\/", "/")
                return self._random.choice(short)
            case 1:
                return f"\\u{self._int(0x10000):04x}"
            case 2:
                return f"\\u00{self._int(0x100):02X}"
            case 3:
                return chr(0x80 + self._int(0xD000))
            case 4:
                return chr(0x10000 + self._int(0x100000))
            case 5:
                odd = (
                    *("\\ud83d\\ude80", "\u2028", "\u007f", "\uffff", "\ufeff"),
                    *("0", "10", "1", ".0,", "e+1", "[1.0]", "9" * 16),
                )
                return self._random.choice(odd)
            case _:
                return chr(0x61 + self._int(26))
