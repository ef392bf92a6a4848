"""Recording by hand, for servers that no MCP SDK runs."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from .destination import Destination, destination_of
from .guard import say
from .measure import Arguments, Finished, snapshot
from .options import Settings, read_options
from .version import SDK
from .wire.canonical import NOT_REPRESENTABLE_HASH, args_hash
from .wire.payloads import (
    MAX_CLIENT_NAME,
    MAX_TOOL_NAME,
    CallPayload,
    Outcome,
    clip,
    fit_name,
    fit_version,
)

__all__ = ["SDK", "Recorder", "record"]

_OUTCOMES = ("ok", "bad_args", "tool_error", "crashed")


class Recorder:
    """Records calls of a server that speaks MCP without one of the MCP SDKs.

    Takes the options of `watch`. Nothing here raises.
    """

    def __init__(self, **options: Any) -> None:
        self._settings: Settings | None = None
        self._destination: Destination | None = None
        debug = options.get("debug") is True
        try:
            self._settings = read_options(options, say if debug else _say_nothing)
            if self._settings is not None:
                self._destination = destination_of(self._settings)
        except Exception:
            if debug:
                say("off: the options could not be read")

    def record(
        self,
        tool: str,
        *,
        arguments: Any = None,
        result: Any = None,
        outcome: Outcome | None = None,
        duration: float = 0.0,
        started: float | None = None,
        client: str | None = None,
        conversation: str | None = None,
    ) -> None:
        """Records one finished call.

        :param arguments: As the client sent them.
        :param result: The ``result`` object of the answer; ``None`` when it was an error.
        :param outcome: Default: ``tool_error`` for a result that says ``isError``, else ``ok``.
        :param duration: In seconds.
        :param started: When the request was seen, in seconds since 1970. Default: ``duration`` ago.
        :param client: The name the client gave itself.
        :param conversation: What tells apart the conversations of a server with many users at
            once, for the option ``sessions="conversation"``.
        """
        try:
            self._record(tool, arguments, result, outcome, duration, started, client, conversation)
        except Exception:
            if self._destination is not None:
                self._destination.say("a call could not be recorded")

    def _record(
        self,
        tool: str,
        arguments: Any,
        result: Any,
        outcome: Outcome | None,
        duration: float,
        started: float | None,
        client: str | None,
        conversation: str | None,
    ) -> None:
        destination, settings = self._destination, self._settings
        if destination is None or settings is None:
            return
        taken = snapshot(result)
        answer = jsonable(result) if taken is None else result
        if outcome not in _OUTCOMES:
            says_error = isinstance(answer, dict) and answer.get("isError") is True
            outcome = "tool_error" if says_error else "ok"
        begun = time.time() - duration if started is None else started
        named = conversation if settings.per_conversation else None
        draft = CallPayload(
            destination.session_of(named),
            clip(client, MAX_CLIENT_NAME),
            clip(tool, MAX_TOOL_NAME),
            int(begun * 1000),
            duration * 1000,
            outcome,
        )
        hashed = Arguments(arguments, destination, _hash)
        call = Finished(destination, draft, hashed, settings.agreements)
        call.conversation = conversation
        call.reads = jsonable
        call.put(answer, taken)

    def tools(
        self,
        entries: Sequence[Mapping[str, Any]],
        *,
        client: str | None = None,
        protocol_version: str | None = None,
        transport: str | None = None,
    ) -> None:
        """Reports the entries of ``tools/list`` that clients see; sent once for each set."""
        destination, settings = self._destination, self._settings
        if destination is None or settings is None:
            return
        try:
            facts = {"client_name": fit_name(client, MAX_CLIENT_NAME)}
            protocol = fit_version(protocol_version)
            if protocol is not None:
                facts["protocol_version"] = protocol
            if transport in ("stdio", "http"):
                facts["transport"] = transport
            listed = [jsonable(entry) for entry in entries]
            destination.record_tools(listed, facts, settings.policies, settings.agreements)
        except Exception:
            destination.say("the tools could not be recorded")


def _say_nothing(_text: str) -> None:
    pass


def _hash(arguments: Any) -> str:
    hashed = args_hash(arguments)
    if hashed != NOT_REPRESENTABLE_HASH:
        return hashed
    return args_hash(jsonable(arguments))


def jsonable(value: Any) -> Any:
    """A value as JSON would have it; what JSON cannot say is null."""
    if value is None:
        return None
    return json.loads(json.dumps(value, default=_default, skipkeys=True))


def _default(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(by_alias=True, mode="json", exclude_none=True)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return list(value) if isinstance(value, (set, frozenset)) else None


_default_recorder: list[Recorder] = []


def record(tool: str, **call: Any) -> None:
    """Records one finished call by the options of the environment; see `Recorder.record`."""
    if not _default_recorder:
        _default_recorder.append(Recorder())
    try:
        _default_recorder[0].record(tool, **call)
    except Exception:  # an argument of a name that is not known
        pass
