"""What watching costs: calls of a watched server beside those of its unwatched twin, in one run.

    .venvs/v2/bin/python -m bench.main

Run it from `sdks/python`, with the interpreter of the MCP SDK that is meant. Only the difference
means anything; the rest is the machine's. Microseconds:

- *path*: processor time of the thread that serves the call, at the median and at the first decile;
- *wall*: the time the call took, at the median, waiting for the interpreter included;
- *in all*: processor time of the process for each call, with measuring and sending, at the median
  of rounds of 30 calls.
"""

from __future__ import annotations

import logging
import statistics
import time
from typing import Any

import anyio
from tests.support.sdks import SDK, connected

from bench.setting import WORKLOADS, ingest, serving
from mcpulse import flush

ROUNDS = 60
CALLS_A_ROUND = 30

Times = dict[str, list[float]]


async def compare(arguments: dict[str, Any], result: Any, endpoint: str) -> list[list[float]]:
    """Path at the median and the first decile, wall, in all: each plain and watched."""
    path, wall, whole = ({"plain": [], "watched": []} for _ in range(3))
    async with (
        connected(serving(result, None)) as plain,
        connected(serving(result, endpoint)) as watched,
    ):
        clients = {"plain": plain._call, "watched": watched._call}
        for number in range(2 * ROUNDS):
            for name in sorted(clients, reverse=bool(number // 2 % 2)):
                times = path[name], wall[name]
                # By turns: as it is, and with everything measured and sent at the end.
                process = time.process_time()
                await a_round(clients[name], arguments, *times)
                if number % 2:
                    flush()
                    whole[name].append((time.process_time() - process) * 1e6 / CALLS_A_ROUND)
    median = statistics.median
    decile = lambda one: statistics.quantiles(one, n=10)[0]  # noqa: E731
    figures = [(median, path), (decile, path), (median, wall), (median, whole)]
    # The first fifth is for warming up.
    return [
        [figure(times[name][len(times[name]) // 5 :]) for name in clients]
        for figure, times in figures
    ]


async def a_round(
    call: Any, arguments: dict[str, Any], path: list[float], wall: list[float]
) -> None:
    for _ in range(CALLS_A_ROUND):
        begun, at = time.thread_time_ns(), time.perf_counter_ns()
        await call("tool", arguments)
        path.append((time.thread_time_ns() - begun) / 1000)
        wall.append((time.perf_counter_ns() - at) / 1000)


def main() -> None:
    logging.disable(logging.CRITICAL)
    print("microseconds of a call: plain, watched, added (goal: less than 50 added to the path)\n")
    heads = ("path, median", "path, first decile", "wall, median", "in all, median")
    print(f"{SDK:<37}" + "".join(f"{head:>22}" for head in heads))
    with ingest() as endpoint:
        for name, (arguments, result) in WORKLOADS.items():
            figures = anyio.run(compare, arguments, result, endpoint)
            cells = [f"{one:8.0f}{other:7.0f}{other - one:7.0f}" for one, other in figures]
            print(f"{name:<37}" + "".join(cells))


if __name__ == "__main__":
    main()
