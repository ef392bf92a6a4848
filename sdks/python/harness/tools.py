"""The kit's tools, whichever MCP SDK serves them; docs/harness.md says what each must do."""

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

CANARY = os.environ.get("MCPULSE_HARNESS_CANARY", "canary")
EMPTY = {"blank": " \n\t", "null": "null", "list": "[]", "object": "{}"}


def takes(extra: Any = "allow", **fields: Any) -> type[BaseModel]:
    return create_model("Args", __config__=ConfigDict(extra=extra), **fields)


ANYTHING = takes()


@dataclass
class Tool:
    """``body`` gets the arguments, and what it may do: ``changed``, ``uncaught``, ``answers``."""

    body: Callable[[dict[str, Any], Any], Any]
    args: type[BaseModel] = ANYTHING
    description: str = "One of the kit's."

    async def run(self, args: dict[str, Any], here: Any, types: Any) -> Any:
        value = self.body(args, here)
        value = await value if inspect.isawaitable(value) else value
        asks = "resultType" in value
        return (types.InputRequiredResult if asks else types.CallToolResult).model_validate(value)


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def always(value: str) -> Callable[..., Any]:
    return lambda _args, _here: text(value)


async def slow(args: dict[str, Any], _here: Any) -> Any:
    await asyncio.sleep(args["ms"] / 1000)
    return text("done")


def crash(_args: dict[str, Any], _here: Any) -> Any:
    raise RuntimeError(f"boom {CANARY}")


def price(args: dict[str, Any], _here: Any) -> Any:
    structured = {"order": {"id": args["id"], "amount": args["amount"]}}
    return {**text(json.dumps(structured)), "structuredContent": structured}


def leave(args: dict[str, Any], here: Any) -> Any:
    uncaught = args.get("how") == "uncaught"
    ways = here.uncaught.set_exception if uncaught else sys.exit
    what = RuntimeError("uncaught") if uncaught else args["code"]
    asyncio.get_running_loop().call_later(0.05, ways, what)
    return text("bye")


def ask(_args: dict[str, Any], here: Any) -> Any:
    if here.answers:
        return text(f"hello {here.answers['who'].content['name']}")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    params = {"mode": "form", "message": "Who?", "requestedSchema": schema}
    request = {"method": "elicitation/create", "params": params}
    return {"resultType": "input_required", "inputRequests": {"who": request}}


# Exactly str: of any other type the official SDK would take "null" for JSON.
KIND = (str, Field(pattern="^(no_parts|blank|null|list|object)$"))
SECRET = (str, Field(description=f"Such as {CANARY}."))
INTEGER = Annotated[int, Field(strict=True)]
ID = (INTEGER, Field(ge=1))

TOOLS = {
    "echo": Tool(lambda args, _: text(json.dumps(args, separators=(",", ":"), ensure_ascii=False))),
    "fast": Tool(always("done")),
    "slow": Tool(slow, takes(ms=(INTEGER, ...))),
    "empty": Tool(
        lambda args, _: text(EMPTY[args["kind"]]) if args["kind"] in EMPTY else {"content": []},
        takes(kind=KIND),
    ),
    "reply": Tool(
        lambda args, _: {"content": [], **args["result"]}, takes(result=(dict[str, Any], ...))
    ),
    "error": Tool(lambda _args, _here: {**text("no such order"), "isError": True}),
    "crash": Tool(crash),
    "strict": Tool(always("ok"), takes("forbid", id=ID, note=(str | None, None))),
    "huge": Tool(
        lambda args, _: text("x" * args.get("units", 1_000_000)), takes(units=(int, 1_000_000))
    ),
    "unicode": Tool(always("café 🚀 東京")),
    "canary": Tool(
        lambda args, _: text(f"{CANARY} {args['secret']}"),
        takes(secret=SECRET),
        f"Keeps a secret: {CANARY}.",
    ),
    "price_a": Tool(price, takes(id=(str, ...), amount=(float, ...))),
    "price_b": Tool(price, takes(id=(str, ...), amount=(float, ...))),
    "never_called": Tool(always("done")),
    "quit": Tool(leave, takes(code=(int, ...), how=(str, "exit"))),
}
