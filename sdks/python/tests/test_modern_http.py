"""The streamable HTTP transport with the MCP SDK's own client, both protocols where it has both."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest

from mcpulse import wire
from tests.support.harness import Http
from tests.support.ingest import Ingest
from tests.support.sdks import SDK, Client, types

# See test_exit.
pytestmark = pytest.mark.flaky(reruns=4)

MODES = {"v1": ["legacy"], "v2": ["legacy", "2026-07-28"], "fastmcp": ["legacy", "2026-07-28"]}[SDK]


async def call_all(url: str, mode: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    info = types.Implementation(name="sdk-client", version="1")
    async with AsyncExitStack() as stack:
        if SDK == "v1":
            transport = importlib.import_module("mcp.client.streamable_http")
            streams = await stack.enter_async_context(transport.streamablehttp_client(url))
            session_type = importlib.import_module("mcp").ClientSession
            session = session_type(*streams[:2], client_info=info)
            await stack.enter_async_context(session)
            await session.initialize()
        else:
            client_type = importlib.import_module("mcp").Client
            session = await stack.enter_async_context(client_type(url, client_info=info, mode=mode))
        client = Client(session)
        if SDK == "fastmcp":
            # Its server is asked by the official client, which shows results as they came.
            client._call = session.call_tool  # type: ignore[method-assign]
        await client.names()
        return [await client.call(name, arguments) for name, arguments in calls]


@pytest.mark.parametrize("kind", ["stateful", "stateless"])
@pytest.mark.parametrize("mode", MODES)
def test_real_clients(http: Callable[..., Any], ingest: Ingest, kind: str, mode: str) -> None:
    server: Http = http("--http", kind, "--on-sigterm", "0")
    calls = [
        ("echo", {"a": 1.5, "é": [None]}),
        ("strict", {"id": "x"}),
        ("crash", {}),
        ("price_a", {"id": "1", "amount": 2.0}),
    ]
    url = f"http://127.0.0.1:{server.port}/mcp"
    answers = anyio.run(call_all, url, mode, calls)
    server.child.terminate()
    assert server.wait() == 0
    assert [call["tool_name"] for call in ingest.calls] == [name for name, _ in calls]
    assert [call["outcome"] for call in ingest.calls] == ["ok", "bad_args", "crashed", "ok"]
    for call, answer, (_, arguments) in zip(ingest.calls, answers, calls, strict=True):
        assert call["args_hash"] == wire.args_hash(arguments)
        assert call["response_bytes"] == wire.result_size(answer).units
    # Without a session and before the protocol that says it with each request, nobody knows.
    unknown = kind == "stateless" and mode == "legacy"
    expected = "unknown" if unknown else "sdk-client"
    assert {call["client_name"] for call in ingest.calls} == {expected}
    assert ingest.startups[0]["transport"] == "http"
