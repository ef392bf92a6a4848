"""How long an ingest asks to be left alone."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

LONGEST_S = 3600.0
"""Longer waits than this are not believed."""


def retry_after_s(header: str | None, now: float) -> float:
    """Seconds to wait for a ``Retry-After`` of seconds or of an HTTP date; 0 if it says nothing.

    ``now`` is the wall clock, in seconds since 1970.
    """
    text = (header or "").strip()
    try:
        if text.isascii() and text.isdigit():
            wait = float(text)
        else:
            wait = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return min(wait, LONGEST_S) if wait > 0 else 0.0
