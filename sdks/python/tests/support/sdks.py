"""The MCP SDK that is installed where the tests run, and what differs between them."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any


def _installed() -> str:
    if importlib.util.find_spec("fastmcp") is not None:
        return "fastmcp"
    return "v2" if importlib.util.find_spec("mcp_types") is not None else "v1"


SDK = _installed()
BACKENDS = ["asyncio"] if SDK == "fastmcp" else ["asyncio", "trio"]
APIS = ["high"] if SDK == "fastmcp" else ["high", "low"]

types = importlib.import_module("mcp.types" if SDK == "v1" else "mcp_types")


def tool_error(text: str) -> Exception:
    """The MCP SDK's own deliberate tool error."""
    module = {
        "v1": "mcp.server.fastmcp.exceptions",
        "v2": "mcp.server.mcpserver.exceptions",
        "fastmcp": "fastmcp.exceptions",
    }[SDK]
    return importlib.import_module(module).ToolError(text)  # type: ignore[no-any-return]


def protocol_error(code: int, text: str) -> Exception:
    errors = importlib.import_module("mcp.shared.exceptions")
    if SDK == "v1":
        return errors.McpError(types.ErrorData(code=code, message=text))  # type: ignore[no-any-return]
    return errors.MCPError(code, text)  # type: ignore[no-any-return]


def high(name: str = "test") -> Any:
    module = {"v1": "mcp.server.fastmcp", "v2": "mcp.server.mcpserver", "fastmcp": "fastmcp"}[SDK]
    loaded = importlib.import_module(module)
    return (loaded.MCPServer if SDK == "v2" else loaded.FastMCP)(name)


def add(server: Any, function: Callable[..., Any], name: str) -> None:
    if SDK == "fastmcp":
        tool = importlib.import_module("fastmcp.tools").FunctionTool.from_function(
            function, name=name
        )
        server.add_tool(tool)
    else:
        server.add_tool(function, name=name)


def low(call_tool: Callable[[str, dict[str, Any]], Any], *names: str, page: int = 0) -> Any:
    """A low-level server with these tools, listed ``page`` at a time if that is given."""
    server_type = importlib.import_module("mcp.server.lowlevel").Server
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    key = "inputSchema" if SDK == "v1" else "input_schema"
    tools = [types.Tool(name=name, description="A tool.", **{key: schema}) for name in names]

    def listed(cursor: str | None) -> Any:
        start = int(cursor or 0)
        stop = start + page if page else len(tools)
        more = {"nextCursor" if SDK == "v1" else "next_cursor": str(stop)}
        more = more if stop < len(tools) else {}
        return types.ListToolsResult(tools=tools[start:stop], **more)

    if SDK == "v1":
        server = server_type("test")

        @server.list_tools()
        async def list_v1(request: types.ListToolsRequest) -> Any:
            # The MCP SDK itself asks without a request.
            return listed(request and request.params and request.params.cursor)

        server.call_tool()(call_tool)
        return server

    async def list_v2(_ctx: Any, params: Any) -> Any:
        return listed(params and params.cursor)

    async def call_v2(_ctx: Any, params: Any) -> Any:
        return await call_tool(params.name, params.arguments or {})

    return server_type("test", on_list_tools=list_v2, on_call_tool=call_v2)


def text(value: str, **more: Any) -> Any:
    content = [{"type": "text", "text": value}]
    return types.CallToolResult.model_validate({"content": content, **more})


class Client:
    """A real client of the MCP SDK, in this process."""

    def __init__(self, session: Any) -> None:
        self.session = session

    async def call(self, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result as it came, or ``{"error": code}``."""
        try:
            result = await self._call(name, arguments)
        except Exception as error:
            code = getattr(getattr(error, "error", None), "code", None)
            if code is None:
                raise
            return {"error": code}
        return dict(result.model_dump(by_alias=True, mode="json", exclude_none=True))

    async def _call(self, name: str, arguments: dict[str, Any] | None) -> Any:
        if SDK == "fastmcp":
            return await self.session.call_tool_mcp(name, arguments or {})
        return await self.session.call_tool(name, arguments)

    async def names(self) -> list[str]:
        listed = await self.session.list_tools()
        return [tool.name for tool in getattr(listed, "tools", listed)]


@asynccontextmanager
async def connected(server: Any, **options: Any) -> AsyncIterator[Client]:
    if SDK == "v1":
        memory = importlib.import_module("mcp.shared.memory")
        info = types.Implementation(name="test-client", version="1")
        timeout = timedelta(seconds=60)
        connect = memory.create_connected_server_and_client_session
        async with connect(server, timeout, client_info=info, **options) as session:
            yield Client(session)
    elif SDK == "v2":
        info = types.Implementation(name="test-client", version="1")
        client = importlib.import_module("mcp").Client
        async with client(server, client_info=info, **options) as session:
            yield Client(session)
    else:
        client = importlib.import_module("fastmcp").Client
        info = types.Implementation(name="test-client", version="1")
        async with client(server, client_info=info, **options) as session:
            yield Client(session)
