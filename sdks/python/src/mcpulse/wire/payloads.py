"""The payloads of wire format 1, and how values are made to fit it."""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

Outcome = Literal["ok", "bad_args", "tool_error", "crashed"]
"""How a call ended."""

Policy = Literal["none", "authorization", "identity"]
"""Whether a tool declares that it needs authorisation or a verified identity."""

# Limits of the wire format: lengths in code points, durations in milliseconds.
MAX_CLIENT_NAME = 128
MAX_TOOL_NAME = 200
MAX_FIELD = 200
MAX_VERSION = 64
MAX_TOOLS = 500
MAX_AGREEMENTS = 100
MAX_AGREEMENT_TOOLS = 20
MAX_DURATION_MS = 86_400_000
MAX_UNITS = 2_147_483_647


class CallPayload(NamedTuple):
    """One finished call. What takes time to write is left to the sender."""

    session_id: str
    client_name: Any
    tool_name: Any
    started_ms: int
    """Wall clock, since 1970."""
    duration_ms: float
    outcome: Outcome
    units: int = 0
    is_empty: bool = False
    args_hash: str = ""

    def wire(self) -> dict[str, Any]:
        """The payload as it is sent."""
        return {
            "v": 1,
            "type": "call",
            "session_id": self.session_id,
            "client_name": fit_name(self.client_name, MAX_CLIENT_NAME),
            "tool_name": fit_name(self.tool_name, MAX_TOOL_NAME),
            "started_at": timestamp(self.started_ms),
            "duration_ms": fit_integer(self.duration_ms, MAX_DURATION_MS),
            "outcome": self.outcome,
            "response_bytes": fit_integer(self.units, MAX_UNITS),
            "is_empty": self.outcome == "ok" and self.is_empty,
            "args_hash": self.args_hash,
        }


class AgreementPayload(NamedTuple):
    """Whether two tools agreed about one declared field."""

    session_id: str
    field: str
    tool_a: str
    tool_b: str
    agreed: bool
    checked_ms: int
    window_ms: int

    def wire(self) -> dict[str, Any]:
        """The payload as it is sent."""
        return {
            "v": 1,
            "type": "agreement",
            "session_id": self.session_id,
            "field": self.field,
            "tool_a": self.tool_a,
            "tool_b": self.tool_b,
            "agreed": self.agreed,
            "checked_at": timestamp(self.checked_ms),
            "window_ms": self.window_ms,
        }


Payload = CallPayload | AgreementPayload


def timestamp(ms: int) -> str:
    """RFC 3339 in UTC with three decimals; years a clock cannot mean are clamped."""
    # 9999-12-31, the last day it can say.
    seconds, rest = divmod(min(max(ms, 0), 253_402_300_799_999), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:03}Z"


def fit_name(name: Any, limit: int) -> str:
    """A name that fits: lone surrogates replaced, cut to ``limit`` code points, never empty."""
    if not isinstance(name, str) or not name:
        return "unknown"
    text = name[: 2 * limit]
    if not text.isascii():
        # Two halves that meet become the character they stand for; one alone becomes U+FFFD.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text[:limit]


def clip(name: Any, limit: int) -> Any:
    """A name short enough to be kept until `fit_name` makes it fit: clients may send anything."""
    return name[: 2 * limit] if isinstance(name, str) else None


def fit_version(text: Any) -> str | None:
    """An optional short text that fits, or ``None`` when there is none."""
    return fit_name(text, MAX_VERSION) if isinstance(text, str) and text else None


def fit_integer(value: float, limit: int) -> int:
    """A count or a duration that fits: an integer from 0 to ``limit``, rounded down."""
    if not value > 0:
        return 0
    return limit if value >= limit else int(value)
