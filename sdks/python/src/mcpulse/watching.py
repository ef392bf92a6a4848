"""The entry point: attach to a server, hand it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .attach import requests_v1, requests_v2
from .attach.shapes import parts_of
from .attach.watcher import Watcher
from .destination import destination_of, flush_all
from .guard import say
from .options import AgreementOptions, Complain, Sessions, read_options
from .wire.payloads import Policy

T = TypeVar("T")


def watch(
    server: T,
    *,
    key: str | None = None,
    endpoint: str | None = None,
    enabled: bool = True,
    debug: bool = False,
    policies: Mapping[str, Policy] | None = None,
    agreements: Mapping[str, AgreementOptions] | None = None,
    sessions: Sessions = "process",
    **unknown: Any,
) -> T:
    """Watches an MCP server: an ``MCPServer``, ``FastMCP`` or ``Server``.

    Before or after its tools are registered, and before or after it runs. Returns the same server.
    Never raises: when something is wrong, the server is left as it was and the ``debug`` option
    says why.

    :param key: The ingest key. Empty turns everything off. Default: ``MCPULSE_KEY``.
    :param endpoint: Where MCPulse is. Default: ``MCPULSE_ENDPOINT``, else
        ``http://127.0.0.1:7077``.
    :param enabled: False turns everything off.
    :param debug: Writes every payload sent, and every reason for not sending, to stderr.
    :param policies: Tool name to ``none``, ``authorization`` or ``identity``.
    :param agreements: Field name to the tools that report it. Off unless declared.
    :param sessions: What one session is: this ``process``, or, for HTTP servers with many users at
        once, each ``conversation`` that the protocol names with ``Mcp-Session-Id``.
    """

    def complain(reason: str) -> None:
        if debug is True:
            say(reason)

    options = {
        "key": key,
        "endpoint": endpoint,
        "enabled": enabled,
        "debug": debug,
        "policies": policies,
        "agreements": agreements,
        "sessions": sessions,
        **unknown,
    }
    try:
        _attach(server, options, complain)
    except Exception:
        complain("not watching: this server could not be attached to")
    return server


def _attach(candidate: Any, options: Mapping[str, Any], complain: Complain) -> None:
    settings = read_options(options, complain)
    if settings is None:
        return
    parts = parts_of(candidate)
    if parts is None:
        complain("not watching: this is no server of an MCP SDK that is supported")
        return
    requests = requests_v2 if parts.generation == "v2" else requests_v1
    if requests.is_watched(parts.server):
        complain("already watching this server: the first watch() counts")
        return
    requests.attach(parts, Watcher(parts, settings, destination_of(settings)))


def flush(timeout: float = 10.0) -> bool:
    """Sends everything recorded so far, for every watched server.

    Blocks for at most ``timeout`` seconds; in an event loop, run it in a thread. Says whether all
    of it was taken. Never raises.
    """
    try:
        return flush_all(timeout)
    except Exception:
        return False
