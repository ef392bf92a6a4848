"""The outcomes, by what the author's code did and what the MCP SDK made of it."""

import functools
from collections.abc import Callable
from typing import Any

import anyio
import pydantic
import pytest

import mcpulse
from mcpulse import wire
from tests.support.ingest import Ingest
from tests.support.sdks import BACKENDS, SDK, add, connected, high, low, protocol_error, tool_error
from tests.support.sdks import text as text_result


class Caller:
    """A callable object whose call is a coroutine."""

    __name__ = "caller"

    async def __call__(self, n: int = 0) -> str:
        await anyio.sleep(0)
        if n < 0:
            raise ValueError("below zero")
        return f"called {n}"


class Strict(pydantic.BaseModel):
    n: int


def sync_tool(n: int) -> str:
    return f"sync {n}"


async def async_tool(n: int) -> str:
    await anyio.sleep(0)
    return f"async {n}"


async def scaled(n: int, factor: int) -> str:
    return f"scaled {n * factor}"


def deliberate() -> str:
    raise tool_error("no such order")


def from_another() -> str:
    try:
        raise KeyError("order")
    except KeyError as error:
        raise tool_error("no such order") from error


def crash() -> str:
    raise RuntimeError("boom")


def crash_in_validation() -> str:
    Strict.model_validate({"n": "not a number"})
    return "unreachable"


def says_error() -> Any:
    return text_result("no", isError=True)


def wrong_output() -> Strict:
    return {"n": "not a number"}  # type: ignore[return-value]


def nothing() -> str:
    return ""


partial = functools.partial(scaled, factor=2)
partial.__name__ = "partial"  # type: ignore[attr-defined]

TOOLS: dict[str, Callable[..., Any]] = {
    "sync": sync_tool,
    "async": async_tool,
    "object": Caller(),
    "partial": partial,
    "deliberate": deliberate,
    "from_another": from_another,
    "crash": crash,
    "crash_in_validation": crash_in_validation,
    "says_error": says_error,
    "wrong_output": wrong_output,
    "nothing": nothing,
}

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("sync", {"n": 1}, "ok"),
    ("async", {"n": 1}, "ok"),
    ("object", {"n": 1}, "ok"),
    ("partial", {"n": 1}, "ok"),
    ("nothing", {}, "ok"),
    ("deliberate", {}, "tool_error"),
    ("from_another", {}, "tool_error"),
    ("says_error", {}, "tool_error"),
    ("sync", {"n": "not a number"}, "bad_args"),
    ("sync", {}, "bad_args"),
    ("unknown", {}, "bad_args"),
    ("crash", {}, "crashed"),
    ("crash_in_validation", {}, "crashed"),
    ("object", {"n": -1}, "crashed"),
    ("wrong_output", {}, "crashed"),
]


def server_with_tools() -> Any:
    server = high()
    for name, function in TOOLS.items():
        # FastMCP does not look whether a value is what the function says it returns.
        unlike = SDK == "fastmcp" and name == "wrong_output"
        add(server, unserializable if unlike else function, name)
    return server


class Odd:
    """What no serialiser knows."""


def unserializable() -> dict[str, Any]:
    return {"odd": Odd()}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("early", [False, True], ids=["late", "early"])
def test_outcomes(ingest: Ingest, watched: Callable[..., Any], backend: str, early: bool) -> None:
    async def run() -> list[dict[str, Any]]:
        server = watched(high()) if early else server_with_tools()
        if early:
            for name, tool in _tools_of(server_with_tools()).items():
                _tools_of(server)[name] = tool
        else:
            watched(server)
        async with connected(server) as client:
            return [await client.call(name, arguments) for name, arguments, _ in CASES]

    answers = anyio.run(run, backend=backend)
    assert mcpulse.flush()
    recorded = [(call["tool_name"], call["outcome"]) for call in ingest.calls]
    assert recorded == [(name, outcome) for name, _, outcome in CASES]
    for call, answer, (_, arguments, outcome) in zip(ingest.calls, answers, CASES, strict=True):
        assert answer.get("isError", False) is (outcome != "ok")
        assert call["response_bytes"] == wire.result_size(answer).units
        assert call["args_hash"] == wire.args_hash(arguments)
        assert call["client_name"] == "test-client"
        assert call["is_empty"] is (call["tool_name"] == "nothing")


