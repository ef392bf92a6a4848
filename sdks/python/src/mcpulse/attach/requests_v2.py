"""The outer layer on MCP SDK 2 and what is built on it: an entry of `Server.middleware`.

The outermost one, so that it sees the request before validation and the result as it goes out.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from .call import RAISED, RETURNED, RUNNING, Call, serving
from .handlers import is_observed, observed_tool
from .shapes import Parts, as_received
from .surface import Facts, ListPage
from .watcher import Watcher

CallNext = Callable[[Any], Awaitable[Any]]

_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_GREETINGS = ("initialize", "server/discover")
_OBSERVED = ("tools/list", *_GREETINGS)


def is_watched(server: Any) -> bool:
    """Whether this server is watched already."""
    return any(getattr(layer, "is_mcpulse_layer", False) for layer in server.middleware)


def attach(parts: Parts, watcher: Watcher) -> None:
    """Attaches to a server; if that raises, nothing was changed."""
    layer = Layer(watcher)
    _observe_tools(parts)
    parts.server.middleware.insert(0, layer)


def _observe_tools(parts: Parts) -> None:
    if parts.flavour == "fastmcp":
        call_tool = parts.high.call_tool
        if not is_observed(call_tool):
            # It calls itself for each layer of its middleware; the innermost runs the tool.
            parts.high.call_tool = observed_tool(
                call_tool, lambda kwargs: kwargs.get("run_middleware", True) is not False
            )
    elif parts.flavour == "mcp":
        manager = parts.high._tool_manager
        if not is_observed(manager.call_tool):
            manager.call_tool = observed_tool(manager.call_tool)


class Layer:
    """The middleware."""

    is_mcpulse_layer = True

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    async def __call__(self, ctx: Any, call_next: CallNext) -> Any:
        """Passes everything on, and looks at what it shows."""
        call = self._begin(ctx, call_next) if ctx.method == "tools/call" else None
        if call is None:
            result = await call_next(ctx)
            self._look(ctx, call_next, result)
            return result
        # Not a token: giving that back may raise.
        around = serving.get()
        serving.set(call)
        try:
            result = await call_next(ctx)
        except Exception as error:
            call.failed(error, time.perf_counter())
            raise
        else:
            call.answered(result, time.perf_counter())
            return result
        finally:
            # Neither answered nor failed: what left is no Exception.
            call.unrecorded("cancelled")
            serving.set(around)

    def _begin(self, ctx: Any, call_next: CallNext) -> Call | None:
        if ctx.request_id is None:
            return None
        try:
            watcher = self._watcher
            # Asking for an abstract type is slow.
            params = ctx.params if type(ctx.params) is dict else dict(ctx.params or ())
            conversation = _conversation(ctx) if watcher.names_conversations else None
            call = Call(
                watcher, params.get("name"), params.get("arguments"), _client(ctx), conversation
            )
            _observe_handler(watcher)
            _listen(ctx, watcher)
            if watcher.surface.wants():
                watcher.surface.calling(_pages(ctx, call_next), _facts(ctx))
            return call
        except Exception:
            self._watcher.destination.say("a call could not be recorded")
            return None

    def _look(self, ctx: Any, call_next: CallNext, result: Any) -> None:
        if ctx.request_id is None or ctx.method not in _OBSERVED:
            return
        try:
            self._saw(ctx, call_next, result)
        except Exception:
            self._watcher.destination.say("a request could not be looked at")

    def _saw(self, ctx: Any, call_next: CallNext, result: Any) -> None:
        surface = self._watcher.surface
        _listen(ctx, self._watcher)
        if ctx.method in _GREETINGS:
            facts = _facts(ctx)
            if ctx.method == "initialize":
                # What the handshake agreed on is committed only once this layer has returned.
                params = ctx.params or {}
                facts.client = _name_in(params.get("clientInfo"))
                facts.protocol = as_received(result).get("protocolVersion")
            surface.greeted(_pages(ctx, call_next, facts.protocol), facts)
        else:
            partial = bool((ctx.params or {}).get("cursor"))
            surface.listed(as_received(result), partial, _facts(ctx))
            if surface.wants():
                surface.calling(_pages(ctx, call_next), _facts(ctx))


def _observe_handler(watcher: Watcher) -> None:
    """Wraps the handler of ``tools/call``, whichever was registered last."""
    handlers = watcher.server._request_handlers
    entry = handlers.get("tools/call")
    if entry is None or is_observed(entry.handler):
        return
    observe = _observed_low if watcher.parts.flavour == "low" else _observed_handler
    handlers["tools/call"] = replace(entry, handler=observe(entry.handler))


def _observed_handler(handler: Any) -> Any:
    """Wraps the handler of a high-level server, to know whether the request got that far."""

    async def run(ctx: Any, params: Any) -> Any:
        call = serving.get()
        if call is None or call.done:
            return await handler(ctx, params)
        call.handler = RUNNING
        try:
            value = await handler(ctx, params)
        except Exception:
            call.handler = RAISED
            raise
        call.handler = RETURNED
        return value

    run.__mcpulse__ = True  # type: ignore[attr-defined]
    return run


def _observed_low(handler: Any) -> Any:
    """Wraps the handler of a low-level server, which is the author's own code."""
    tool = observed_tool(handler)

    async def run(ctx: Any, params: Any) -> Any:
        call = serving.get()
        if call is not None:
            call.handler = RUNNING
        return await tool(ctx, params)

    run.__mcpulse__ = True  # type: ignore[attr-defined]
    return run


