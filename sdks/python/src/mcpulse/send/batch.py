"""A batch: payloads that travel together, under one idempotency key until they are answered."""

from __future__ import annotations

import json
import secrets
from collections import deque
from typing import Any

MAX_PAYLOADS = 500
"""At most this many payloads in a request."""
MAX_BYTES = 1024 * 1024
"""At most this many bytes in a request."""
_ENVELOPE_BYTES = len('{"batch":[]}')

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Batch:
    """Payloads as JSON, oldest first; the ring may take back the oldest while it waits."""

    def __init__(self) -> None:
        self.idempotency_key = secrets.token_hex(16)
        self.texts: deque[bytes] = deque()
        self.startups: list[tuple[str, bytes]] = []
        """Startups in front, with what tells their surfaces apart. Kept as first sent: the
        idempotency key stands for them."""
        self._bytes = _ENVELOPE_BYTES

    def lead(self, pending: list[tuple[str, dict[str, Any]]]) -> None:
        """Puts startups in front, oldest first. The newest always finds room, older if they fit."""
        for fingerprint, payload in reversed(pending):
            text = _encode(payload).encode()
            if self._bytes + len(text) > MAX_BYTES:
                if self.startups:
                    return
                # Only an absurd number of declared agreements gets here; the tools matter more.
                kept = {key: value for key, value in payload.items() if key != "agreements"}
                text = _encode(kept).encode()
            self.startups.insert(0, (fingerprint, text))
            self._bytes += len(text) + 1

    def add(self, payload: dict[str, Any]) -> bool:
        """Adds a payload unless the batch is full."""
        text = _encode(payload).encode()
        count = len(self.texts) + len(self.startups)
        if count >= MAX_PAYLOADS or self._bytes + len(text) + 1 > MAX_BYTES:
            return False
        self.texts.append(text)
        self._bytes += len(text) + 1
        return True

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send."""
        return not self.texts and not self.startups

    def payloads(self) -> list[bytes]:
        """The payloads of the request, startups first."""
        return [*(text for _, text in self.startups), *self.texts]

    def body(self) -> bytes:
        """The body of the request."""
        return b'{"batch":[' + b",".join(self.payloads()) + b"]}"
