"""What watching costs: calls of a watched server beside those of its unwatched twin, in one run.

    .venvs/v2/bin/python -m bench.main            the cost of a call, memory, and servers dropped
    .venvs/v2/bin/python -m bench.main --quick    the same with fewer calls

Run it from `sdks/python`, with the interpreter of the MCP SDK that is meant. Only the difference
means anything; the rest is the machine's.
"""

from __future__ import annotations

import gc
import json
import logging
import statistics
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anyio
from tests.support.sdks import SDK, add, connected, high, types

from mcpulse import Recorder, watch

QUICK = "--quick" in sys.argv
COST_ONLY = "--cost" in sys.argv
ROUNDS = 20 if QUICK else 100
CALLS_A_ROUND = 20
MEMORY_CALLS = 100_000 if QUICK else 1_000_000
SERVER_CALLS = 2_000 if QUICK else 10_000
SERVERS = 1_000 if QUICK else 10_000

ROWS = [{"id": n, "name": f"Customer {n}", "total": n * 9.99} for n in range(60)]
FILTERS = [{"field": f"column_{n}", "op": "contains", "value": f"text {n}"} for n in range(24)]


def text(value: str, structured: Any = None) -> Any:
    parts = [{"type": "text", "text": value}]
    result = (
        {"content": parts}
        if structured is None
        else {"content": parts, "structuredContent": structured}
    )
    return types.CallToolResult.model_validate(result)


# About 2 KB of arguments and 10 KB of result, in the shapes tools have.
WORKLOADS = {
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


def serving(result: Any, endpoint: str | None) -> Any:
    server = high()

    async def tool(query: str) -> Any:
        return result

    # What the author says it returns makes the MCP SDK check it; here it is not to.
    tool.__annotations__.pop("return")
    add(server, tool, "tool")
    return server if endpoint is None else watch(server, key="mp_live_bench", endpoint=endpoint)


async def compare(arguments: dict[str, Any], result: Any, endpoint: str) -> list[float]:
    """Times of a call in microseconds, plain and watched, taken in turns: median, first decile."""
    times: dict[str, list[float]] = {"plain": [], "watched": []}
    async with (
        connected(serving(result, None)) as plain,
        connected(serving(result, endpoint)) as watched,
    ):
        clients = {"plain": plain._call, "watched": watched._call}
        for number in range(ROUNDS):
            for name in sorted(clients, reverse=bool(number % 2)):
                call = clients[name]
                for _ in range(CALLS_A_ROUND):
                    # The thread's own time: what other processes take is no matter.
                    begun = time.thread_time_ns()
                    await call("tool", arguments)
                    if number >= ROUNDS // 5:
                        times[name].append((time.thread_time_ns() - begun) / 1000)
    deciles = [statistics.quantiles(times[name], n=10) for name in ("plain", "watched")]
    return [decile[at] for at in (4, 0) for decile in deciles]


def resident_mb() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6


def calls_with_a_dead_ingest() -> None:
    print(f"\nmemory over {MEMORY_CALLS} recorded calls with the ingest dead, in MB resident")
    recorder = Recorder(key="mp_live_bench", endpoint="http://127.0.0.1:9")
    arguments, _ = WORKLOADS["text in, text out"]
    result = {"content": [{"type": "text", "text": "One line of an answer.\n" * 100}]}
    for number in range(MEMORY_CALLS + 1):
        if number % (MEMORY_CALLS // 10) == 0:
            gc.collect()
            print(f"{number:>9} calls {resident_mb():8.1f}")
        recorder.record("tool", arguments=arguments, result=result)


async def calls_of_a_watched_server() -> None:
    print(f"\nthe same over {SERVER_CALLS} calls of a watched {SDK} server")
    arguments, result = WORKLOADS["text in, text out"]
    async with connected(serving(result, "http://127.0.0.1:9")) as client:
        for number in range(SERVER_CALLS + 1):
            if number % (SERVER_CALLS // 5) == 0:
                gc.collect()
                print(f"{number:>9} calls {resident_mb():8.1f}")
            await client._call("tool", arguments)


def servers_dropped() -> None:
    print(f"\n{SERVERS} servers watched and dropped, in MB resident")
    for number in range(SERVERS + 1):
        if number % (SERVERS // 5) == 0:
            gc.collect()
            print(f"{number:>9} servers {resident_mb():6.1f}")
        serving(None, "http://127.0.0.1:9")


def main() -> None:
    ingest = HTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=ingest.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{ingest.server_address[1]}"
    logging.disable(logging.CRITICAL)
    print("median processor time of a call, in microseconds (goal: less than 50 added)\n")
    print(f"{'':<45}{'median call':<27}  fastest tenth")
    columns = f"{'plain':>9}{'watched':>9}{'added':>9}"
    print(f"{'MCP SDK':<9}{'workload':<36}{columns}{columns}")
    for name, (arguments, result) in WORKLOADS.items():
        times = anyio.run(compare, arguments, result, endpoint)
        pairs = [(times[at], times[at + 1]) for at in (0, 2)]
        figures = [f"{one:9.1f}{other:9.1f}{other - one:9.1f}" for one, other in pairs]
        print(f"{SDK:<9}{name:<36}{''.join(figures)}")
    ingest.shutdown()
    if COST_ONLY:
        return
    calls_with_a_dead_ingest()
    anyio.run(calls_of_a_watched_server)
    servers_dropped()


if __name__ == "__main__":
    main()