def _pages(ctx: Any, call_next: CallNext, protocol: Any = None) -> ListPage:
    """Lists the tools as this client would get them, through whatever middleware there is."""
    meta = (ctx.params or {}).get("_meta")
    kept = {key: value for key, value in (meta or {}).items() if key != "progressToken"}
    given = {"_meta": kept} if kept else {}

    async def page(cursor: str | None) -> Any:
        params = given if cursor is None else {**given, "cursor": cursor}
        request = replace(ctx, method="tools/list", params=params or None)
        if isinstance(protocol, str):
            request.protocol_version = protocol
        return as_received(await call_next(request))

    return page


def _facts(ctx: Any) -> Facts:
    transport = "stdio" if ctx.request is None else "http"
    return Facts(_client(ctx), ctx.protocol_version, transport)


def _client(ctx: Any) -> Any:
    """The client's name, from this request or from the protocol session it belongs to."""
    params = ctx.params
    meta = params.get("_meta") if params else None
    if meta:
        name = _name_in(meta.get(_CLIENT_INFO))
        if name is not None:
            return name
    session = ctx.session.client_params
    return None if session is None else session.client_info.name


def _name_in(info: Any) -> Any:
    return info.get("name") if isinstance(info, Mapping) else None


def _conversation(ctx: Any) -> str | None:
    """The conversation the protocol names (``Mcp-Session-Id``), if it does."""
    if ctx.request is None:
        return None
    name = ctx.request.headers.get("mcp-session-id")
    return name if isinstance(name, str) and name else None


def _listen(ctx: Any, watcher: Watcher) -> None:
    """Hears of it when the server tells its clients of this connection that the list changed."""
    connection = ctx.session._connection
    outbound = connection.outbound
    # The others are made for each request, and no such notification leaves by them.
    if type(outbound).__name__ != "JSONRPCDispatcher" or "mcpulse" in connection.state:
        return
    connection.state["mcpulse"] = True
    notify = outbound.notify
    surface = weakref.ref(watcher.surface)

    async def observed_notify(method: Any, *args: Any, **kwargs: Any) -> Any:
        listening = surface()
        if method == "notifications/tools/list_changed" and listening is not None:
            listening.changed()
        return await notify(method, *args, **kwargs)

    outbound.notify = observed_notify
