"""The official SDK, both of its generations."""

import importlib
import inspect
from types import SimpleNamespace
from typing import Any

from pydantic import ValidationError

from tools import Tool


class Sdk:
    def __init__(self, name: str, low: bool) -> None:
        self.v1, self.low, self.uncaught = name == "v1", low, None
        self.asks = not self.v1
        module = "mcp.server.fastmcp" if self.v1 else "mcp.server.mcpserver"
        load = importlib.import_module
        self.types = load("mcp.types" if self.v1 else "mcp_types")
        self.errors = load("mcp.shared.exceptions")
        self.kit = SimpleNamespace(
            **{**vars(load(module)), **vars(load(f"{module}.utilities.func_metadata"))}
        )
        self.server = load("mcp.server.lowlevel").Server
        self.base = load(f"{module}.tools.base").Tool

    def make(self) -> Any:
        if not self.low:
            high = self.kit.FastMCP if self.v1 else self.kit.MCPServer
            return high("harness")
        tools: dict[str, Tool] = {}
        server = self.server("harness") if self.v1 else self._low_v2(tools)
        server.kit_tools = tools
        if self.v1:
            self._low_v1(server, tools)
        return server

    def add(self, server: Any, name: str, tool: Tool) -> None:
        if self.low:
            server.kit_tools[name] = tool
            return
        fields = {
            "model_dump_one_level": lambda self: {"args": self.model_dump(exclude_unset=True)}
        }
        model = type(tool.args.__name__, (tool.args, self.kit.ArgModelBase), fields)

        async def run(args: dict[str, Any], ctx: Any = None) -> Any:
            return await self._run(tool, args, ctx.request_context, ctx)

        server._tool_manager._tools[name] = self.base(
            fn=run, name=name, description=tool.description, context_kwarg="ctx", is_async=True,
            parameters=tool.args.model_json_schema(),
            fn_metadata=self.kit.FuncMetadata(arg_model=model),
        )  # fmt: skip

    async def _run(self, tool: Tool, args: dict[str, Any], ctx: Any, asked: Any) -> Any:
        sdk = SimpleNamespace(uncaught=self.uncaught, changed=ctx.session.send_tool_list_changed)
        sdk.answers = getattr(asked, "input_responses", None)
        value = tool.run(args, sdk)
        value = await value if inspect.isawaitable(value) else value
        if "resultType" in value:
            return self.types.InputRequiredResult.model_validate(value)
        return self.types.CallToolResult.model_validate(value)

    def _entries(self, tools: dict[str, Tool]) -> list[Any]:
        schema = "inputSchema" if self.v1 else "input_schema"
        return [
            self.types.Tool(
                name=name, description=tool.description, **{schema: tool.args.model_json_schema()}
            )
            for name, tool in tools.items()
        ]

    def _bind(self, tools: dict[str, Tool], params: Any) -> tuple[Tool, dict[str, Any]]:
        try:
            tool = tools[params.name]
            bound = tool.args.model_validate(params.arguments or {})
            return tool, bound.model_dump(exclude_unset=True)
        except (KeyError, ValidationError):
            message = "no such tool, or not with such arguments"
            if self.v1:
                data = self.types.ErrorData(code=-32602, message=message)
                raise self.errors.McpError(data) from None
            raise self.errors.MCPError(-32602, message) from None

    def _low_v1(self, server: Any, tools: dict[str, Tool]) -> None:
        @server.list_tools()
        async def list_tools() -> Any:
            return self._entries(tools)

        async def call_tool(request: Any) -> Any:
            tool, args = self._bind(tools, request.params)
            ctx = server.request_context
            return self.types.ServerResult(await self._run(tool, args, ctx, None))

        server.request_handlers[self.types.CallToolRequest] = call_tool

    def _low_v2(self, tools: dict[str, Tool]) -> Any:
        async def list_tools(_ctx: Any, _params: Any) -> Any:
            return self.types.ListToolsResult(tools=self._entries(tools))

        async def call_tool(ctx: Any, params: Any) -> Any:
            tool, args = self._bind(tools, params)
            return await self._run(tool, args, ctx, params)

        return self.server("harness", on_list_tools=list_tools, on_call_tool=call_tool)

    def inner(self, server: Any) -> Any:
        return server if self.low else server._mcp_server if self.v1 else server._lowlevel_server

    def app(self, server: Any, path: str, stateless: bool) -> Any:
        if not self.v1:
            return server.streamable_http_app(streamable_http_path=path, stateless_http=stateless)
        if self.low:
            high = self.kit.FastMCP("harness")
            high._mcp_server, server = server, high
        server.settings.streamable_http_path = path
        server.settings.stateless_http = stateless
        return server.streamable_http_app()
