"""Which of the four outcomes a call had, from what is known about it and not from messages."""

from __future__ import annotations

from typing import Any

from ..wire.payloads import Outcome
from .shapes import Flavour, Generation, is_a

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600
URL_ELICITATION_REQUIRED = -32042

# Codes the MCP SDKs themselves use for failures: internal, timed out (SDK 2 and 1), connection
# closed, and whatever escaped a handler of SDK 1.
_FAILURES = frozenset((-32603, -32001, 408, -32000, 0))
_UNBOUND = frozenset((INVALID_PARAMS, METHOD_NOT_FOUND, INVALID_REQUEST))


def code_of(error: object) -> int | None:
    """The code of a protocol error of either MCP SDK; ``None`` for any other error."""
    if not is_a(error, "mcp", "MCPError", "McpError"):
        return None
    code = getattr(getattr(error, "error", None), "code", None)
    return code if isinstance(code, int) else None


def outcome_of_code(code: int | None) -> Outcome:
    """A protocol error is deliberate, unless it is one the MCP SDK itself fails with."""
    return "crashed" if code is None or code in _FAILURES else "tool_error"


def outcome_of_unrun(error: object) -> Outcome:
    """The request failed before the handler ran: refused by the MCP SDK or by middleware."""
    code = code_of(error)
    if code in _UNBOUND or is_a(error, "pydantic_core", "ValidationError"):
        return "bad_args"
    return outcome_of_code(code)


def outcome_of_raised(
    error: Exception, generation: Generation, flavour: Flavour, function_ran: bool
) -> Outcome:
    """An exception left the author's layer. It must still have its traceback."""
    if flavour == "low":
        return _low(error)
    if flavour == "fastmcp":
        return _fastmcp(error)
    return _mcp_v2(error) if generation == "v2" else _mcp_v1(error, function_ran)


def _low(error: Exception) -> Outcome:
    """A low-level handler finds tools and reads arguments itself, and says so by two codes."""
    code = code_of(error)
    return "bad_args" if code in (INVALID_PARAMS, METHOD_NOT_FOUND) else outcome_of_code(code)


def _mcp_v2(error: Exception) -> Outcome:
    if is_a(error, "mcp", "UnexpectedToolError"):
        return "crashed"
    if not is_a(error, "mcp", "ToolError"):
        return outcome_of_code(code_of(error))
    cause = error.__cause__
    # Without a cause there is no such tool; the MCP SDK gives every other one of its own a cause.
    if cause is None or is_a(cause, "pydantic_core", "ValidationError"):
        return "bad_args"
    return "tool_error"


def _mcp_v1(error: Exception, function_ran: bool) -> Outcome:
    if not is_a(error, "mcp", "ToolError"):
        return outcome_of_code(code_of(error))
    cause = error.__cause__
    if cause is None:
        return "bad_args"
    if is_a(cause, "mcp", "ToolError"):
        return "tool_error"
    if not function_ran and is_a(cause, "pydantic_core", "ValidationError"):
        return "bad_args"
    return outcome_of_code(code_of(cause))


def _fastmcp(error: Exception) -> Outcome:
    """FastMCP reports a crash by the type that authors raise: where it was made tells."""
    if is_a(error, "fastmcp", "NotFoundError", "DisabledError"):
        return "bad_args"
    if not is_a(error, "fastmcp", "FastMCPError"):
        return outcome_of_code(code_of(error))
    function, module = _origin(error)
    if is_a(error, "fastmcp", "ValidationError"):
        made_by_fastmcp = module.startswith("fastmcp.tools.") and function in _BINDING
        return "bad_args" if made_by_fastmcp else "tool_error"
    if (function, module) in _CRASHES:
        return outcome_of_code(code_of(error.__cause__))
    return "tool_error"


_BINDING = ("_run_body", "run", "_forward")
_CRASHES = (("call_tool", "fastmcp.server.server"), ("convert_result", "fastmcp.tools.base"))


def _origin(error: Exception) -> tuple[str, str]:
    """The function, and its module, that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "", ""
    frame = trace.tb_frame
    return frame.f_code.co_name, str(frame.f_globals.get("__name__", ""))


def says_error(value: Any) -> bool:
    """Whether what a handler returned says ``isError``."""
    if isinstance(value, dict):
        return value.get("isError") is True
    # Models of the MCP SDKs; asking them for what they have not is slow.
    for name in ("isError", "is_error"):
        if name in getattr(value, "__dict__", ()):
            return value.__dict__[name] is True
    return False
