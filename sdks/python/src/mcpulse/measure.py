"""A call's arguments and result: what is kept of them for a moment, and what is made of that.

A snapshot is a copy that the host cannot change, taken at the speed of memory.
"""

from __future__ import annotations

import io
import json
import pickle
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from .options import Agreement
from .wire.canonical import EMPTY_ARGS_HASH, args_hash
from .wire.empty import is_empty_result
from .wire.payloads import CallPayload
from .wire.sizes import result_size

if TYPE_CHECKING:
    from .destination import Destination


class _Snapshot(pickle.Pickler):
    """Takes exactly the built-in types; code of the host's never runs."""

    def reducer_override(self, _obj: Any) -> NoReturn:
        raise TypeError


def snapshot(value: Any) -> bytes | None:
    """A copy of a plain value, or ``None``: it is something else, or nested too deep."""
    copy = io.BytesIO()
    try:
        _Snapshot(copy, 5).dump(value)
    except Exception:
        return None
    return copy.getvalue()


class Arguments:
    """The hash of a call's arguments: what the client sent, whatever the handler makes of it."""

    __slots__ = ("_hash", "_hashed", "_snapshot", "weight")

    def __init__(
        self,
        arguments: Any,
        destination: Destination,
        hashed: Callable[[Any], str] | None = None,
    ) -> None:
        self._hashed = hashed or args_hash
        self._hash: str | None = EMPTY_ARGS_HASH
        self._snapshot: bytes | None = None
        if arguments is None or (type(arguments) is dict and not arguments):
            return
        taken = self._snapshot = snapshot(arguments)
        if taken is None:
            self._hash = self._hashed(arguments)
            return
        self.weight = len(taken)
        # At once: a call may take hours, and its arguments are not kept for it.
        destination.backlog.put(self)

    def work(self) -> None:
        """Makes the hash of the snapshot, and forgets that."""
        taken = self._snapshot
        if taken is None:
            return
        try:
            self._hash = self._hashed(pickle.loads(taken))
        except Exception:
            self._hash = None
        self._snapshot = None

    def hash(self) -> str:
        """The hash; made now if it has not been."""
        self.work()
        if self._hash is None:
            raise ValueError("a fault of the producer's")
        return self._hash


class Finished:
    """A finished call, all but measured."""

    __slots__ = (
        "_agreements",
        "_arguments",
        "_destination",
        "_draft",
        "_ended_ms",
        "_snapshot",
        "conversation",
        "reads",
        "weight",
    )

    def __init__(
        self,
        destination: Destination,
        draft: CallPayload,
        arguments: Arguments,
        agreements: tuple[Agreement, ...],
    ) -> None:
        """``draft`` lacks the sizes and the hash."""
        self._destination = destination
        self._draft = draft
        self._arguments = arguments
        self._agreements = agreements
        self._ended_ms = time.monotonic() * 1000
        self._snapshot = b""
        self.weight = 0
        self.conversation: str | None = None
        """Within which declared fields are compared."""
        self.reads: Callable[[Any], Any] | None = None
        """Makes JSON of the result. Without it the result is one that an MCP SDK writes, and the
        call crashed if it cannot."""

    def put(self, result: Any, taken: bytes | None = None) -> None:
        """Has the call measured and recorded; ``taken`` is a snapshot of ``result``, if given."""
        taken = snapshot(result) if taken is None else taken
        if taken is None:
            self._measure(result)
            return
        self._snapshot = taken
        self.weight = len(taken)
        self._destination.backlog.put(self)

    def work(self) -> None:
        """Measures and records."""
        try:
            result = pickle.loads(self._snapshot)
            self._measure(result if self.reads is None else self.reads(result))
        except Exception:
            self._destination.say("a call could not be measured")
            self._destination.sender.loss.unrecorded("a fault of the producer's")

    def _measure(self, result: Any) -> None:
        size = result_size(result)
        outcome = self._draft.outcome
        if not size.representable and self.reads is None and not can_be_written(result):
            outcome = "crashed"
        empty = outcome == "ok" and is_empty_result(result)
        call = self._draft._replace(
            outcome=outcome, units=size.units, is_empty=empty, args_hash=self._arguments.hash()
        )
        self._destination.record_call(call)
        if outcome == "ok" and self._agreements and isinstance(result, dict):
            self._compare(result.get("structuredContent"))

    def _compare(self, structured: Any) -> None:
        """A declared tool may have returned a declared field."""
        tool = self._draft.tool_name
        if structured is None or not isinstance(tool, str):
            return
        destination = self._destination
        conversation = self.conversation or ""
        book = destination.agreements
        verdicts = book.note(self._agreements, conversation, tool, structured, self._ended_ms)
        destination.record_verdicts(verdicts)


def can_be_written(result: Any) -> bool:
    """Whether the MCP SDK can put a result on the wire; half a surrogate pair has no UTF-8."""
    try:
        json.dumps(result, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    # Too deep for this, which says nothing about the MCP SDK.
    except Exception:
        pass
    return True
