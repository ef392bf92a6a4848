"""The tools clients see: collected once, and again when they change."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..wire.payloads import MAX_CLIENT_NAME, MAX_TOOLS, fit_name, fit_version
from .background import run_later
from .shapes import sdk_version, tool_count

if TYPE_CHECKING:
    from .watcher import Watcher

_GREETING_S = 0.5
"""A client that has just connected nearly always lists the tools itself within this time."""
_LOST_S = 5.0
"""A collection that is so late went with its event loop."""
_UNLISTED = 1000
"""So many names of tools that are not listed are remembered."""
_PAGES = 100
"""A server that pages without end is not followed further."""

ListPage = Callable[["str | None"], Awaitable[Any]]
"""Lists the tools from a cursor on; the result as the client would receive it."""


class Facts:
    """What a request says about its client, for a startup."""

    __slots__ = ("client", "protocol", "transport")

    def __init__(self, client: Any, protocol: Any, transport: str | None) -> None:
        self.client = client
        self.protocol = protocol
        self.transport = transport

    def wire(self, version: str | None) -> dict[str, Any]:
        """The members of a startup that are known."""
        optional = {
            "mcp_sdk_version": fit_version(version),
            "protocol_version": fit_version(self.protocol),
            "transport": self.transport,
        }
        known = {key: value for key, value in optional.items() if value is not None}
        return {"client_name": fit_name(self.client, MAX_CLIENT_NAME), **known}


class Surface:
    """See the module."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._names: frozenset[Any] | None = None
        """Those last collected; ``None`` when they have to be collected (again)."""
        self._count: int | None = None
        """How many tools the server had then."""
        self._epoch = watcher.destination.epoch
        self._unlisted: set[Any] = set()
        """Names that were called and, when last looked for, not listed."""
        self._collecting = False
        self._scheduled: object | None = None
        self._due = 0.0
        self._told = False

    def changed(self) -> None:
        """The tools may be others than before."""
        self._names = None
        self._unlisted.clear()

    def greeted(self, page: ListPage, facts: Facts) -> None:
        """A client connected: it may be another than before, and see other tools."""
        self._names = None
        self._schedule(_GREETING_S, page, facts)

    def wants(self) -> bool:
        """Whether the tools have to be collected; asked on every call."""
        if self._names is None or self._epoch != self._watcher.destination.epoch:
            return not self._collecting
        if self._count is not None and self._tool_count() != self._count:
            self.changed()
            return not self._collecting
        return False

    def _tool_count(self) -> int | None:
        return tool_count(self._watcher.parts.flavour, self._watcher.high)

    def calling(self, page: ListPage, facts: Facts) -> None:
        """A tool is being called, and the tools are wanted."""
        self._schedule(0.0, page, facts)

    def exists(self, name: Any) -> None:
        """A tool exists, listed or not: one that is not may have been added since."""
        names = self._names
        if names is None or name in names or name in self._unlisted:
            return
        # Once for each name: some servers serve tools they do not list.
        if len(self._unlisted) < _UNLISTED:
            self._unlisted.add(name)
        self._names = None

    def listed(self, result: Any, partial: bool, facts: Facts) -> None:
        """A client listed the tools: what it got is the surface, if it got all of it."""
        tools = result.get("tools") if isinstance(result, dict) else None
        if isinstance(tools, list) and not partial and result.get("nextCursor") is None:
            self._record(tools, facts)

    def _schedule(self, delay_s: float, page: ListPage, facts: Facts) -> None:
        due = time.monotonic() + delay_s
        waiting = self._scheduled is not None and due < self._due + _LOST_S
        if self._collecting or (waiting and due >= self._due):
            return
        if not self._watcher.destination.may_collect():
            return
        # Whatever was scheduled before, for later or on a loop that is gone, is called off by this.
        ticket = self._scheduled = object()
        self._due = due

        async def collect() -> None:
            if self._scheduled is ticket:
                await self._collect(page, facts)

        run_later(delay_s, collect)

    async def _collect(self, page: ListPage, facts: Facts) -> None:
        self._scheduled = None
        self._collecting = True
        try:
            self._record(await self._all_pages(page), facts)
        except Exception:
            # The author's own code may have failed, so the error is not looked at. Next time, then.
            self._watcher.destination.say(
                "the tools could not be listed; trying again on the next request"
            )
        finally:
            self._collecting = False

    async def _all_pages(self, page: ListPage) -> list[Any]:
        entries: list[Any] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            result = await page(cursor)
            entries += result["tools"]
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or len(entries) >= MAX_TOOLS:
                break
        return entries

    def _record(self, entries: list[Any], facts: Facts) -> None:
        watcher = self._watcher
        self._scheduled = None
        self._names = frozenset(
            entry["name"]
            for entry in entries
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        )
        self._count = self._tool_count()
        self._epoch = watcher.destination.epoch
        settings = watcher.settings
        facts_on_wire = facts.wire(sdk_version(watcher.parts.flavour))
        watcher.destination.record_tools(
            entries, facts_on_wire, settings.policies, settings.agreements
        )
        if not self._told:
            self._told = True
            watcher.say_what_is_wrapped(len(entries))
