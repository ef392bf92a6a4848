"""Recording by hand."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest

import mcpulse
from mcpulse import Recorder, wire
from mcpulse import recorder as module
from tests.support.ingest import Ingest


@dataclasses.dataclass
class Row:
    n: int


def test_record(ingest: Ingest, options: dict[str, Any]) -> None:
    recorder = Recorder(**options)
    result = {"content": [{"type": "text", "text": "[]"}]}
    recorder.record(
        "search",
        arguments={"b": 1, "a": 2.0},
        result=result,
        duration=0.25,
        started=1_764_556_800.5,
        client="cursor",
    )
    recorder.record("search", result={"isError": True, "content": []})
    recorder.record("search", outcome="bad_args")
    assert mcpulse.flush()
    first, second, third = ingest.calls
    assert first == {
        "v": 1,
        "type": "call",
        "session_id": first["session_id"],
        "client_name": "cursor",
        "tool_name": "search",
        "started_at": "2025-12-01T02:40:00.500Z",
        "duration_ms": 250,
        "outcome": "ok",
        "response_bytes": wire.value_units(result),
        "is_empty": True,
        "args_hash": wire.args_hash({"a": 2, "b": 1}),
    }
    assert (second["outcome"], second["client_name"]) == ("tool_error", "unknown")
    assert (third["outcome"], third["response_bytes"]) == ("bad_args", 0)
    assert third["args_hash"] == wire.EMPTY_ARGS_HASH


def test_what_does_not_serialise_is_measured_as_far_as_it_can_be(
    ingest: Ingest, options: dict[str, Any]
) -> None:
    recorder = Recorder(**options)
    odd = {"row": Row(1), "when": datetime.date(2026, 1, 1), 7: {1}, (1, 2): "left out"}
    recorder.record("odd", arguments=odd, result={"structuredContent": odd})
    cycle: dict[str, Any] = {}
    cycle["self"] = cycle
    recorder.record("cycle", result=cycle)
    recorder.record("lone", result={"content": "\ud800"}, arguments={"a": "\ud800"})
    assert mcpulse.flush()
    plain = {"row": {"n": 1}, "when": None, "7": [1]}
    odd_call, lone_call = ingest.calls
    assert odd_call["response_bytes"] == wire.value_units({"structuredContent": plain})
    assert odd_call["args_hash"] == wire.args_hash(plain)
    assert lone_call["response_bytes"] == 0
    assert lone_call["args_hash"] == wire.NOT_REPRESENTABLE_HASH


def test_tools_and_agreements(ingest: Ingest, options: dict[str, Any]) -> None:
    agreements = {"total": {"tools": {"a": "/total", "b": "/total"}}}
    recorder = Recorder(**options, agreements=agreements)
    entry = {"name": "a", "description": "Finds orders.", "inputSchema": {"type": "object"}}
    for _ in range(3):
        recorder.tools([entry], client="cursor", protocol_version="2025-11-25", transport="http")
    recorder.record("a", result={"structuredContent": {"total": 1}})
    recorder.record("b", result={"structuredContent": {"total": 1.0}})
    assert mcpulse.flush()
    (startup,) = ingest.startups
    assert startup["tools"] == [wire.describe_tool(entry)]
    assert (startup["transport"], startup["protocol_version"]) == ("http", "2025-11-25")
    assert [one["agreed"] for one in ingest.agreements] == [True]


def test_sessions(ingest: Ingest, options: dict[str, Any]) -> None:
    recorder = Recorder(**options, sessions="conversation")
    for conversation in ("one", "two", "one", None):
        recorder.record("tool", result={}, conversation=conversation)
    assert mcpulse.flush()
    first, second, third, fourth = (call["session_id"] for call in ingest.calls)
    assert first == third
    assert len({first, second, fourth}) == 3


def test_it_is_off_without_a_key_and_never_raises(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MCPULSE_KEY", "")
    recorder = Recorder(debug=True)
    recorder.record("tool", result=object(), duration="long")  # type: ignore[arg-type]
    recorder.tools(7)  # type: ignore[arg-type]
    assert capfd.readouterr().err == "mcpulse: off: no key: give one as `key` or MCPULSE_KEY\n"
    Recorder(nonsense=1).record("tool")


def test_bad_values_do_not_raise(ingest: Ingest, options: dict[str, Any]) -> None:
    recorder: Any = Recorder(**options)
    recorder.record(None, duration=-1.0, client=7, started=1e30)
    recorder.record("tool", duration="long")
    recorder.tools(7)
    assert mcpulse.flush()
    (call,) = ingest.calls
    assert (call["tool_name"], call["client_name"], call["duration_ms"]) == (
        "unknown",
        "unknown",
        0,
    )


def test_the_function(ingest: Ingest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPULSE_KEY", "mp_live_function")
    monkeypatch.setenv("MCPULSE_ENDPOINT", ingest.endpoint)
    monkeypatch.setattr(module, "_default_recorder", [])
    mcpulse.record("tool", result={"content": []}, no_such_argument=1)
    mcpulse.record("tool", result={"content": []})
    assert mcpulse.flush()
    assert len(ingest.calls) == 1
