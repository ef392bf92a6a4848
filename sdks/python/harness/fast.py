"""FastMCP."""

import inspect
from types import SimpleNamespace
from typing import Any

import fastmcp
import mcp_types
from fastmcp.server.dependencies import get_context
from fastmcp.tools import FunctionTool
from fastmcp.tools import Tool as FastTool
from fastmcp.tools.base import InputRequiredToolResult

from tools import Tool


class Free(FastTool):
    """FastMCP takes no functions of any arguments; a tool of one's own may."""

    body: Any = None

    async def run(self, arguments: dict[str, Any]) -> Any:
        value = await self.body(**arguments)
        asks = isinstance(value, mcp_types.InputRequiredResult)
        return InputRequiredToolResult(value) if asks else self.convert_result(value)


class Sdk:
    def __init__(self, _name: str, _low: bool) -> None:
        self.uncaught, self.asks = None, True

    def make(self) -> Any:
        return fastmcp.FastMCP("harness")

    def add(self, server: Any, name: str, tool: Tool) -> None:
        async def body(**given: Any) -> Any:
            ctx = get_context()
            here = SimpleNamespace(uncaught=self.uncaught, answers=ctx.input_responses)
            here.changed = ctx.session.send_tool_list_changed
            return await tool.run(given, here, mcp_types)

        fields, about = tool.args.model_fields, {"name": name, "description": tool.description}
        if not fields:
            schema = tool.args.model_json_schema()
            server.add_tool(Free(**about, parameters=schema, body=body))
            return
        types = {key: field.rebuild_annotation() for key, field in fields.items()}
        body.__annotations__ = types
        body.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
            inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, annotation=types[key],
                default=inspect.Parameter.empty if field.is_required() else field.default,
            )
            for key, field in fields.items()
        ])  # fmt: skip
        server.add_tool(FunctionTool.from_function(body, **about, output_schema=None))

    def inner(self, server: Any) -> Any:
        low = server._mcp_server

        async def run(*args: Any) -> None:
            async with server._lifespan_manager():
                await low.run(*args)

        return SimpleNamespace(
            run=run, create_initialization_options=low.create_initialization_options
        )

    def app(self, server: Any, path: str, stateless: bool) -> Any:
        return server.http_app(path=path, stateless_http=stateless)
