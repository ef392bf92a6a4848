"""Options, agreements, the map, and making values fit: no server, no network."""

from __future__ import annotations

from typing import Any

import pytest

from mcpulse import wire
from mcpulse.agreements import AgreementBook
from mcpulse.bounded import BoundedMap
from mcpulse.options import Agreement, read_options
from mcpulse.wire.payloads import fit_integer, fit_name, timestamp
from mcpulse.wire.tool import policy_of


def read(**options: Any) -> tuple[Any, list[str]]:
    said: list[str] = []
    return read_options(options, said.append), said


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MCPULSE_KEY", raising=False)
    monkeypatch.delenv("MCPULSE_ENDPOINT", raising=False)


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(key="k")[0].endpoint == "http://127.0.0.1:7077"
    monkeypatch.setenv("MCPULSE_KEY", " from-env ")
    monkeypatch.setenv("MCPULSE_ENDPOINT", "https://pulse.example///")
    settings, said = read()
    assert (settings.key, settings.endpoint, said) == ("from-env", "https://pulse.example", [])
    settings, _ = read(key="given", endpoint="http://[::1]:1/path/")
    assert (settings.key, settings.endpoint) == ("given", "http://[::1]:1/path")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"key": ""},
        {"key": " \t"},
        {"key": 7},
        {"key": "two words"},
        {"key": "clé"},
        {"key": "a\r\nb"},
        {"key": "k", "enabled": False},
        {"key": "k", "endpoint": "pulse.example"},
        {"key": "k", "endpoint": "http://a b"},
        {"key": "k", "endpoint": "http://:80"},
        {"key": "k", "endpoint": "http://a:99999"},
        {"key": "k", "more": 1},
    ],
)
def test_off(options: dict[str, Any]) -> None:
    settings, said = read(**options)
    assert settings is None
    assert len(said) == 1
    assert said[0].startswith("off: ")
    # By name and rule, never by value.
    given = [value for value in options.values() if isinstance(value, str) and len(value) > 3]
    assert not any(value in said[0] for value in given)


TWO = {"a": "/x", "b": ""}


@pytest.mark.parametrize(
    "declared",
    [
        None,
        {},
        {"tools": {"a": "/x"}},
        {"tools": {"a" * 201: "/x", "a" * 200: "/y"}},
        {"tools": {f"t{n}": "/x" for n in range(21)}},
        {"tools": {"a": "x", "b": ""}},
        {"tools": {"a": "/~2", "b": ""}},
        {"tools": {"a": 7, "b": ""}},
        {"tools": TWO, "window_ms": 0},
        {"tools": TWO, "window_ms": 86_400_001},
        {"tools": TWO, "window_ms": 1.5},
        {"tools": TWO, "window_ms": True},
        {"tools": TWO, "tolerance": -1},
        {"tools": TWO, "tolerance": float("nan")},
        {"tools": TWO, "tolerance": "1"},
    ],
)
def test_a_wrong_agreement_is_ignored(declared: Any) -> None:
    settings, said = read(key="k", agreements={"wrong": declared, "right": {"tools": TWO}})
    assert [one.field for one in settings.agreements] == ["right"]
    assert len(said) == 1
    assert settings.agreements[0] == Agreement("right", TWO, 300_000, 0)


def test_a_hundred_agreements() -> None:
    settings, said = read(key="k", agreements={f"f{n}": {"tools": TWO} for n in range(101)})
    assert len(settings.agreements) == 100
    assert len(said) == 1


def note(
    book: AgreementBook, agreement: Agreement, tool: str, value: Any, **more: Any
) -> list[bool]:
    conversation, now = more.get("conversation", ""), more.get("now", 0.0)
    verdicts = book.note((agreement,), conversation, tool, {"v": value}, now)
    return [verdict.agreed for verdict in verdicts]


PAIR = Agreement("f", {"a": "/v", "b": "/v"}, 1000, 0.5)


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        (1, 1.0, True),
        (1, 1.5, True),
        (1, 1.75, False),
        ("x", "x", True),
        ("1", 1, False),
        (True, 1, False),
        (None, None, True),
        ({"a": [1], "b": 2}, {"b": 2.0, "a": [1]}, True),
        ([1, 2], [2, 1], False),
    ],
)
def test_agreement(one: Any, other: Any, agreed: bool) -> None:
    book = AgreementBook()
    assert note(book, PAIR, "a", one) == []
    assert note(book, PAIR, "b", other) == [agreed]
    assert note(book, PAIR, "b", other) == [agreed]


def test_agreements_are_of_one_conversation_and_one_window() -> None:
    book = AgreementBook()
    note(book, PAIR, "a", 1, now=0.0)
    assert note(book, PAIR, "b", 1, conversation="other") == []
    assert note(book, PAIR, "b", 1, now=999.9) == [True]
    assert note(book, PAIR, "a", 1, now=2000.0) == []
    assert note(book, PAIR, "c", 1) == []


