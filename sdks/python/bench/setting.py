"""What the benches have in common: servers, what they are asked and answer, and an ingest."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from tests.support.sdks import add, high, types

from mcpulse import watch

DEAD = "http://127.0.0.1:9"
"""Nothing answers there."""

ROWS = [{"id": n, "name": f"Customer {n}", "total": n * 9.99} for n in range(60)]
FILTERS = [{"field": f"column_{n}", "op": "contains", "value": f"text {n}"} for n in range(24)]


def text(value: str, structured: Any = None) -> Any:
    parts = [{"type": "text", "text": value}]
    more = {} if structured is None else {"structuredContent": structured}
    return types.CallToolResult.model_validate({"content": parts, **more})


# About 2 KB of arguments and 10 KB of result, in the shapes tools have.
WORKLOADS: dict[str, tuple[dict[str, Any], Any]] = {
    "text in, text out": (
        {"query": "find the order of the customer, please. " * 50},
        text("One line of an answer, with words.\n" * 290),
    ),
    "objects in, JSON as text out": (
        {"query": json.dumps(FILTERS)},
        text(json.dumps(ROWS * 3)),
    ),
    "objects in, structured content out": (
        {"query": json.dumps(FILTERS)},
        text(json.dumps(ROWS), {"rows": ROWS * 2}),
    ),
}


class Quiet(BaseHTTPRequestHandler):
    """An ingest that takes everything."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(202)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_args: Any) -> None:
        pass


@contextmanager
def ingest() -> Iterator[str]:
    """The endpoint of an ingest in a process of its own: its time is none of the producer's."""
    server = HTTPServer(("127.0.0.1", 0), Quiet)
    child = os.fork()
    if child == 0:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    yield f"http://127.0.0.1:{server.server_address[1]}"
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def serving(result: Any, endpoint: str | None) -> Any:
    """A server with one tool; watched if there is an endpoint."""
    server = high()

    async def tool(query: str) -> Any:
        return result

    # What the author says it returns makes the MCP SDK check it; here it is not to.
    tool.__annotations__.pop("return")
    add(server, tool, "tool")
    return server if endpoint is None else watch(server, key="mp_live_bench", endpoint=endpoint)
