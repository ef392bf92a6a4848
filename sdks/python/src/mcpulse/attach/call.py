"""One ``tools/call`` on its way: what is kept of it when, and what is recorded in the end."""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..measure import Arguments, Finished
from ..wire.payloads import MAX_CLIENT_NAME, MAX_TOOL_NAME, CallPayload, Outcome, clip
from .outcome import (
    URL_ELICITATION_REQUIRED,
    code_of,
    outcome_of_code,
    outcome_of_raised,
    outcome_of_unrun,
    says_error,
)
from .shapes import as_received, type_of

if TYPE_CHECKING:
    from .watcher import Watcher

# Stages of a layer: the handler of the request, or the author's own tool.
UNSEEN = 0
NOT_RUN = 1
RUNNING = 2
RETURNED = 3
RAISED = 4

serving: ContextVar[Call | None] = ContextVar("mcpulse.serving", default=None)
"""The call being served. Tasks and threads that the handler starts inherit it."""


class Call:
    """See the module. Every method may be called with anything, and none of them raises."""

    __slots__ = (
        "_arguments",
        "_begun",
        "_client",
        "_conversation",
        "_started_ms",
        "_watcher",
        "blame",
        "done",
        "function_ran",
        "handler",
        "name",
        "returned_error",
        "tool",
        "written",
    )

    def __init__(
        self,
        watcher: Watcher,
        name: Any,
        arguments: Any,
        client: Any,
        conversation: str | None,
        received: Arguments | None = None,
    ) -> None:
        self._begun = time.perf_counter()
        self._started_ms = time.time_ns() // 1_000_000
        self._watcher = watcher
        self.name = name
        # Before the handler runs: it is free to change what it is given.
        self._arguments = received or Arguments(arguments, watcher.destination)
        self._client = client
        self._conversation = conversation
        self.handler = NOT_RUN
        self.tool = UNSEEN
        self.function_ran = False
        self.returned_error = False
        self.blame: Outcome | None = None
        """The outcome by what the author's code raised."""
        self.written: bytes | None = None
        """A snapshot of the result as the MCP SDK wrote it, where that can be seen."""
        self.done = False

    def tool_returned(self, value: Any) -> None:
        """The author's layer returned."""
        self.tool = RETURNED
        if self._watcher.parts.generation == "v1":
            self.returned_error = says_error(value)

    def tool_raised(self, error: Exception) -> None:
        """The author's layer raised; called where it did, with the traceback still whole."""
        self.tool = RAISED
        parts = self._watcher.parts
        try:
            self.blame = outcome_of_raised(
                error, parts.generation, parts.flavour, self.function_ran
            )
        except Exception:
            self.blame = "crashed"

    def answered(self, result: Any, ended: float) -> None:
        """The request was answered with a result."""
        if self.done:
            return
        self.done = True
        try:
            self._answered(result, ended)
        except Exception:
            self._unrecorded("a fault of the producer's")

    def _answered(self, answer: Any, ended: float) -> None:
        result = as_received(answer) if self.written is None else answer
        result_type = type_of(result)
        if isinstance(result_type, str) and result_type != "complete":
            waits = result_type == "input_required"
            self._unrecorded("input required" if waits else "task")
            return
        self._finish(self._outcome_of_result(result), result, ended)

    def _outcome_of_result(self, result: Any) -> Outcome:
        if not says_error(result):
            return "ok"
        if self.blame is not None:
            return self.blame
        if self._watcher.parts.generation == "v2":
            # A handler or middleware of the author's made it: SDK 2 has no other without a cause.
            return "tool_error"
        if self.tool == NOT_RUN:
            # SDK 1 looks a tool up in its own list first; if that failed, so did the author's code.
            return "bad_args" if self._watcher.has_looked_up(self.name) else "crashed"
        if self.tool == RETURNED and not self.returned_error:
            # SDK 1 did not accept what the handler returned.
            return "crashed"
        return "tool_error"

    def failed(self, error: Exception, ended: float) -> None:
        """The request was answered with a JSON-RPC error, by way of this exception."""
        if self.done:
            return
        code = code_of(error)
        if code == URL_ELICITATION_REQUIRED:
            # The client is sent to a URL and then calls again.
            self.unrecorded("input required")
            return
        self.ended_with(self._outcome_of_error(error, code), ended)

    def _outcome_of_error(self, error: Exception, code: int | None) -> Outcome:
        if self.blame is not None:
            return self.blame
        if self.tool == RETURNED or self.handler == RETURNED:
            return "crashed"
        return outcome_of_unrun(error) if self.handler == NOT_RUN else outcome_of_code(code)

    def failed_by_code(self, code: Any, ended: float) -> None:
        """The request was answered with a JSON-RPC error of SDK 1, of which only this is known."""
        if self.done:
            return
        if code == URL_ELICITATION_REQUIRED:
            self.unrecorded("input required")
        elif self.blame is not None:
            self.ended_with(self.blame, ended)
        elif code in (-32602, -32601):
            self.ended_with("bad_args", ended)
        else:
            self.ended_with(outcome_of_code(code if isinstance(code, int) else None), ended)

    def ended_with(self, outcome: Outcome, ended: float) -> None:
        """The call is over and the client got no result."""
        self.done = True
        try:
            self._finish(outcome, None, ended)
        except Exception:
            self._unrecorded("a fault of the producer's")

    def unrecorded(self, reason: str) -> None:
        """The call is rightly not recorded, unless it has been already."""
        if not self.done:
            self.done = True
            self._unrecorded(reason)

    def _unrecorded(self, reason: str) -> None:
        self._watcher.destination.sender.loss.unrecorded(reason)

    def _finish(self, outcome: Outcome, result: Any, ended: float) -> None:
        watcher = self._watcher
        destination, settings = watcher.destination, watcher.settings
        conversation = self._conversation if settings.per_conversation else None
        draft = CallPayload(
            destination.session_of(conversation),
            clip(self._client, MAX_CLIENT_NAME),
            clip(self.name, MAX_TOOL_NAME),
            self._started_ms,
            (ended - self._begun) * 1000,
            outcome,
        )
        call = Finished(destination, draft, self._arguments, settings.agreements)
        call.conversation = self._conversation
        call.put(result, self.written)
        if outcome != "bad_args":
            watcher.surface.exists(self.name)
