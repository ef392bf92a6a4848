"""Text-level checks: one JSON object per line in, one per line out."""

import json
import sys
from typing import Any

from mcpulse import wire


def _args(line: dict[str, Any]) -> dict[str, Any]:
    canonical = wire.canonicalize_args_text(line["json"] or "")
    digest = wire.NOT_REPRESENTABLE_HASH if canonical is None else wire.hash12(canonical)
    return {"canonical": canonical, "args_hash": digest}


def _tool(line: dict[str, Any]) -> dict[str, Any]:
    described = wire.describe_tool(json.loads(line["entry"]))
    return {"description_hash": None, "description_norm": None, **described}


def _description(line: dict[str, Any]) -> dict[str, Any]:
    text = line["text"]
    norm = wire.description_norm(text)
    tokens = wire.description_tokens(text)
    return {
        "tokens": tokens,
        "description_hash": wire.description_hash(text),
        "description_norm": norm,
    }


OPERATIONS = {
    "args": _args,
    "size": lambda line: {"units": wire.text_units(line["json"])},
    "empty": lambda line: {"is_empty": wire.is_empty_result(json.loads(line["result"] or "null"))},
    "result": lambda line: {"units": wire.result_size(json.loads(line["result"] or "null")).units},
    "tool": _tool,
    "description": _description,
    "stem": lambda line: {"stem": wire.stem(line["word"])},
}


def answer() -> None:
    for text in sys.stdin:
        line = json.loads(text)
        known = OPERATIONS.get(line["op"])
        print(json.dumps(known(line) if known else {"unsupported": f"op {line['op']}"}))
