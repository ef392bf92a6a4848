"""Every fixture of ``spec/``."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import Any

import pytest

from mcpulse import wire
from tests.support.spec import SPEC, read_spec

CANONICAL = read_spec("canonical.json")["cases"]
EXTRA = read_spec("canonical-extra.json")
SIZES = read_spec("sizes.json")
EMPTY = read_spec("empty.json")["cases"]
TOOLS = read_spec("tools.json")["cases"]
NORM = read_spec("description-norm.json")
PORTER = read_spec("porter.json")


def named(case: dict[str, Any]) -> str:
    return str(case.get("name", case.get("text", "")))


def test_the_package_ships_the_frozen_cases() -> None:
    shipped = resources.files("mcpulse.wire").joinpath("canonical.json").read_bytes()
    assert shipped == (SPEC / "canonical.json").read_bytes()
    assert len(CANONICAL) == 23


@pytest.mark.parametrize("case", CANONICAL, ids=named)
def test_canonical(case: dict[str, Any]) -> None:
    assert wire.canonicalize(case["input"]) == case["canonical"]
    assert wire.args_hash(case["input"]) == case["args_hash"]
    text = json.dumps(case["input"])
    assert wire.canonicalize_args_text(text) == case["canonical"]


@pytest.mark.parametrize("case", EXTRA["cases"], ids=named)
def test_canonical_extra(case: dict[str, Any]) -> None:
    text = case["json"]
    canonical = "{}" if text is None else wire.canonicalize_args_text(text)
    assert canonical == case["canonical"]
    if canonical is None:
        assert case["args_hash"] == wire.NOT_REPRESENTABLE_HASH
        return
    assert wire.hash12(canonical) == case["args_hash"]
    if text is None or text.strip():
        assert wire.args_hash(None if text is None else json.loads(text)) == case["args_hash"]


def test_the_depth_limit() -> None:
    assert EXTRA["depth_limit"] == wire.DEPTH_LIMIT


@pytest.mark.parametrize("case", SIZES["cases"], ids=named)
def test_sizes(case: dict[str, Any]) -> None:
    assert wire.text_units(case["result"]) == case["utf16"]
    canonical = wire.canonicalize_text(case["result"])
    assert canonical is not None
    assert wire.utf16_length(canonical) == case["utf16"]
    assert len(canonical.encode()) == case["utf8"]


@pytest.mark.parametrize("case", SIZES["unrepresentable"])
def test_sizes_not_representable(case: dict[str, Any]) -> None:
    assert wire.text_units(case["result"]) == case["utf16"] == 0


@pytest.mark.parametrize("case", SIZES["strings"], ids=named)
def test_sizes_of_strings(case: dict[str, Any]) -> None:
    assert wire.utf16_length(case["text"]) == case["utf16"]


@pytest.mark.parametrize("case", EMPTY, ids=named)
def test_empty(case: dict[str, Any]) -> None:
    assert wire.is_empty_result(case["result"]) is case["is_empty"]


@pytest.mark.parametrize("case", TOOLS, ids=lambda case: case["entry"]["name"])
def test_tools(case: dict[str, Any]) -> None:
    described = wire.describe_tool(case["entry"])
    for key in ("schema_bytes", "schema_hash", "description_hash", "description_norm"):
        assert described.get(key) == case[key]


def test_stop_words() -> None:
    assert set(NORM["stopwords"]) == wire.STOP_WORDS


@pytest.mark.parametrize("case", NORM["cases"], ids=named)
def test_descriptions(case: dict[str, Any]) -> None:
    text = case["description"]
    assert wire.description_tokens(text) == case["tokens"]
    assert wire.description_hash(text) == case["description_hash"]
    assert wire.description_norm(text) == case["description_norm"]


def test_porter() -> None:
    assert len(PORTER) > 1000
    assert {word: wire.stem(word) for word in PORTER} == PORTER


def test_hash12_is_sha256() -> None:
    assert wire.hash12("é") == hashlib.sha256("é".encode()).hexdigest()[:12]
