"""Debug lines, and the only place that writes anything."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Writes debug lines to stderr, never to stdout: that belongs to the MCP stdio transport."""
    try:
        lines = "".join(f"mcpulse: {line}\n" for line in text.split("\n"))
        sys.stderr.write(lines)
        sys.stderr.flush()
    # stderr may be closed or gone; that is no business of the host's.
    except Exception:
        pass