@pytest.mark.parametrize("value", [float("nan"), "\ud800", 10**400, object()])
def test_what_is_not_representable_is_not_compared(value: Any) -> None:
    book = AgreementBook()
    note(book, PAIR, "a", value)
    assert note(book, PAIR, "b", value) == []


def test_pointers() -> None:
    document = {"a/b": [{"~": 1}], "": {"": 2}, "0": 3}
    for pointer, expected in {"/a~1b/0/~0": 1, "//": 2, "/0": 3, "": document}.items():
        agreement = Agreement("f", {"a": pointer, "b": pointer}, 1000, 0)
        book = AgreementBook()
        book.note((agreement,), "", "a", document, 0)
        (verdict,) = book.note((agreement,), "", "b", document, 0)
        assert verdict.agreed, expected
    for pointer in ("/a~1b/1", "/a~1b/-", "/a~1b/00", "/none", "/0/0", "/a~1b/²"):
        agreement = Agreement("f", {"a": pointer, "b": pointer}, 1000, 0)
        book = AgreementBook()
        book.note((agreement,), "", "a", document, 0)
        assert book.note((agreement,), "", "b", document, 0) == []


def test_tools_are_named_in_the_order_of_utf16() -> None:
    agreement = Agreement("f", {"\U0001f600": "/v", "\uffee": "/v"}, 1000, 0)
    book = AgreementBook()
    book.note((agreement,), "", "\uffee", {"v": 1}, 0)
    (verdict,) = book.note((agreement,), "", "\U0001f600", {"v": 1}, 0)
    assert (verdict.tool_a, verdict.tool_b) == ("\U0001f600", "\uffee")


def test_the_map_forgets_what_was_used_longest_ago() -> None:
    bounded: BoundedMap[int, str] = BoundedMap(2)
    bounded.set(1, "one")
    bounded.set(2, "two")
    assert bounded.get(1) == "one"
    assert bounded.get_or_set(3, "three") == "three"
    assert (bounded.get(1), bounded.get(2), bounded.get(3)) == ("one", None, "three")
    assert bounded.get_or_set(3, "other") == "three"
    assert len(bounded) == 2


def test_names_fit() -> None:
    assert fit_name("", 5) == fit_name(None, 5) == fit_name(7, 5) == "unknown"
    assert fit_name("🚀" * 300, 200) == "🚀" * 200
    assert fit_name("a\ud800b", 5) == "a\ufffdb"
    assert fit_name("\ud83d\ude80x", 5) == "🚀x"
    assert fit_name("\ud83d\ude80" * 10, 3) == "🚀🚀🚀"


def test_numbers_and_times_fit() -> None:
    assert [fit_integer(value, 10) for value in (-1, 0, 9.99, 10, 1e300, float("nan"))] == [
        *(0, 0, 9, 10, 10, 0),
    ]
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1_764_556_800_999) == "2025-12-01T02:40:00.999Z"
    assert timestamp(-5) == "1970-01-01T00:00:00.000Z"
    assert timestamp(10**18) == "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("schemes", "policy"),
    [
        (None, None),
        ([], None),
        ([{"type": "noauth"}], "none"),
        ([{"type": "oauth2"}, {"type": "noauth"}], "none"),
        ([{"type": "oauth2", "scopes": []}], "authorization"),
        ([{"type": "oauth2"}, {"type": "other"}], None),
        (["oauth2"], None),
        ("oauth2", None),
    ],
)
def test_policies(schemes: Any, policy: str | None) -> None:
    assert policy_of({"securitySchemes": schemes}) == policy
    assert policy_of({"_meta": {"securitySchemes": schemes}}) == policy


def test_values_that_never_were_text() -> None:
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    cycle: list[Any] = []
    cycle.append(cycle)
    for value in (
        deep,
        cycle,
        {"a": object()},
        {1, 2},
        b"bytes",
        float("inf"),
        "\udead",
        {"\ud800": 1},
    ):
        assert wire.canonicalize(value) is None
        assert wire.args_hash(value) == wire.NOT_REPRESENTABLE_HASH
        assert wire.value_units(value) == 0
    assert wire.canonicalize_text("[" * 100_000) is None
    assert wire.canonicalize_text(b"\xff") is None
    assert wire.canonicalize_text(b'{"a":\xc3\xa9}') is None
    assert wire.canonicalize_text('"\u00e9"'.encode()) == '"é"'


def test_many_containers_side_by_side_are_not_deep() -> None:
    rows = [{"n": number, "list": []} for number in range(1000)]
    canonical = wire.canonicalize(rows)
    assert canonical is not None
    assert len(canonical) == wire.value_units(rows)


def test_types_that_are_kinds_of_json_types() -> None:
    import collections
    import enum

    class Colour(str, enum.Enum):
        RED = "red"

    class Number(enum.IntEnum):
        ONE = 1

    value = collections.OrderedDict(a=Colour.RED, b=Number.ONE, c=(1, 2), d=True)
    plain = {"a": "red", "b": 1, "c": [1, 2], "d": True}
    assert wire.canonicalize(value) == wire.canonicalize(plain)
    assert wire.value_units(value) == wire.value_units(plain)
