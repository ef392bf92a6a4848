"""Where payloads of one endpoint and key go.

One session and one ring per process, shared by every `watch` that names them.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .agreements import AgreementBook, Verdict
from .backlog import Backlog
from .bounded import BoundedMap
from .guard import say
from .options import Agreement, Settings
from .send.sender import Sender
from .send.transport import Transport, post
from .version import SDK
from .wire.canonical import hash12
from .wire.payloads import MAX_TOOLS, AgreementPayload, CallPayload, Policy
from .wire.tool import describe_tool

_CONVERSATIONS = 10_000
"""Session ids of conversations are remembered for this many."""
_SURFACES = 4096
"""So many surfaces are remembered as sent; a server with one per user may have many."""
_COLLECT_BURST = 20
"""Collecting the tools of a server is free this many times,"""
_COLLECT_INTERVAL_S = 5.0
"""and then once in this time."""
EXIT_BUDGET_S = 1.0
"""A final flush may hold up the exit of the process this long, all destinations together."""


def new_session_id() -> str:
    """``s_`` and 12 hex digits from the system's own generator."""
    return f"s_{secrets.token_hex(6)}"


class Destination:
    """See the module."""

    def __init__(self, settings: Settings, transport: Transport = post) -> None:
        self.debug = False
        """Set by any `watch` that asks for it."""
        self.epoch = 0
        """How often this process was forked from another that was watching."""
        self._settings = settings
        self._transport = transport
        self._begin()

    def _begin(self) -> None:
        self.session = new_session_id()
        self.sender = Sender(
            f"{self._settings.endpoint}/v1/ingest",
            {
                "Authorization": f"Bearer {self._settings.key}",
                "Content-Type": "application/json",
                "User-Agent": SDK,
            },
            self._say_lazily,
            self._transport,
        )
        self.backlog = Backlog()
        self.agreements = AgreementBook()
        self._conversations: BoundedMap[str, str] = BoundedMap(_CONVERSATIONS)
        self._surfaces: BoundedMap[str, bool] = BoundedMap(_SURFACES)
        self._lists: BoundedMap[str, bool] = BoundedMap(_SURFACES)
        self._collect_credit = float(_COLLECT_BURST)
        self._collected_at = 0.0

    def begin_again(self) -> None:
        """In a forked child: what was recorded before is the parent's to send."""
        self.epoch += 1
        self._begin()

    def session_of(self, conversation: str | None) -> str:
        """The session of a conversation, random and not derived from its name."""
        if conversation is None:
            return self.session
        found = self._conversations.get(conversation)
        return found or self._conversations.get_or_set(conversation, new_session_id())

    def record_call(self, call: CallPayload) -> None:
        """Records a finished call."""
        self.sender.push(call)

    def record_verdicts(self, verdicts: list[Verdict]) -> None:
        """Records what comparing declared fields showed."""
        for field, tool_a, tool_b, agreed, window_ms in verdicts:
            checked_ms = time.time_ns() // 1_000_000
            self.sender.push(
                AgreementPayload(self.session, field, tool_a, tool_b, agreed, checked_ms, window_ms)
            )

    def record_tools(
        self,
        entries: list[Any],
        facts: dict[str, Any],
        policies: dict[str, Policy],
        agreements: tuple[Agreement, ...],
    ) -> None:
        """Has the sender's thread look at the tools clients see; new ones make a startup.

        ``facts`` are the other members of the startup.
        """
        session = self.session
        self.sender.submit(
            lambda: self._look_at_tools(entries, facts, policies, agreements, session)
        )

    def _look_at_tools(
        self,
        entries: list[Any],
        facts: dict[str, Any],
        policies: dict[str, Policy],
        agreements: tuple[Agreement, ...],
        session: str,
    ) -> None:
        declared = [{"field": one.field, "tools": list(one.tools)} for one in agreements]
        entries = [entry for entry in entries[:MAX_TOOLS] if isinstance(entry, dict)]
        seen = hash12(_dump([entries, list(policies.items()), declared]))
        if self._lists.get(seen):
            return
        self._lists.set(seen, True)
        tools = [describe_tool(entry, policies.get(str(entry.get("name")))) for entry in entries]
        # A surface is a set: the same tools in another order are the same surface.
        fingerprint = hash12(_dump([sorted(map(_dump, tools)), declared]))
        if self._surfaces.get(fingerprint):
            return
        self._surfaces.set(fingerprint, True)
        startup = {"v": 1, "type": "startup", "session_id": session, **facts, "tools": tools}
        startup["sdk"] = SDK
        if declared:
            startup["agreements"] = declared
        self.sender.lead(startup, fingerprint)

    def may_collect(self) -> bool:
        """Whether tools may be collected now, and if so, counts that they are.

        Collecting runs code of the host's and may be dear, and servers built per request would
        pay for it each time: a burst is free, then one per interval.
        """
        now = time.monotonic()
        earned = (now - self._collected_at) / _COLLECT_INTERVAL_S
        self._collect_credit = min(_COLLECT_BURST, self._collect_credit + earned)
        self._collected_at = now
        if self._collect_credit < 1:
            return False
        self._collect_credit -= 1
        return True

    def say(self, text: str) -> None:
        """Writes a debug line, if anyone asked for them."""
        if self.debug:
            say(text)

    def _say_lazily(self, text: Callable[[], str]) -> None:
        if self.debug:
            say(text())


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)


_destinations: dict[tuple[str, str], Destination] = {}
_making = threading.Lock()


def destination_of(settings: Settings) -> Destination:
    """The destination of these settings, made if this process has none yet."""
    name = (settings.endpoint, settings.key)
    destination = _destinations.get(name)
    if destination is None:
        with _making:
            destination = _destinations.get(name)
            if destination is None:
                destination = _destinations[name] = Destination(settings)
    if settings.debug:
        destination.debug = True
    return destination


def flush_all(timeout_s: float) -> bool:
    """Sends everything recorded so far. Says whether all of it was taken in time."""
    deadline = time.monotonic() + timeout_s
    destinations = list(_destinations.values())
    measured = [one.backlog.drain(deadline) for one in destinations]
    flushes = [one.sender.begin_flush(deadline) for one in destinations]
    for flush in flushes:
        flush.done.wait(max(0.0, deadline - time.monotonic()))
    return all(measured) and all(flush.sent for flush in flushes)


def _at_exit() -> None:
    try:
        flush_all(EXIT_BUDGET_S)
        for destination in list(_destinations.values()):
            sender = destination.sender
            held = sender.held + len(destination.backlog)
            destination.say(f"at exit: {sender.loss}, held {held}")
    except Exception:
        pass


def _in_child() -> None:
    global _making
    _making = threading.Lock()
    for destination in list(_destinations.values()):
        try:
            destination.begin_again()
        except Exception:
            destination.say("not sending: this process could not begin anew after fork()")
    util = sys.modules.get("multiprocessing.util")
    if util is not None and _destinations:
        # Its children leave by os._exit(), which runs finalizers of its own and no others. It
        # forgets those made before this point, but not what is to be run after its fork.
        util.register_after_fork(_at_exit, _finalize)


def _finalize(flush: Callable[[], None]) -> None:
    sys.modules["multiprocessing.util"].Finalize(None, flush, exitpriority=0)


# Runs when the main thread ends, at sys.exit() and after an uncaught error, but not when a signal
# without a handler of the host's ends the process: no handler is installed here.
atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
