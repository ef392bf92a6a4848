"""The fixtures of ``spec/``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
SPEC = ROOT / "spec"


def read_spec(name: str) -> Any:
    return json.loads((SPEC / name).read_text("utf-8"))
