"""The outer layer on MCP SDK 1: its dispatch of messages and the answers it gives.

The dispatch looks handlers up for each request, whether they were registered before or after, so
that is where to stand. ``initialize`` never gets there: its session answers it itself.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..bounded import BoundedMap
from ..measure import Arguments, snapshot
from .call import NOT_RUN, Call, serving
from .handlers import is_observed, observed_function, observed_tool
from .shapes import Parts, as_received
from .surface import Facts, ListPage
from .watcher import Watcher

_UNANSWERED = 1000
"""So many requests may wait for their turn."""
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"


def is_watched(server: Any) -> bool:
    """Whether this server is watched already."""
    return is_observed(server._handle_request)


def attach(parts: Parts, watcher: Watcher) -> None:
    """Attaches to a server; if that raises, nothing was changed."""
    server = parts.server
    handle_request, handle_message = server._handle_request, server._handle_message
    run = server.run

    async def observed_request(message: Any, request: Any, session: Any, *rest: Any) -> Any:
        kind = type(request).__name__
        if kind == "CallToolRequest":
            return await _call(watcher, handle_request, message, request, session, *rest)
        if kind == "ListToolsRequest":
            _guarded(watcher, _look_at_list, watcher, message, request, session)
        return await handle_request(message, request, session, *rest)

    async def observed_message(message: Any, session: Any, *rest: Any) -> Any:
        if type(getattr(message, "root", None)).__name__ == "InitializedNotification":
            _guarded(watcher, _greet, watcher, session)
        return await handle_message(message, session, *rest)

    async def observed_run(read_stream: Any, write_stream: Any, *rest: Any, **named: Any) -> Any:
        streams = Incoming(read_stream, watcher), Outgoing(write_stream)
        return await run(*streams, *rest, **named)

    observed_request.__mcpulse__ = True  # type: ignore[attr-defined]
    if parts.flavour != "low":
        _observe_tools(parts)
    server._handle_request = observed_request
    server._handle_message = observed_message
    server.run = observed_run


class _Stream:
    """One of the streams that messages come and go by: everything is the host's own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Any:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> Any:
        return await self._stream.__aexit__(*exception)


class Incoming(_Stream):
    """Shows arguments as they were sent.

    The session makes of a number past the largest double a null, before anyone is shown it.
    """

    def __init__(self, stream: Any, watcher: Watcher) -> None:
        super().__init__(stream)
        self._destination = watcher.destination
        self._unanswered: BoundedMap[Any, Arguments] = BoundedMap(_UNANSWERED)

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        message = await self._stream.__anext__()
        try:
            request = message.message.root
            if request.method == "tools/call":
                arguments = Arguments(request.params.get("arguments"), self._destination)
                self._unanswered.set(request.id, arguments)
        # An exception instead of a message, an answer, a request without parameters.
        except Exception:
            pass
        return message

    def taken(self, request_id: Any) -> Arguments | None:
        """A request's arguments, once."""
        return self._unanswered.pop(request_id)


class Outgoing(_Stream):
    """Shows results as the MCP SDK writes them, which saves writing them again to measure them."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.expected: dict[Any, Call] = {}
        """The calls that are being answered, by request."""

    async def send(self, message: Any) -> Any:
        """Passes everything on."""
        if self.expected:
            try:
                answer = message.message.root
                call = self.expected.get(getattr(answer, "id", None))
                if call is not None and hasattr(answer, "result"):
                    call.written = snapshot(answer.result)
            # Whatever that is, it is no answer.
            except Exception:
                pass
        return await self._stream.send(message)


def _guarded(watcher: Watcher, look: Callable[..., None], *args: Any) -> None:
    try:
        look(*args)
    except Exception:
        watcher.destination.say("a message could not be looked at")


async def _call(
    watcher: Watcher,
    handle: Callable[..., Awaitable[Any]],
    message: Any,
    request: Any,
    session: Any,
    *rest: Any,
) -> Any:
    call = _begin(watcher, message, request, session)
    if call is None:
        return await handle(message, request, session, *rest)
    # Not a token: giving that back may raise.
    around = serving.get()
    serving.set(call)
    try:
        return await handle(message, request, session, *rest)
    except Exception as error:
        # Only a server that is told to raise what its handlers raise gets here.
        call.failed(error, time.perf_counter())
        raise
    finally:
        # Not answered, or what left is no Exception.
        call.unrecorded("cancelled")
        serving.set(around)
        vars(message).pop("respond", None)


def _begin(watcher: Watcher, message: Any, request: Any, session: Any) -> Call | None:
    try:
        params = request.params
        http = _http_request(message)
        conversation = _conversation(http) if watcher.names_conversations else None
        incoming = getattr(session, "_read_stream", None)
        received = incoming.taken(message.request_id) if isinstance(incoming, Incoming) else None
        client = _client(message, session)
        call = Call(watcher, params.name, params.arguments, client, conversation, received)
        if _observe_tool(watcher, request):
            call.tool = NOT_RUN
        _observe_answer(message, call, getattr(session, "_write_stream", None))
        _listen(session, watcher)
        if watcher.surface.wants():
            watcher.surface.calling(_pages(watcher), _facts(message, session))
        return call
    except Exception:
        watcher.destination.say("a call could not be recorded")
        return None


def _observe_answer(message: Any, call: Call, outgoing: Any) -> None:
    respond = message.respond
    expected = outgoing.expected if isinstance(outgoing, Outgoing) else {}

    async def observed_respond(response: Any) -> None:
        ended = time.perf_counter()
        expected[message.request_id] = call
        try:
            await respond(response)
        except Exception as error:
            # Not if there is just nobody any more to answer to.
            if type(error).__name__ not in ("BrokenResourceError", "ClosedResourceError"):
                call.ended_with("crashed", ended)
            raise
        finally:
            expected.pop(message.request_id, None)
        if message.cancelled:
            return
        result = getattr(response, "root", None)
        if result is None:
            call.failed_by_code(getattr(response, "code", None), ended)
        elif hasattr(result, "task") and not hasattr(result, "content"):
            call.unrecorded("task")
        else:
            call.answered(result, ended)

    message.respond = observed_respond


def _observe_tools(parts: Parts) -> None:
    owner = parts.high if parts.flavour == "fastmcp" else parts.high._tool_manager
    if not is_observed(owner.call_tool):
        passes = _is_outer if parts.flavour == "fastmcp" else None
        owner.call_tool = observed_tool(owner.call_tool, passes)


def _is_outer(kwargs: dict[str, Any]) -> bool:
    return kwargs.get("run_middleware", True) is not False


def _observe_tool(watcher: Watcher, request: Any) -> bool:
    """Wraps the author's code for the tool that is called; says whether it will be seen to run."""
    if watcher.parts.flavour == "low":
        return _observe_low(watcher.server.request_handlers.get(type(request)))
    if watcher.parts.flavour == "mcp":
        tool = watcher.high._tool_manager.get_tool(request.params.name)
        if tool is not None and not is_observed(tool.fn):
            tool.fn = observed_function(tool.fn, tool.is_async)
    return True


