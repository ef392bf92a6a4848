"""What the MCP SDKs are made of, as far as this package looks at it.

Nothing is imported from them: objects are known by their members and types by their names, so that
any version, or several, may be installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

Generation = Literal["v1", "v2"]
Flavour = Literal["low", "mcp", "fastmcp"]
"""A low-level server, the high-level one of the official SDK, or FastMCP."""


@dataclass(frozen=True)
class Parts:
    """A server, taken apart."""

    server: Any
    """The low-level server."""
    high: Any
    """The high-level server around it, if there is one."""
    generation: Generation
    flavour: Flavour


def parts_of(candidate: Any) -> Parts | None:
    """The parts of a server of an MCP SDK; ``None`` for anything else."""
    for member in ("_lowlevel_server", "_mcp_server"):
        server = getattr(candidate, member, None)
        generation = _generation(server)
        if generation is not None:
            fastmcp = is_a(candidate, "fastmcp", "FastMCP")
            return Parts(server, candidate, generation, "fastmcp" if fastmcp else "mcp")
    generation = _generation(candidate)
    return None if generation is None else Parts(candidate, None, generation, "low")


def _generation(server: Any) -> Generation | None:
    if server is None:
        return None
    if (
        isinstance(getattr(server, "middleware", None), list)
        and isinstance(getattr(server, "_request_handlers", None), dict)
        and callable(getattr(server, "get_request_handler", None))
    ):
        return "v2"
    if isinstance(getattr(server, "request_handlers", None), dict) and all(
        callable(getattr(server, name, None)) for name in ("_handle_request", "_handle_message")
    ):
        return "v1"
    return None


def is_a(value: object, package: str, *names: str) -> bool:
    """Whether a value is of a type of that name in a package, or of a subtype."""
    return any(
        kind.__name__ in names and kind.__module__.partition(".")[0] == package
        for kind in type(value).__mro__
    )


def as_received(result: Any) -> Any:
    """A result as the client receives it: models of the MCP SDKs are written as they write them."""
    if isinstance(result, dict) or not hasattr(result, "model_dump"):
        return result
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def type_of(result: Any) -> Any:
    """The ``resultType`` of a result, as the client receives it or still a model."""
    members = result if isinstance(result, dict) else getattr(result, "model_extra", None)
    return members.get("resultType") if isinstance(members, dict) else None


def tool_count(flavour: Flavour, high: Any) -> int | None:
    """How many tools are registered with a high-level server, where that can be seen cheaply."""
    if flavour == "mcp":
        tools = getattr(getattr(high, "_tool_manager", None), "_tools", None)
    else:
        tools = getattr(getattr(high, "_local_provider", None), "_components", None)
    return len(tools) if isinstance(tools, dict) else None


_versions: dict[str, str | None] = {}


def sdk_version(flavour: Flavour) -> str | None:
    """The installed version of the MCP SDK, if it can be found."""
    package = "fastmcp" if flavour == "fastmcp" else "mcp"
    if package not in _versions:
        try:
            version = metadata.version(package)
            _versions[package] = f"fastmcp {version}" if flavour == "fastmcp" else version
        except Exception:
            _versions[package] = None
    return _versions[package]
