"""FastMCP."""

import inspect
from types import SimpleNamespace
from typing import Any

import fastmcp
from fastmcp.server.context import Context
from fastmcp.server.dependencies import get_context
from fastmcp.tools import FunctionTool
from fastmcp.tools import Tool as FastTool
from fastmcp.tools.base import InputRequiredToolResult
from mcp_types import CallToolResult, InputRequiredResult

from tools import Tool


class Echo(FastTool):
    """FastMCP takes no functions of any arguments; a tool of one's own may."""

    body: Any = None

    async def run(self, arguments: dict[str, Any]) -> Any:
        value = await self.body(arguments)
        asks = isinstance(value, InputRequiredResult)
        return InputRequiredToolResult(value) if asks else self.convert_result(value)


class Sdk:
    def __init__(self, _name: str, _low: bool) -> None:
        self.uncaught = None
        self.asks = True

    def make(self) -> Any:
        return fastmcp.FastMCP("harness")

    def add(self, server: Any, name: str, tool: Tool) -> None:
        async def body(args: dict[str, Any]) -> Any:
            ctx: Context = get_context()
            changed = ctx.session.send_tool_list_changed
            sdk = SimpleNamespace(uncaught=self.uncaught, changed=changed)
            sdk.answers = ctx.input_responses
            value = tool.run(args, sdk)
            value = await value if inspect.isawaitable(value) else value
            if "resultType" in value:
                return InputRequiredResult.model_validate(value)
            return CallToolResult.model_validate(value)

        schema = tool.args.model_json_schema()
        if not tool.args.model_fields:
            about = {"name": name, "description": tool.description, "parameters": schema}
            server.add_tool(Echo(**about, body=body))
            return

        async def run(**args: Any) -> Any:
            return await body({key: value for key, value in args.items() if value is not None})

        kind = inspect.Parameter.KEYWORD_ONLY
        run.__annotations__ = {
            key: field.rebuild_annotation() for key, field in tool.args.model_fields.items()
        }
        run.__signature__ = inspect.Signature(
            inspect.Parameter(
                key, kind, annotation=run.__annotations__[key],
                default=inspect.Parameter.empty if field.is_required() else field.default,
            )
            for key, field in tool.args.model_fields.items()
        )  # fmt: skip
        made = FunctionTool.from_function(
            run, name=name, description=tool.description, output_schema=None
        )
        server.add_tool(made)

    def inner(self, server: Any) -> Any:
        return SimpleNamespace(
            run=_within(server),
            create_initialization_options=_low(server).create_initialization_options,
        )

    def app(self, server: Any, path: str, stateless: bool) -> Any:
        return server.http_app(path=path, stateless_http=stateless)


def _low(server: Any) -> Any:
    return server._mcp_server


def _within(server: Any) -> Any:
    async def run(*args: Any) -> None:
        async with server._lifespan_manager():
            await _low(server).run(*args)

    return run
