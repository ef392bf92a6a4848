"""Whether a successful answer says anything."""

from __future__ import annotations

import re
from typing import Any

from .sizes import counted_members

# Blank is what JSON calls white space, and only that: a no-break space is text. JSON for nothing
# is null, [], {} or a blank string, in the four ways a blank can be written in one.
_NOTHING = re.compile(
    r"[ \t\n\r]*"
    r'(?:null|\[[ \t\n\r]*\]|\{[ \t\n\r]*\}|"(?: |\\[tnr]|\\u00(?:20|09|0[aAdD]))*")?'
    r"[ \t\n\r]*"
)


def is_empty_result(result: Any) -> bool:
    """True when a result (asked only of calls that are ``ok``) holds no answer.

    No content, one blank text part, or JSON for nothing. Numbers and booleans are answers; so are
    two or more parts, and parts that are not text.
    """
    counted = counted_members(result)
    if not isinstance(counted, dict):
        return _is_nothing(counted)
    if "structuredContent" in counted:
        return _is_nothing(_open_envelope(counted["structuredContent"]))
    content = counted.get("content")
    if not isinstance(content, list):
        return not counted
    if len(content) != 1:
        return not content
    part = content[0]
    if not isinstance(part, dict) or part.get("type") != "text":
        return False
    text = part.get("text")
    return isinstance(text, str) and _says_nothing(text)


def _open_envelope(structured: Any) -> Any:
    """Some MCP SDKs wrap a tool's plain return value as ``{"result": x}``; ``x`` is what counts."""
    if isinstance(structured, dict) and len(structured) == 1 and "result" in structured:
        return structured["result"]
    return structured


def _is_nothing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return _says_nothing(value)
    return isinstance(value, (dict, list)) and not value


def _says_nothing(text: str) -> bool:
    return _NOTHING.fullmatch(text) is not None
