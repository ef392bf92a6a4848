"""What is said about an entry of ``tools/list``: sizes and hashes, never its text."""

from __future__ import annotations

from typing import Any

from .canonical import canonical_hash
from .description import description_hash, description_norm
from .payloads import MAX_TOOL_NAME, MAX_UNITS, Policy, fit_integer, fit_name
from .sizes import value_units


def describe_tool(entry: dict[str, Any], declared: Policy | None = None) -> dict[str, Any]:
    """Describes one entry as the client receives it; ``declared`` is the owner's own policy."""
    description = entry.get("description")
    text = well_formed(description) if isinstance(description, str) else ""
    optional = {
        "schema_hash": canonical_hash(_schemas(entry)),
        "description_hash": description_hash(text),
        "description_norm": description_norm(text),
        "policy": declared or policy_of(entry),
    }
    return {
        "name": fit_name(entry.get("name"), MAX_TOOL_NAME),
        "schema_bytes": fit_integer(value_units(entry), MAX_UNITS),
        **{key: value for key, value in optional.items() if value is not None},
    }


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _schemas(entry: dict[str, Any]) -> dict[str, Any]:
    names = ("inputSchema", "outputSchema")
    return {name: entry[name] for name in names if entry.get(name) is not None}


def policy_of(entry: dict[str, Any]) -> Policy | None:
    """The policy a tool declares of itself.

    By ``securitySchemes`` on the entry, or in its ``_meta``, where MCP SDKs that know no such
    member carry it.
    """
    schemes = entry.get("securitySchemes")
    if schemes is None:
        meta = entry.get("_meta")
        schemes = meta.get("securitySchemes") if isinstance(meta, dict) else None
    if not isinstance(schemes, list) or not schemes:
        return None
    types = [scheme.get("type") if isinstance(scheme, dict) else None for scheme in schemes]
    if "noauth" in types:
        return "none"
    return "authorization" if all(kind == "oauth2" for kind in types) else None
