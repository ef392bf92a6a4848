"""Calls by real clients of the MCP SDK, of servers in processes of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from mcpulse import VERSION, wire
from tests.support.harness import Http, Stdio
from tests.support.ingest import Ingest
from tests.support.sdks import APIS
from tests.support.spec import read_spec

# What is recorded last is delivered at exit, within one second: on a busy machine that may not do,
# though not each time.
pytestmark = pytest.mark.flaky(reruns=4)

TRAFFIC = [case for case in read_spec("canonical-extra.json")["cases"] if case["traffic"]]
FROZEN = read_spec("canonical.json")["cases"]
EMPTY = read_spec("empty.json")["cases"]
SIZES = read_spec("sizes.json")["cases"]

Start = Callable[..., Any]

CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("echo", {"b": [1, 2.5, None], "a": {"é": "🚀"}}, "ok"),
    ("fast", {}, "ok"),
    ("slow", {"ms": 30}, "ok"),
    *(("empty", {"kind": kind}, "ok") for kind in ("no_parts", "blank", "null", "list", "object")),
    (
        "reply",
        {"result": {"content": [{"type": "text", "text": "x"}], "isError": True}},
        "tool_error",
    ),
    ("error", {}, "tool_error"),
    ("crash", {}, "crashed"),
    ("strict", {"id": 1}, "ok"),
    ("strict", {"id": 0}, "bad_args"),
    ("strict", {}, "bad_args"),
    ("strict", {"id": 1, "more": 1}, "bad_args"),
    ("huge", {"units": 100_000}, "ok"),
    ("unicode", {}, "ok"),
    ("price_a", {"id": "1", "amount": 2}, "ok"),
    ("price_b", {"id": "1", "amount": 3.0}, "ok"),
    ("no_such_tool", {"a": 1}, "bad_args"),
    ("late", {}, "ok"),
]


def check(ingest: Ingest, answers: list[dict[str, Any]]) -> None:
    calls = sorted(ingest.calls, key=lambda call: call["started_at"])
    assert [call["tool_name"] for call in calls] == [name for name, _, _ in CALLS]
    for call, answer, (name, arguments, outcome) in zip(calls, answers, CALLS, strict=True):
        result = answer.get("result")
        assert call["outcome"] == outcome, name
        assert call["args_hash"] == wire.args_hash(arguments), name
        assert call["response_bytes"] == wire.result_size(result).units, name
        assert call["is_empty"] is (name == "empty"), name
        assert call["client_name"] == "test-client"
        assert re.fullmatch(r"s_[0-9a-f]{12}", call["session_id"])
        assert call["duration_ms"] >= (30 if name == "slow" else 0)
    assert len({one["session_id"] for one in ingest.taken}) == 1
    assert [(one["tool_a"], one["tool_b"], one["agreed"]) for one in ingest.agreements] == [
        ("price_a", "price_b", False)
    ]


def check_startup(ingest: Ingest, listed: list[dict[str, Any]], transport: str) -> None:
    startup = ingest.startups[0]
    assert startup["client_name"] == "test-client"
    assert startup["sdk"] == f"mcpulse-python/{VERSION}"
    assert startup["protocol_version"] == "2025-11-25"
    assert startup["transport"] == transport
    assert re.fullmatch(r"(fastmcp )?\d+\.\d+\.\d+.*", startup["mcp_sdk_version"])
    assert startup["agreements"] == [{"field": "amount", "tools": ["price_a", "price_b"]}]
    policies = {"strict": "authorization", "never_called": "identity"}
    described = [wire.describe_tool(entry, policies.get(entry["name"])) for entry in listed]
    known = {tool["name"]: tool for startup in ingest.startups for tool in startup["tools"]}
    assert [known[tool["name"]] for tool in described] == described


@pytest.mark.parametrize("early", [[], ["--early"]], ids=["late", "early"])
@pytest.mark.parametrize("api", APIS)
def test_over_stdio(stdio: Start, ingest: Ingest, api: str, early: list[str]) -> None:
    server: Stdio = stdio("--api", api, *early).initialize()
    listed = server.request("tools/list", "{}")["result"]["tools"]
    while "late" not in [entry["name"] for entry in listed]:
        listed = server.request("tools/list", "{}")["result"]["tools"]
    answers = [server.call(name, **arguments) for name, arguments, _ in CALLS]
    assert server.end() == 0
    check(ingest, answers)
    check_startup(ingest, listed, "stdio")
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


@pytest.mark.parametrize("kind", ["stateful", "stateless"])
@pytest.mark.parametrize("api", APIS)
def test_over_http(http: Start, ingest: Ingest, api: str, kind: str) -> None:
    server: Http = http("--api", api, "--http", kind, "--on-sigterm", "0")
    if kind == "stateful":
        server.initialize()
    listed = server.request("tools/list", "{}")["result"]["tools"]
    answers = [server.call(name, **arguments) for name, arguments, _ in CALLS]
    server.child.terminate()
    assert server.wait() == 0
    if kind == "stateless":
        # Nobody has said who is calling.
        assert {call["client_name"] for call in ingest.calls} == {"unknown"}
        for payload in ingest.taken:
            if "client_name" in payload:
                payload["client_name"] = "test-client"
    check(ingest, answers)
    check_startup(ingest, listed, "http")


def test_traffic_hashes_as_it_was_sent(stdio: Start, ingest: Ingest) -> None:
    server: Stdio = stdio().initialize()
    cases = [(case["json"], case) for case in TRAFFIC]
    cases += [
        (json.dumps(case["input"]), case) for case in FROZEN if isinstance(case["input"], dict)
    ]
    expected = []
    for text, case in cases:
        if text is not None and text.startswith("["):
            continue
        server.call_text("echo", text)
        expected.append((case["name"], case["args_hash"]))
    server.end()
    calls = sorted(ingest.calls, key=lambda call: call["started_at"])
    assert [call["tool_name"] for call in calls] == ["echo"] * len(expected)
    hashes = [call["args_hash"] for call in calls]
    # Calls of one millisecond have no order of their own.
    assert sorted(hashes) == sorted(digest for _, digest in expected)


def test_results_are_measured_as_they_were_received(stdio: Start, ingest: Ingest) -> None:
    server: Stdio = stdio().initialize()
    results = [case["result"] for case in EMPTY if isinstance(case["result"], dict)]
    results += [json.loads(case["result"]) for case in SIZES if case["result"].startswith("{")]
    values = [1.0, 1e16, 1e21, 1e-7, -0.0, 123456789012345678, "\u2028\x7f\x01", {"ü": [None, {}]}]
    results += [{"content": [], "structuredContent": {"values": values, "nested": None}}]
    answers = []
    for result in results:
        given = {key: value for key, value in result.items() if key != "resultType"}
        answers.append(server.call("reply", result=given).get("result"))
    server.end()
    assert len(ingest.calls) == len(answers)
    for call, answer in zip(ingest.calls, answers, strict=True):
        assert call["response_bytes"] == wire.result_size(answer).units, answer
        empty = call["outcome"] == "ok" and wire.is_empty_result(answer)
        assert call["is_empty"] is empty, answer


def test_a_process_has_one_session_and_many_servers(http: Start, ingest: Ingest) -> None:
    server: Http = http("--servers", "3", "--on-sigterm", "0")
    for number, path in enumerate(server.paths):
        server.initialize(path, f"client-{number}").call("fast", path)
    server.child.terminate()
    assert server.wait() == 0
    assert len({one["session_id"] for one in ingest.taken}) == 1
    # One surface, however many servers have it.
    assert len(ingest.startups) == 1
    clients = [call["client_name"] for call in ingest.calls]
    assert sorted(clients) == ["client-0", "client-1", "client-2"]


def test_conversations_have_sessions_of_their_own(http: Start, ingest: Ingest) -> None:
    server: Http = http("--sessions", "conversation", "--on-sigterm", "0")
    named = []
    for _ in range(3):
        server.initialize().call("fast")
        server.call("fast")
        named.append(server.session)
    server.child.terminate()
    assert server.wait() == 0
    sessions = [call["session_id"] for call in ingest.calls]
    assert len(set(sessions)) == 3
    assert {sessions.count(one) for one in sessions} == {2}
    assert ingest.startups[0]["session_id"] not in sessions
    assert not any(
        str(name)[:12] in request.body.decode() for name in named for request in ingest.received
    )


def test_tools_that_are_added_make_a_new_startup(stdio: Start, ingest: Ingest) -> None:
    server: Stdio = stdio().initialize()
    server.request("tools/list", "{}")
    server.call("grow")
    # A client that heard of it would list again; this one only calls.
    server.call("grown")
    for _ in range(30):
        server.call("fast")
    ingest.until(lambda one: any("grown" in str(startup) for startup in one.startups))
    server.end()
    newest = [tool["name"] for tool in ingest.startups[-1]["tools"]]
    assert newest[-1] == "grown" or "late" in newest
    assert len({json.dumps(startup["tools"]) for startup in ingest.startups}) == len(
        ingest.startups
    )


def test_numbers_past_the_largest_double_are_not_representable(
    stdio: Start, ingest: Ingest
) -> None:
    server: Stdio = stdio().initialize()
    for arguments in ('{"n":1e400}', '{"n":[{"m":-1e309}]}', '{"n":1e308}'):
        server.call_text("fast", arguments)
    server.end()
    zeros = wire.NOT_REPRESENTABLE_HASH
    assert [call["args_hash"] for call in ingest.calls] == [
        zeros,
        zeros,
        wire.args_hash({"n": 1e308}),
    ]


@pytest.mark.sdk("v1")
def test_what_sdk_1_refuses_before_anyone_sees_it_is_not_recorded(
    stdio: Start, ingest: Ingest
) -> None:
    server: Stdio = stdio().initialize()
    assert server.call_text("echo", "[1]")["error"]["code"] == -32602
    server.call("fast")
    server.end()
    assert [call["tool_name"] for call in ingest.calls] == ["fast"]


@pytest.mark.sdk("v2", "fastmcp")
def test_arguments_that_are_no_object_are_hashed_as_they_are(stdio: Start, ingest: Ingest) -> None:
    server: Stdio = stdio().initialize()
    for arguments in ("[1]", "7", '"x"', "null"):
        server.call_text("fast", arguments)
    server.request("tools/call", '{"arguments":{}}')
    server.end()
    seen = [(call["tool_name"], call["args_hash"], call["outcome"]) for call in ingest.calls]
    assert seen == [
        *(("fast", wire.args_hash(value), "bad_args") for value in ([1], 7, "x")),
        ("fast", wire.EMPTY_ARGS_HASH, "ok"),
        ("unknown", wire.EMPTY_ARGS_HASH, "bad_args"),
    ]
