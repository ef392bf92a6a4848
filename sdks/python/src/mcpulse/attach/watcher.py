"""What is known about one watched server; nothing global holds on to it."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

from ..destination import Destination
from ..options import Settings
from .shapes import Parts
from .surface import Surface


class Watcher:
    """See the module."""

    def __init__(self, parts: Parts, settings: Settings, destination: Destination) -> None:
        self.settings = settings
        self.destination = destination
        # The server holds the watcher, so the watcher holds it only weakly.
        self.parts = replace(parts, server=None, high=None)
        """Without the servers."""
        self._server = weakref.ref(parts.server)
        self._high = None if parts.high is None else weakref.ref(parts.high)
        self.names_conversations = settings.per_conversation or bool(settings.agreements)
        """Whether it matters which conversation a call is of."""
        self.surface = Surface(self)

    @property
    def server(self) -> Any:
        """The low-level server, or ``None`` when it is gone."""
        return self._server()

    @property
    def high(self) -> Any:
        """The high-level server around it, or ``None`` when there is none, or it is gone."""
        return None if self._high is None else self._high()

    def has_looked_up(self, tool: Any) -> bool:
        """Whether a low-level server of SDK 1 knows what arguments a tool takes."""
        server = self.server
        return self.parts.flavour != "low" or server is None or tool in server._tool_cache

    def say_what_is_wrapped(self, advertised: int) -> None:
        """What is watched of what is advertised, on the debug lines."""
        server = self.server
        if server is None:
            return
        served = (
            "tools/call" in server._request_handlers
            if self.parts.generation == "v2"
            else any(kind.__name__ == "CallToolRequest" for kind in server.request_handlers)
        )
        if served:
            self.destination.say(f"watching {advertised} of {advertised} tools")
        else:
            self.destination.say("recording nothing: this server has no handler for tools/call")
