"""The program that the conformance kit drives; docs/harness.md says how."""

import argparse
import asyncio
import contextlib
import gc
import importlib
import json
import logging
import os
import signal
import socket
import sys
import weakref
from collections.abc import AsyncIterator
from typing import Any

from mcpulse import watch
from tools import TOOLS, Tool, always, ask, text

parser = argparse.ArgumentParser()
parser.add_argument("mode", nargs="*")
for name, default in {"transport": "stdio", "sdk": "v2", "api": "high", "http": "stateful"}.items():
    parser.add_argument(f"--{name}", default=default)
for name in ("servers", "fork"):
    parser.add_argument(f"--{name}", type=int, default=1 if name == "servers" else 0)
parser.add_argument("--sessions", default="process")
parser.add_argument("--on-sigterm", type=int)
for name in ("unwatched", "early", "debug", "twice"):
    parser.add_argument(f"--{name}", action="store_true")
flags, unknown = parser.parse_known_args()


def unsupported(flag: str, reason: str) -> None:
    sys.exit(print(f"unsupported: {flag}: {reason}", file=sys.stderr) or 64)


if unknown:
    unsupported(unknown[0], "no such flag")
if flags.api == "low" and flags.sdk == "fastmcp":
    unsupported("--api low", "FastMCP has no low-level API of its own")
if flags.sdk not in ("v1", "v2", "fastmcp"):
    unsupported(f"--sdk {flags.sdk}", "no such MCP SDK")
if flags.mode[:1] == ["fixtures"]:
    sys.exit(importlib.import_module("fixtures").answer())
logging.disable(logging.CRITICAL)
module = importlib.import_module("fast" if flags.sdk == "fastmcp" else "official")
sdk = module.Sdk(flags.sdk, flags.api == "low")


more: dict[str, Tool] = {}


def make() -> Any:
    server = sdk.make()

    def attach() -> None:
        tools = {"price_a": "/order/amount", "price_b": "/order/amount"}
        for _ in range(2 if flags.twice else 1):
            watch(
                server,
                debug=flags.debug,
                sessions=flags.sessions,
                policies={"strict": "authorization", "never_called": "identity"},
                agreements={"amount": {"tools": tools}},
            )

    async def grow(_args: dict[str, Any], sdk_here: Any) -> Any:
        more["grown"] = Tool(always("grown"))
        sdk.add(server, "grown", more["grown"])
        await sdk_here.changed()
        return text("grown")

    if flags.early and not flags.unwatched:
        attach()
    asks = {"ask": Tool(ask)} if sdk.asks else {}
    for name, tool in {**TOOLS, **asks, "grow": Tool(grow), **more}.items():
        sdk.add(server, name, tool)
    if not flags.early and not flags.unwatched:
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
    from mcp.server.stdio import stdio_server

    server, *_others = [make() for _ in range(flags.servers)]
    asyncio.get_running_loop().call_soon(listening, server)
    low = sdk.inner(server)
    async with stdio_server(stdin=Lines()) as (read, write):
        await low.run(read, write, low.create_initialization_options())


async def serve_http(bound: socket.socket) -> None:
    import uvicorn

    paths = ["/mcp", *(f"/mcp{n}" for n in range(2, flags.servers + 1))]
    apps: dict[str, Any] = {}

    async def one_request(path: str, scope: Any, receive: Any, send: Any) -> None:
        server = make()
        listening(server)
        app = sdk.app(server, path, True)
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] not in paths:
            return
        if flags.http == "stateless":
            await one_request(scope["path"], scope, receive, send)
        else:
            await apps[scope["path"]](scope, receive, send)

    async with contextlib.AsyncExitStack() as stack:
        for path in paths if flags.http == "stateful" else ():
            server = make()
            listening(server)
            apps[path] = sdk.app(server, path, False)
            await stack.enter_async_context(apps[path].router.lifespan_context(apps[path]))
        config = uvicorn.Config(
            asgi, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        http = uvicorn.Server(config)
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
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", 0))
    bound.listen(128)
    url = f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"
    print(
        json.dumps({"url": url, "more": [f"{url}{n}" for n in range(2, flags.servers + 1)]}),
        flush=True,
    )
    children = [os.fork() for _ in range(flags.fork) if os.getpid() == parent]
    if flags.fork and os.getpid() == parent:
        signal.signal(
            signal.SIGTERM, lambda *_: [os.kill(child, signal.SIGTERM) for child in children]
        )
        for child in children:
            os.waitpid(child, 0)
        return
    asyncio.run(unless_uncaught(serve_http(bound)))


def churn(total: int) -> None:
    gone = [weakref.ref(make()) for _ in range(total)]
    gc.collect()
    alive = sum(server() is not None for server in gone)
    print(json.dumps({"created": total, "alive": alive}))


parent = os.getpid()
if flags.on_sigterm is not None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(flags.on_sigterm))
if flags.mode[:1] == ["churn"]:
    churn(int(flags.mode[1]))
elif flags.transport == "http":
    run_http()
else:
    asyncio.run(unless_uncaught(serve_stdio()))
