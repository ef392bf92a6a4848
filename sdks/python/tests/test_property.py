"""Random documents, against ECMAScript itself in one process of Node."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcpulse import wire
from tests.support.random_json import RandomJson

DOCUMENTS = 100_000

REFERENCE = Path(__file__).parent / "support" / "reference.mjs"
NODE = shutil.which("node")


def ecmascript(texts: list[str]) -> list[list[Any]]:
    assert NODE is not None
    lines = "\n".join(map(json.dumps, texts))
    run = subprocess.run([NODE, str(REFERENCE)], input=lines.encode(), stdout=-1, check=True)
    answers = run.stdout.decode().split("\n")
    assert len(answers) == len(texts)
    return [json.loads(answer) for answer in answers]


def check(text: str, expected: list[Any]) -> None:
    canonical, digest, units = expected
    assert wire.canonicalize_text(text) == canonical, text
    assert wire.text_units(text) == units, text
    value = json.loads(text)
    assert wire.args_hash(value) == digest, text
    assert wire.value_units(value) == units, text


# Where all toolchains are expected, a missing one fails the test.
needs_node = pytest.mark.skipif(
    NODE is None and os.environ.get("MCPULSE_REQUIRE_ALL") != "1", reason="the reference needs Node"
)


@needs_node
def test_documents_are_as_ecmascript_has_them() -> None:
    maker = RandomJson(0x5EED)
    texts = [maker.text() for _ in range(DOCUMENTS)]
    representable = 0
    for text, expected in zip(texts, ecmascript(texts), strict=True):
        check(text, expected)
        representable += expected[0] is not None
    # The generator must keep making both kinds.
    assert DOCUMENTS // 2 < representable < DOCUMENTS


@needs_node
def test_every_kind_of_double_is_as_ecmascript_has_it() -> None:
    source = random.Random(8785)
    doubles = [struct.unpack("<d", source.randbytes(8))[0] for _ in range(20_000)]
    doubles += [scale * 10.0**power for power in range(-30, 30) for scale in (1, 1.5, -12345678.9)]
    doubles += [float(2**power + step) for power in range(1, 70) for step in (-1, 0, 1)]
    texts = [f"[{value!r},[{value!r}]]" for value in doubles if math.isfinite(value)]
    for text, expected in zip(texts, ecmascript(texts), strict=True):
        check(text, expected)
