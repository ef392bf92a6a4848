"""The official SDK, both of its generations."""

from importlib import import_module as load
from types import SimpleNamespace
from typing import Any

from pydantic import ValidationError

from tools import Tool


class Sdk:
    def __init__(self, name: str, low: bool) -> None:
        self.v1, self.low, self.uncaught = name == "v1", low, None
        self.asks = not self.v1
        module = "mcp.server.fastmcp" if self.v1 else "mcp.server.mcpserver"
        self.types = load("mcp.types" if self.v1 else "mcp_types")
        self.errors = load("mcp.shared.exceptions")
        self.kit = load(f"{module}.utilities.func_metadata")
        self.high = getattr(load(module), "FastMCP" if self.v1 else "MCPServer")
        self.server = load("mcp.server.lowlevel").Server
        self.base = load(f"{module}.tools.base").Tool

    def make(self) -> Any:
        return self._make_low() if self.low else self.high("harness")

    def add(self, server: Any, name: str, tool: Tool) -> None:
        if self.low:
            server.kit_tools[name] = tool
            return
        given = {"model_dump_one_level": lambda self: {"args": self.model_dump(exclude_unset=True)}}
        model = type("Args", (tool.args, self.kit.ArgModelBase), given)

        async def run(args: dict[str, Any], ctx: Any = None) -> Any:
            return await self._run(tool, args, ctx.request_context, ctx)

        server._tool_manager._tools[name] = self.base(
            fn=run, name=name, description=tool.description, context_kwarg="ctx", is_async=True,
            parameters=tool.args.model_json_schema(),
            fn_metadata=self.kit.FuncMetadata(arg_model=model),
        )  # fmt: skip

    async def _run(self, tool: Tool, args: dict[str, Any], ctx: Any, asked: Any) -> Any:
        here = SimpleNamespace(uncaught=self.uncaught, changed=ctx.session.send_tool_list_changed)
        here.answers = getattr(asked, "input_responses", None)
        return await tool.run(args, here, self.types)

    def _make_low(self) -> Any:
        tools: dict[str, Tool] = {}

        async def list_tools(*_: Any) -> Any:
            key = "inputSchema" if self.v1 else "input_schema"
            entries = [
                {"name": name, "description": tool.description, key: tool.args.model_json_schema()}
                for name, tool in tools.items()
            ]
            return self.types.ListToolsResult(tools=[self.types.Tool(**one) for one in entries])

        async def call_tool(ctx: Any, params: Any) -> Any:
            try:
                tool = tools[params.name]
                bound = tool.args.model_validate(params.arguments or {})
            except (KeyError, ValidationError):
                error = {"code": -32602, "message": "no such tool, or not with such arguments"}
                if self.v1:
                    raise self.errors.McpError(self.types.ErrorData(**error)) from None
                raise self.errors.MCPError(**error) from None
            return await self._run(tool, bound.model_dump(exclude_unset=True), ctx, params)

        if self.v1:
            server = self.server("harness")
            result = self.types.ServerResult

            async def list_v1(_request: Any) -> Any:
                return result(await list_tools())

            async def call_v1(request: Any) -> Any:
                return result(await call_tool(server.request_context, request.params))

            server.request_handlers[self.types.ListToolsRequest] = list_v1
            server.request_handlers[self.types.CallToolRequest] = call_v1
        else:
            server = self.server("harness", on_list_tools=list_tools, on_call_tool=call_tool)
        server.kit_tools = tools
        return server

    def inner(self, server: Any) -> Any:
        return server if self.low else server._mcp_server if self.v1 else server._lowlevel_server

    def app(self, server: Any, path: str, stateless: bool) -> Any:
        if not self.v1:
            return server.streamable_http_app(streamable_http_path=path, stateless_http=stateless)
        if self.low:
            low, server = server, self.high("harness")
            server._mcp_server = low
        server.settings.streamable_http_path = path
        server.settings.stateless_http = stateless
        return server.streamable_http_app()
