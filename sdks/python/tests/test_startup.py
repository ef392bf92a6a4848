"""When the tools that clients see are collected, and what is sent of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

import mcpulse
from mcpulse.attach import surface
from tests.support.ingest import Ingest
from tests.support.sdks import BACKENDS, SDK, add, connected, high, low, text, types

Watched = Callable[..., Any]

needs_low = pytest.mark.sdk("v1", "v2")


async def call_tool(_name: str, _arguments: dict[str, Any]) -> Any:
    return text("done")


def names(startup: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in startup["tools"]]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await anyio.sleep(0.01)


@needs_low
@pytest.mark.parametrize("backend", BACKENDS)
def test_all_pages_are_collected(ingest: Ingest, watched: Watched, backend: str) -> None:
    tools = [f"tool_{number}" for number in range(7)]

    async def run() -> None:
        server = watched(low(call_tool, *tools, page=3))
        async with connected(server) as client:
            await client.call("tool_0")
            await until(lambda: bool(mcpulse.flush() and ingest.startups))

    anyio.run(run, backend=backend)
    assert [names(startup) for startup in ingest.startups] == [tools]


@needs_low
def test_a_page_that_a_client_asks_for_is_not_the_surface(ingest: Ingest, watched: Watched) -> None:
    async def run() -> None:
        server = watched(low(call_tool, "one", "two", page=1))
        async with connected(server) as client:
            await client.names()
            await until(lambda: bool(mcpulse.flush() and ingest.startups))

    anyio.run(run)
    assert [names(startup) for startup in ingest.startups] == [["one", "two"]]


@needs_low
def test_a_collection_that_fails_is_tried_again(ingest: Ingest, watched: Watched) -> None:
    async def run() -> None:
        server = low(call_tool, "tool")
        broken = [True]

        async def list_tools(*_args: Any) -> Any:
            if broken[0]:
                raise RuntimeError("the database is down")
            schema = {"inputSchema" if SDK == "v1" else "input_schema": {"type": "object"}}
            return types.ListToolsResult(tools=[types.Tool(name="tool", **schema)])

        if SDK == "v1":

            async def handle(_request: Any) -> Any:
                return types.ServerResult(await list_tools())

            server.request_handlers[types.ListToolsRequest] = handle
        else:
            entry = server._request_handlers["tools/list"]
            server.add_request_handler("tools/list", entry.params_type, list_tools)
        watched(server)
        async with connected(server) as client:
            await client.call("tool")
            await anyio.sleep(0.05)
            mcpulse.flush()
            assert ingest.startups == []
            broken[0] = False
            while not ingest.startups:
                await client.call("tool")
                mcpulse.flush()

    anyio.run(run)
    assert [names(startup) for startup in ingest.startups] == [["tool"]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_client_that_only_connects_makes_a_startup(
    ingest: Ingest, watched: Watched, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    assert surface._GREETING_S == 0.5
    monkeypatch.setattr(surface, "_GREETING_S", 0.01)

    async def run() -> None:
        server = watched(high())
        add(server, lambda: "done", "tool")
        async with connected(server):
            await until(lambda: bool(mcpulse.flush() and ingest.startups))

    anyio.run(run, backend=backend)
    assert [names(startup) for startup in ingest.startups] == [["tool"]]
    assert ingest.startups[0]["client_name"] == "test-client"
    # Over no transport at all; what is not HTTP is taken for stdio.
    assert ingest.startups[0].get("transport", "stdio") == "stdio"


def test_one_startup_for_each_surface(ingest: Ingest, watched: Watched) -> None:
    async def use(*tools: str) -> None:
        server = watched(high())
        for tool in tools:
            add(server, lambda: "done", tool)
        async with connected(server) as client:
            await client.names()

    for tools in (("a",), ("a", "b"), ("b", "a"), ("a",), ("a", "c"), ("a", "b")):
        anyio.run(use, *tools)
    assert mcpulse.flush()
    assert [names(one) for one in ingest.startups] == [["a"], ["a", "b"], ["a", "c"]]


def test_tools_beyond_the_limit_are_left_out(ingest: Ingest, watched: Watched) -> None:
    async def run() -> None:
        server = watched(high())
        for number in range(505):
            add(server, lambda: "done", f"tool_{number}")
        async with connected(server) as client:
            await client.names()

    anyio.run(run)
    assert mcpulse.flush()
    assert names(ingest.startups[0]) == [f"tool_{number}" for number in range(500)]


@needs_low
def test_a_server_that_is_told_of_by_a_notification(ingest: Ingest, watched: Watched) -> None:
    """Low-level servers hold no tools that could be counted."""

    async def run() -> None:
        tools = ["one"]

        async def call(name: str, _arguments: dict[str, Any]) -> Any:
            tools.append(name)
            await (
                sessions[0] if SDK == "v2" else server.request_context.session
            ).send_tool_list_changed()
            return text("grown")

        sessions: list[Any] = []
        server = low(call, "one", "two")
        if SDK == "v2":
            entry = server._request_handlers["tools/call"]

            async def noting(ctx: Any, params: Any) -> Any:
                sessions[:] = [ctx.session]
                return await entry.handler(ctx, params)

            server.add_request_handler("tools/call", entry.params_type, noting)
        schema = {"inputSchema" if SDK == "v1" else "input_schema": {"type": "object"}}

        async def listing(*_args: Any) -> Any:
            listed = types.ListToolsResult(
                tools=[types.Tool(name=name, **schema) for name in tools]
            )
            return types.ServerResult(listed) if SDK == "v1" else listed

        if SDK == "v1":
            server.request_handlers[types.ListToolsRequest] = listing
        else:
            entry_of_list = server._request_handlers["tools/list"]
            server.add_request_handler("tools/list", entry_of_list.params_type, listing)
        watched(server)
        options = {"mode": "legacy"} if SDK == "v2" else {}
        async with connected(server, **options) as client:
            await client.names()
            await client.call("two")
            while len(ingest.startups) < 2:
                await client.call("one")
                mcpulse.flush()

    anyio.run(run)
    assert [names(one)[:1] for one in ingest.startups] == [["one"]] * len(ingest.startups)
    assert names(ingest.startups[0]) == ["one"]
    assert "two" in names(ingest.startups[1])


@pytest.mark.sdk("v2", "fastmcp")
def test_the_protocol_without_a_handshake(ingest: Ingest, watched: Watched) -> None:
    async def run() -> None:
        server = watched(high())
        add(server, lambda: "done", "tool")
        options = {"mode": "2026-07-28"} if SDK == "v2" else {}
        async with connected(server, **options) as client:
            await client.call("tool")
            await until(lambda: bool(mcpulse.flush() and ingest.startups))

    anyio.run(run)
    assert [call["client_name"] for call in ingest.calls] == ["test-client"]
    assert ingest.startups[0]["client_name"] == "test-client"
    if SDK == "v2":
        assert ingest.startups[0]["protocol_version"] == "2026-07-28"


def test_policies_and_agreements_are_declared(ingest: Ingest, watched: Watched) -> None:
    async def run() -> None:
        tools = {"a": "/x", "b" * 300: "/x"}
        server = watched(
            high(), policies={"a": "identity"}, agreements={"f" * 300: {"tools": tools}}
        )
        add(server, lambda: "done", "a")
        async with connected(server) as client:
            await client.names()

    anyio.run(run)
    assert mcpulse.flush()
    (startup,) = ingest.startups
    assert startup["tools"][0]["policy"] == "identity"
    assert startup["agreements"] == [{"field": "f" * 200, "tools": ["a", "b" * 200]}]


@needs_low
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_list_that_hangs_when_the_program_ends_is_nobodys_error(
    watched: Watched, backend: str, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Any] = []

    async def run() -> None:
        server = low(call_tool, "tool")

        async def hang(*_args: Any) -> Any:
            asked.append(1)
            await anyio.sleep(3600)

        if SDK == "v1":
            server.request_handlers[types.ListToolsRequest] = hang
        else:
            entry = server._request_handlers["tools/list"]
            server.add_request_handler("tools/list", entry.params_type, hang)
        watched(server)
        # With the handshake; the collection itself is due later, and is called off by the end.
        async with connected(server):
            await anyio.sleep(0.05)

    anyio.run(run, backend=backend)
    assert asked
    # asyncio tells of exceptions that nobody took.
    assert caplog.messages == []
