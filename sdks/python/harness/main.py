"""The program that the conformance kit drives; docs/harness.md says how."""

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import socket
import sys
import weakref
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("mode", nargs="*")
texts = {"transport": "stdio", "sdk": "v2", "api": "high", "http": "stateful"}
for name, default in {**texts, "sessions": "process"}.items():
    parser.add_argument(f"--{name}", default=default)
for name, number in {"servers": 1, "fork": 0, "on-sigterm": None}.items():
    parser.add_argument(f"--{name}", type=int, default=number)
for name in ("unwatched", "early", "debug", "twice"):
    parser.add_argument(f"--{name}", action="store_true")
flags, unknown = parser.parse_known_args()
low = flags.api == "low"


def unsupported(flag: str, reason: str) -> None:
    print(f"unsupported: {flag}: {reason}", file=sys.stderr)
    sys.exit(64)


if unknown:
    unsupported(unknown[0], "no such flag")
if flags.sdk not in ("v1", "v2", "fastmcp"):
    unsupported(f"--sdk {flags.sdk}", "no such MCP SDK")
if low and flags.sdk == "fastmcp":
    unsupported("--api low", "FastMCP has no low-level API of its own")
if flags.mode[:1] == ["fixtures"]:
    sys.exit(import_module("fixtures").answer())

logging.disable(logging.CRITICAL)
# What is imported stays: looking for garbage in it takes a seventh of the time to start.
gc.disable()
from mcpulse import watch  # noqa: E402
from tools import TOOLS, Tool, always, ask, text  # noqa: E402

module = import_module("fast" if flags.sdk == "fastmcp" else "official")
gc.freeze()
gc.enable()
sdk = module.Sdk(flags.sdk, low)
more: dict[str, Tool] = {}


def make() -> Any:
    server = sdk.make()

    def attach() -> None:
        tools = {"price_a": "/order/amount", "price_b": "/order/amount"}
        for _ in range(0 if flags.unwatched else 2 if flags.twice else 1):
            watch(
                server,
                debug=flags.debug,
                sessions=flags.sessions,
                policies={"strict": "authorization", "never_called": "identity"},
                agreements={"amount": {"tools": tools}},
            )

    async def grow(_args: dict[str, Any], here: Any) -> Any:
        more["grown"] = Tool(always("grown"))
        sdk.add(server, "grown", more["grown"])
        await here.changed()
        return text("grown")

    if flags.early:
        attach()
    asks = {"ask": Tool(ask)} if sdk.asks else {}
    for name, tool in {**TOOLS, **asks, "grow": Tool(grow), **more}.items():
        sdk.add(server, name, tool)
    if not flags.early:
        attach()
    return server


def listening(server: Any) -> None:
    sdk.add(server, "late", Tool(always("late")))


class Lines:
    """Standard input, in a way that does not keep the program from exiting."""

    async def __aiter__(self) -> AsyncIterator[str]:
        reader = asyncio.StreamReader(limit=1 << 28)
        protocol = asyncio.StreamReaderProtocol(reader)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await reader.readline():
            yield line.decode("utf-8", "replace")


async def serve_stdio() -> None:
    stdio_server = import_module("mcp.server.stdio").stdio_server
    server, *_others = [make() for _ in range(flags.servers)]
    asyncio.get_running_loop().call_soon(listening, server)
    inner = sdk.inner(server)
    async with stdio_server(stdin=Lines()) as (read, write):
        await inner.run(read, write, inner.create_initialization_options())


async def serve_http(bound: socket.socket, paths: list[str]) -> None:
    uvicorn = import_module("uvicorn")
    apps: dict[str, Any] = {}

    @contextlib.asynccontextmanager
    async def served(path: str, stateless: bool) -> AsyncIterator[Any]:
        server = make()
        listening(server)
        app = sdk.app(server, path, stateless)
        async with app.router.lifespan_context(app):
            yield app

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] not in paths:
            return
        if flags.http == "stateful":
            await apps[scope["path"]](scope, receive, send)
            return
        async with served(scope["path"], True) as app:
            await app(scope, receive, send)

    async with contextlib.AsyncExitStack() as stack:
        for path in paths if flags.http == "stateful" else ():
            apps[path] = await stack.enter_async_context(served(path, False))
        given = {"log_level": "critical", "lifespan": "off", "timeout_graceful_shutdown": 1}
        http = uvicorn.Server(uvicorn.Config(asgi, **given))
        # Signals stay as this program has them.
        http.capture_signals = contextlib.nullcontext
        await http.serve(sockets=[bound])


async def unless_uncaught(work: Any) -> None:
    loop = asyncio.get_running_loop()
    sdk.uncaught = loop.create_future()
    if flags.on_sigterm is not None:
        # In a callback of the loop: a library's `except BaseException` may keep it elsewhere.
        loop.add_signal_handler(signal.SIGTERM, sys.exit, flags.on_sigterm)
    serving = asyncio.ensure_future(work)
    await asyncio.wait((serving, sdk.uncaught), return_when=asyncio.FIRST_COMPLETED)
    (sdk.uncaught if sdk.uncaught.done() else serving).result()


def run_http() -> None:
    parent = os.getpid()
    bound = socket.create_server(("127.0.0.1", 0), backlog=128)
    paths = ["/mcp", *(f"/mcp{n}" for n in range(2, flags.servers + 1))]
    url, *others = [f"http://127.0.0.1:{bound.getsockname()[1]}{path}" for path in paths]
    print(json.dumps({"url": url, "more": others}), flush=True)
    children = [os.fork() for _ in range(flags.fork) if os.getpid() == parent]
    if not flags.fork or os.getpid() != parent:
        asyncio.run(unless_uncaught(serve_http(bound, paths)))
        return
    end = lambda *_: [os.kill(child, signal.SIGTERM) for child in children]  # noqa: E731
    signal.signal(signal.SIGTERM, end)
    for child in children:
        os.waitpid(child, 0)


if flags.on_sigterm is not None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(flags.on_sigterm))
if flags.mode[:1] == ["churn"]:
    gone = [weakref.ref(make()) for _ in range(int(flags.mode[1]))]
    gc.collect()
    alive = sum(server() is not None for server in gone)
    print(json.dumps({"created": len(gone), "alive": alive}))
elif flags.transport == "http":
    run_http()
else:
    asyncio.run(unless_uncaught(serve_stdio()))
