"""Whether memory stays flat: with a dead ingest, and over servers that come and go.

    .venvs/v2/bin/python -m bench.memory            a million calls, ten thousand servers
    .venvs/v2/bin/python -m bench.memory --quick    a tenth of them

Megabytes resident, after garbage was collected. Run it from `sdks/python`.
"""

from __future__ import annotations

import gc
import logging
import sys

import anyio
from tests.support.sdks import SDK, connected

from bench.setting import DEAD, WORKLOADS, serving
from mcpulse import Recorder

SHARE = 10 if "--quick" in sys.argv else 1
RECORDED_CALLS = 1_000_000 // SHARE
SERVED_CALLS = 50_000 // SHARE
SERVERS = 10_000 // SHARE
STEPS = 10


def show(number: int, total: int) -> None:
    if number % (total // STEPS) == 0:
        gc.collect()
        with open("/proc/self/statm") as statm:
            resident = int(statm.read().split()[1]) * 4096 / 1e6
        print(f"{number:>9} {resident:8.1f}", flush=True)


def recorded_calls() -> None:
    print(f"\n{RECORDED_CALLS} calls recorded by hand, with the ingest dead")
    recorder = Recorder(key="mp_live_bench", endpoint=DEAD)
    arguments, _ = WORKLOADS["text in, text out"]
    result = {"content": [{"type": "text", "text": "One line of an answer.\n" * 100}]}
    for number in range(RECORDED_CALLS + 1):
        show(number, RECORDED_CALLS)
        recorder.record("tool", arguments=arguments, result=result)


async def served_calls() -> None:
    print(f"\n{SERVED_CALLS} calls of a watched {SDK} server, with the ingest dead")
    arguments, result = WORKLOADS["objects in, structured content out"]
    async with connected(serving(result, DEAD)) as client:
        for number in range(SERVED_CALLS + 1):
            show(number, SERVED_CALLS)
            await client._call("tool", arguments)


async def servers() -> None:
    print(f"\n{SERVERS} watched servers, one in a hundred of them used")
    arguments, result = WORKLOADS["text in, text out"]
    for number in range(SERVERS + 1):
        show(number, SERVERS)
        server = serving(result, DEAD)
        if number % 100 == 0:
            async with connected(server) as client:
                await client._call("tool", arguments)


def main() -> None:
    logging.disable(logging.CRITICAL)
    recorded_calls()
    anyio.run(served_calls)
    anyio.run(servers)


if __name__ == "__main__":
    main()
