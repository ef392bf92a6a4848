"""The kit's tools, whichever MCP SDK serves them; docs/harness.md says what each must do."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

CANARY = os.environ.get("MCPULSE_HARNESS_CANARY", "canary")
EMPTY = {"blank": " \n\t", "null": "null", "list": "[]", "object": "{}"}


class Args(BaseModel):
    model_config = ConfigDict(extra="allow")


class Slow(Args):
    ms: int = Field(strict=True)


class Empty(Args):
    # Exactly str: of any other type the official SDK would take "null" for JSON.
    kind: str = Field(pattern="^(no_parts|blank|null|list|object)$")


class Reply(Args):
    result: dict[str, Any]


class Strict(Args):
    model_config = ConfigDict(extra="forbid")
    id: int = Field(ge=1, strict=True)
    note: str | None = None


class Huge(Args):
    units: int = 1_000_000


class Canary(Args):
    secret: str = Field(description=f"Such as {CANARY}.")


class Price(Args):
    id: str
    amount: float


class Quit(Args):
    code: int
    how: str = "exit"


@dataclass
class Tool:
    run: Callable[[dict[str, Any], Any], Any]
    args: type[Args] = Args
    description: str = "One of the kit's."


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def always(value: str) -> Callable[..., Any]:
    return lambda _args, _sdk: text(value)


async def slow(args: dict[str, Any], _sdk: Any) -> Any:
    await asyncio.sleep(args["ms"] / 1000)
    return text("done")


def empty(args: dict[str, Any], _sdk: Any) -> Any:
    return {"content": []} if args["kind"] == "no_parts" else text(EMPTY[args["kind"]])


def crash(_args: dict[str, Any], _sdk: Any) -> Any:
    raise RuntimeError(f"boom {CANARY}")


def price(args: dict[str, Any], _sdk: Any) -> Any:
    structured = {"order": {"id": args["id"], "amount": args["amount"]}}
    return {**text(json.dumps(structured)), "structuredContent": structured}


async def leave(args: dict[str, Any], sdk: Any) -> Any:
    uncaught = args.get("how") == "uncaught"
    how = sdk.uncaught.set_exception if uncaught else sys.exit
    asyncio.get_running_loop().call_later(
        0.05, how, RuntimeError("uncaught") if uncaught else args["code"]
    )
    return text("bye")


def ask(_args: dict[str, Any], sdk: Any) -> Any:
    if sdk.answers:
        return text(f"hello {sdk.answers['who'].content['name']}")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    params = {"mode": "form", "message": "Who?", "requestedSchema": schema}
    request = {"method": "elicitation/create", "params": params}
    return {"resultType": "input_required", "inputRequests": {"who": request}}


TOOLS = {
    "echo": Tool(lambda args, _: text(json.dumps(args, separators=(",", ":"), ensure_ascii=False))),
    "fast": Tool(always("done")),
    "slow": Tool(slow, Slow),
    "empty": Tool(empty, Empty),
    "reply": Tool(lambda args, _: {"content": [], **args["result"]}, Reply),
    "error": Tool(lambda _args, _sdk: {**text("no such order"), "isError": True}),
    "crash": Tool(crash),
    "strict": Tool(always("ok"), Strict),
    "huge": Tool(lambda args, _: text("x" * args.get("units", 1_000_000)), Huge),
    "unicode": Tool(always("café 🚀 東京")),
    "canary": Tool(
        lambda args, _: text(f"{CANARY} {args['secret']}"), Canary, f"Keeps a secret: {CANARY}."
    ),
    "price_a": Tool(price, Price),
    "price_b": Tool(price, Price),
    "never_called": Tool(always("done")),
    "quit": Tool(leave, Quit),
}
