"""Counts of what became of everything recorded, for the debug report."""

from __future__ import annotations

from collections import Counter


class LossReport:
    """Counts only; a count that two threads change at once may be off by one."""

    def __init__(self) -> None:
        self.recorded = 0
        self.sent = 0
        self._dropped: Counter[str] = Counter()
        self._unrecorded: Counter[str] = Counter()

    def dropped(self, reason: str, count: int = 1) -> None:
        """Counts payloads that were recorded and will never arrive."""
        self._dropped[reason] += count

    def unrecorded(self, reason: str) -> None:
        """Counts requests that were seen and, rightly, not recorded."""
        self._unrecorded[reason] += 1

    def __str__(self) -> str:
        return (
            f"recorded {self.recorded}, sent {self.sent}, dropped {_list(self._dropped)}, "
            f"not recorded {_list(self._unrecorded)}"
        )


def _list(counts: Counter[str]) -> str:
    reasons = [f"{reason} {count}" for reason, count in list(counts.items()) if count]
    return f"{sum(counts.values())} ({', '.join(reasons)})" if reasons else "0"
