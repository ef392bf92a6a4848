"""Text-level checks: one JSON object per line in, one per line out."""

import json
import sys
from typing import Any

from mcpulse import wire


def args(line: dict[str, Any]) -> dict[str, Any]:
    canonical = wire.canonicalize_args_text(line["json"] or "")
    digest = wire.NOT_REPRESENTABLE_HASH if canonical is None else wire.hash12(canonical)
    return {"canonical": canonical, "args_hash": digest}


def description(line: dict[str, Any]) -> dict[str, Any]:
    of = line["text"]
    hashes = {name: getattr(wire, name)(of) for name in ("description_hash", "description_norm")}
    return {"tokens": wire.description_tokens(of), **hashes}


NOTHING = {"description_hash": None, "description_norm": None}
OPERATIONS = {
    "args": args,
    "size": lambda line: {"units": wire.text_units(line["json"])},
    "empty": lambda line: {"is_empty": wire.is_empty_result(json.loads(line["result"] or "null"))},
    "result": lambda line: {"units": wire.result_size(json.loads(line["result"] or "null")).units},
    "tool": lambda line: {**NOTHING, **wire.describe_tool(json.loads(line["entry"]))},
    "description": description,
    "stem": lambda line: {"stem": wire.stem(line["word"])},
}


def answer() -> None:
    for line in map(json.loads, sys.stdin):
        known = OPERATIONS.get(line["op"])
        print(json.dumps(known(line) if known else {"unsupported": f"op {line['op']}"}))