def _tools_of(server: Any) -> Any:
    if SDK == "fastmcp":
        return server._local_provider._components
    return server._tool_manager._tools


@pytest.mark.sdk("v1", "v2")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("early", [False, True], ids=["late", "early"])
def test_outcomes_of_a_low_level_server(
    ingest: Ingest, watched: Callable[..., Any], backend: str, early: bool
) -> None:
    async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
        match name:
            case "ok":
                return text_result("done")
            case "error":
                return text_result("no", isError=True)
            case "refuse":
                raise protocol_error(-32602, "not so")
            case "fail":
                raise protocol_error(-32000, "upstream is gone")
            case "decline":
                raise protocol_error(-31000, "not today")
            case "parse":
                Strict.model_validate(arguments)
        raise RuntimeError("boom")

    names = ("ok", "error", "refuse", "fail", "decline", "parse", "crash")
    cases = [(name, {}) for name in names]
    expected = ["ok", "tool_error", "bad_args", "crashed", "tool_error", "crashed", "crashed"]
    if SDK == "v1":
        # This one validates the arguments of a low-level server too.
        cases.append(("ok", {"n": "not a number"}))
        expected.append("bad_args")

    async def run() -> None:
        server = low(call_tool, *names)
        if early and SDK == "v1":
            handlers = dict(server.request_handlers)
            server.request_handlers.clear()
            watched(server)
            server.request_handlers.update(handlers)
        else:
            watched(server)
        if early and SDK == "v2":
            entry = server._request_handlers["tools/call"]
            server.add_request_handler("tools/call", entry.params_type, entry.handler)
        async with connected(server) as client:
            for name, arguments in cases:
                await client.call(name, arguments)

    anyio.run(run, backend=backend)
    assert mcpulse.flush()
    assert [call["outcome"] for call in ingest.calls] == expected


def test_a_result_that_cannot_be_written_is_a_crash(
    ingest: Ingest, watched: Callable[..., Any]
) -> None:
    deep: Any = "x"
    for _ in range(150):
        deep = [deep]

    async def run() -> None:
        server = watched(high())
        add(server, lambda: text_result("half a pair: \ud83d"), "half")
        add(server, lambda: text_result("deep", structuredContent={"deep": deep}), "deep")
        async with connected(server) as client:
            for name in ("half", "deep"):
                await client.call(name)

    anyio.run(run)
    assert mcpulse.flush()
    recorded = [(one["outcome"], one["response_bytes"]) for one in ingest.calls]
    assert recorded == [("crashed", 0), ("ok", 0)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cancelled_call_is_not_recorded(
    ingest: Ingest, watched: Callable[..., Any], backend: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def run() -> None:
        begun = anyio.Event()

        async def forever() -> str:
            begun.set()
            await anyio.sleep_forever()
            return "never"

        server = high()
        add(server, forever, "forever")
        add(server, nothing, "nothing")
        watched(server, debug=True)
        async with connected(server) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call, "forever")
                await begun.wait()
                group.cancel_scope.cancel()
            await client.call("nothing")

    anyio.run(run, backend=backend)
    assert mcpulse.flush()
    assert [call["tool_name"] for call in ingest.calls] == ["nothing"]


@pytest.mark.sdk("v2")
def test_only_the_final_request_of_a_call_that_asks_for_input_is_recorded(
    ingest: Ingest, watched: Callable[..., Any]
) -> None:
    from mcp.server.mcpserver import Context
    from mcp_types import (
        ElicitRequest,
        ElicitRequestFormParams,
        ElicitResult,
        InputRequiredResult,
    )

    async def ask(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return "hello"
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        params = ElicitRequestFormParams(message="Who?", requested_schema=schema)
        return InputRequiredResult(input_requests={"who": ElicitRequest(params=params)})

    async def elicited(_context: Any, _params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ann"})

    async def run() -> dict[str, Any]:
        server = watched(high())
        server.add_tool(ask)
        async with connected(server, elicitation_callback=elicited) as client:
            return await client.call("ask", {})

    assert anyio.run(run)["content"][0]["text"] == "hello"
    assert mcpulse.flush()
    assert [(call["tool_name"], call["outcome"]) for call in ingest.calls] == [("ask", "ok")]