def _observe_low(handler: Any) -> bool:
    """The MCP SDK keeps the author's function in the handler it makes around it."""
    names = getattr(getattr(handler, "__code__", None), "co_freevars", ())
    if "func" not in names or getattr(handler, "__module__", "") != "mcp.server.lowlevel.server":
        # A handler of the author's own making, which answers as it likes.
        return False
    cell = handler.__closure__[names.index("func")]
    if not is_observed(cell.cell_contents):
        cell.cell_contents = observed_tool(cell.cell_contents)
    return True


def _look_at_list(watcher: Watcher, message: Any, request: Any, session: Any) -> None:
    respond = message.respond
    facts = _facts(message, session)
    partial = getattr(request.params, "cursor", None) is not None
    _listen(session, watcher)

    async def observed_respond(response: Any) -> None:
        await respond(response)
        vars(message).pop("respond", None)
        _guarded(watcher, listed, response)

    def listed(response: Any) -> None:
        watcher.surface.listed(as_received(getattr(response, "root", None)), partial, facts)
        if watcher.surface.wants():
            watcher.surface.calling(_pages(watcher), facts)

    message.respond = observed_respond


def _greet(watcher: Watcher, session: Any) -> None:
    _listen(session, watcher)
    facts = _facts(None, session)
    # A notification does not say what it came by; a request that follows will.
    facts.transport = None
    watcher.surface.greeted(_pages(watcher), facts)


def _pages(watcher: Watcher) -> ListPage:
    types = sys.modules["mcp.types"]

    async def page(cursor: str | None) -> Any:
        server = watcher.server
        if server is None:
            raise LookupError("the server is gone")
        handler = server.request_handlers[types.ListToolsRequest]
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        answer = await handler(types.ListToolsRequest(method="tools/list", params=params))
        return as_received(answer.root)

    return page


def _facts(message: Any, session: Any) -> Facts:
    http = None if message is None else _http_request(message)
    params = session.client_params
    protocol = None if http is None else http.headers.get("mcp-protocol-version")
    if params is not None:
        # As the session itself agrees on one.
        supported = sys.modules["mcp.shared.version"].SUPPORTED_PROTOCOL_VERSIONS
        protocol = params.protocolVersion
        if protocol not in supported:
            protocol = sys.modules["mcp.types"].LATEST_PROTOCOL_VERSION
    client = _client(message, session)
    return Facts(client, protocol, "stdio" if http is None else "http")


def _client(message: Any, session: Any) -> Any:
    """The client's name, from this request or from the protocol session it belongs to."""
    meta = getattr(message, "request_meta", None)
    extra = getattr(meta, "model_extra", None)
    if extra:
        info = extra.get(_CLIENT_INFO)
        name = info.get("name") if isinstance(info, Mapping) else None
        if name is not None:
            return name
    params = session.client_params
    return None if params is None else params.clientInfo.name


def _http_request(message: Any) -> Any:
    return getattr(message.message_metadata, "request_context", None)


def _conversation(http: Any) -> str | None:
    """The conversation the protocol names (``Mcp-Session-Id``), if it does."""
    name = None if http is None else http.headers.get("mcp-session-id")
    return name if isinstance(name, str) and name else None


def _listen(session: Any, watcher: Watcher) -> None:
    """Hears of it when the server tells this session's client that the list changed."""
    if "send_notification" in vars(session):
        return
    send_notification = session.send_notification
    surface = weakref.ref(watcher.surface)

    async def observed_notification(notification: Any, *args: Any, **kwargs: Any) -> Any:
        listening = surface()
        kind = type(getattr(notification, "root", None)).__name__
        if kind == "ToolListChangedNotification" and listening is not None:
            listening.changed()
        return await send_notification(notification, *args, **kwargs)

    session.send_notification = observed_notification
