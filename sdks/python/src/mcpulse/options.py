"""What `watch` takes, and what is made of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict
from urllib.parse import urlsplit

from .wire.payloads import (
    MAX_AGREEMENT_TOOLS,
    MAX_AGREEMENTS,
    MAX_DURATION_MS,
    MAX_FIELD,
    MAX_TOOL_NAME,
    Policy,
    fit_name,
)

Complain = Callable[[str], None]
"""Told every reason for not doing what was asked, by name and rule and never by value."""

DEFAULT_ENDPOINT = "http://127.0.0.1:7077"
DEFAULT_WINDOW_MS = 300_000
POLICIES = ("none", "authorization", "identity")


class _AgreementTools(TypedDict):
    tools: Mapping[str, str]


class AgreementOptions(_AgreementTools, total=False):
    """One field that several tools report, to be compared when they do."""

    window_ms: int
    """How old the other tool's value may be, 1 to 86 400 000. Default 300 000."""
    tolerance: float
    """How far apart two numbers may be and still agree; absolute. Default 0."""


Sessions = Literal["process", "conversation"]


@dataclass(frozen=True)
class Agreement:
    """A declared field, checked."""

    field: str
    tools: dict[str, str]
    """Tool name, as it fits the wire format, to JSON Pointer."""
    window_ms: int
    tolerance: float


@dataclass(frozen=True)
class Settings:
    """Options, checked."""

    key: str
    endpoint: str
    debug: bool
    policies: dict[str, Policy]
    agreements: tuple[Agreement, ...]
    per_conversation: bool


def read_options(options: Mapping[str, Any], complain: Complain) -> Settings | None:
    """Reads the options; ``None`` when nothing is to be watched."""

    key = _text(options.get("key"), "MCPULSE_KEY")
    endpoint = _text(options.get("endpoint"), "MCPULSE_ENDPOINT").rstrip("/") or DEFAULT_ENDPOINT
    reason = _refusal(options, key, endpoint)
    if reason is not None:
        complain(f"off: {reason}")
        return None
    return Settings(
        key=key,
        endpoint=endpoint,
        debug=options.get("debug") is True,
        policies=_policies(options.get("policies"), complain),
        agreements=_agreements(options.get("agreements"), complain),
        per_conversation=options.get("sessions") == "conversation",
    )


def _refusal(options: Mapping[str, Any], key: str, endpoint: str) -> str | None:
    """Why nothing is to be watched, if so."""
    if not _NAMES.issuperset(options):
        return "there is an option of a name that is not known"
    if options.get("enabled") is False:
        return "enabled is false"
    if not key:
        return "no key: give one as `key` or MCPULSE_KEY"
    # An HTTP header can carry nothing else.
    if not _PRINTABLE.fullmatch(key):
        return "key must be printable ASCII without spaces"
    if not _is_endpoint(endpoint):
        return "endpoint must be an http or https URL"
    return None


_NAMES = frozenset(
    ("key", "endpoint", "enabled", "debug", "policies", "agreements", "sessions"),
)
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_POINTER = re.compile(r"(?:/(?:[^~]|~[01])*)?", re.DOTALL)


def _text(given: Any, variable: str) -> str:
    value = os.environ.get(variable) if given is None else given
    return value.strip() if isinstance(value, str) else ""


def _is_endpoint(endpoint: str) -> bool:
    if not _PRINTABLE.fullmatch(endpoint):
        return False
    try:
        parts = urlsplit(endpoint)
        # Reading the port checks it.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _policies(given: Any, complain: Complain) -> dict[str, Policy]:
    policies: dict[str, Policy] = {}
    if given is None:
        return policies
    if not isinstance(given, Mapping):
        complain("policies must map tools to policies; they are ignored")
        return policies
    for tool, policy in given.items():
        if isinstance(tool, str) and policy in POLICIES:
            policies[tool] = policy
        else:
            complain("policies: each must be none, authorization or identity; one is ignored")
    return policies


def _agreements(given: Any, complain: Complain) -> tuple[Agreement, ...]:
    agreements: list[Agreement] = []
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        complain("agreements must map fields to tools; they are ignored")
        return ()
    for field, declared in given.items():
        agreement = _agreement(field, declared, len(agreements))
        if isinstance(agreement, Agreement):
            agreements.append(agreement)
        else:
            complain(f"agreements: {agreement}; one field is ignored")
    return tuple(agreements)


def _agreement(field: Any, declared: Any, count: int) -> Agreement | str:
    """The agreement, or the rule it breaks."""
    if count == MAX_AGREEMENTS:
        return f"there may be {MAX_AGREEMENTS} fields"
    if not isinstance(declared, Mapping) or not isinstance(declared.get("tools"), Mapping):
        return "each must have tools"
    paths: dict[str, str] = {}
    for tool, path in declared["tools"].items():
        # Names that are equal once cut are one tool.
        paths.setdefault(fit_name(tool, MAX_TOOL_NAME), path)
    if not 2 <= len(paths) <= MAX_AGREEMENT_TOOLS:
        return f"tools must name 2 to {MAX_AGREEMENT_TOOLS} tools"
    if not all(isinstance(path, str) and _POINTER.fullmatch(path) for path in paths.values()):
        return "each path must be a JSON Pointer"
    window = declared.get("window_ms", DEFAULT_WINDOW_MS)
    if type(window) is not int or not 1 <= window <= MAX_DURATION_MS:
        return f"window_ms must be an integer from 1 to {MAX_DURATION_MS}"
    tolerance = declared.get("tolerance", 0)
    if type(tolerance) not in (int, float) or not 0 <= tolerance < float("inf"):
        return "tolerance must be a number not below 0"
    return Agreement(fit_name(field, MAX_FIELD), paths, window, tolerance)
