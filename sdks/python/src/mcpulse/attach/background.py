"""Work that runs beside a request, on the event loop of the host."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from .call import serving

Work = Callable[[], Awaitable[None]]

_LAST_CHANCE_S = 0.5
"""When the loop is closing, work that was still to come may take this long."""

_running: set[asyncio.Task[None]] = set()
"""A loop holds its tasks only weakly."""


def run_later(delay_s: float, work: Work) -> None:
    """Runs ``work`` after a delay, on asyncio or trio. Raises where neither is running."""
    context = contextvars.copy_context()
    # What it does is not part of the call that it was begun by.
    context.run(serving.set, None)
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        trio = sys.modules["trio"]
        trio.lowlevel.spawn_system_task(_on_trio, trio, delay_s, work, context=context)
        return
    task = context.run(loop.create_task, _on_asyncio(delay_s, work))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _on_asyncio(delay_s: float, work: Work) -> None:
    try:
        await asyncio.sleep(delay_s)
    except asyncio.CancelledError:
        # The program ends, most likely: now or never.
        try:
            await asyncio.wait_for(_guarded(work), _LAST_CHANCE_S)
        except asyncio.TimeoutError:
            pass
        raise
    await _guarded(work)


async def _on_trio(trio: Any, delay_s: float, work: Work) -> None:
    try:
        await trio.sleep(delay_s)
    except trio.Cancelled:
        with trio.move_on_after(_LAST_CHANCE_S, shield=True):
            await _guarded(work)
        raise
    await _guarded(work)


async def _guarded(work: Work) -> None:
    # An error that left here would be reported by the loop as the host's, or end trio.
    try:
        await work()
    except Exception:
        pass
