"""The ring and what leaves it: batches, retries, the startup that leads them, and the flushes.

One sender serves one destination, from a daemon thread of its own. What runs on the path of a call
is `Sender.push`: it appends to a bounded deque and perhaps releases a lock that nobody holds for
longer than that takes. It waits for nothing, so it is safe in any thread and in signal handlers.
"""

from __future__ import annotations

import random
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..wire.payloads import Payload
from .batch import Batch
from .loss import LossReport
from .retry_after import retry_after_s
from .transport import REQUEST_TIMEOUT_S, Answer, Transport, post

RING_CAPACITY = 1000
"""The ring holds this many payloads, those of a waiting batch included."""
BATCH_SIZE = 30
"""A batch leaves at this many payloads."""
BATCH_AGE_S = 5.0
"""A batch leaves when its oldest payload is this old."""
RETRY_S = 5.0
"""No batch is tried again sooner than this."""
_STARTUPS = 20
"""So many startups wait outside the ring; only a server with a surface for each user has more."""
_WORKS = 64
_NEVER = 1 << 30


@dataclass
class _Flush:
    deadline: float
    done: threading.Event = field(default_factory=threading.Event)
    sent: bool = False


class Sender:
    """See the module."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        say: Callable[[Callable[[], str]], None],
        transport: Transport = post,
    ) -> None:
        self.loss = LossReport()
        self._url = url
        self._headers = headers
        self._say = say
        self._transport = transport
        self._ring: deque[Payload] = deque(maxlen=RING_CAPACITY)
        self._carried: Payload | None = None
        """Taken from the ring, and too large for the batch before."""
        self._batch: Batch | None = None
        """Not yet answered."""
        self._startups: OrderedDict[str, dict[str, Any]] = OrderedDict()
        """Startups not taken yet, oldest first. They live outside the ring."""
        self._startup_due = False
        """Whether they are worth a batch of their own."""
        self._works: deque[Callable[[], None]] = deque(maxlen=_WORKS)
        self._working = False
        self._flushes: deque[_Flush] = deque()
        self._oldest_at: float | None = None
        self._not_before = 0.0
        """No request before this, and none at all, not even at exit, before the ingest's wish."""
        self._asked_to_wait_until = 0.0
        self._need = 1
        """The thread wants to be woken when the ring holds so many."""
        self._signal = threading.Lock()
        self._signal.acquire()
        self._started = threading.Lock()

    # On the path of a call.

    def push(self, payload: Payload) -> None:
        """Takes a payload. Never blocks; at capacity the oldest is dropped and counted."""
        ring = self._ring
        if len(ring) == RING_CAPACITY:
            self.loss.dropped("ring full")
        ring.append(payload)
        self.loss.recorded += 1
        if len(ring) >= self._need:
            self._wake()

    def submit(self, work: Callable[[], None]) -> None:
        """Has the thread do something that would take too long here."""
        self._works.append(work)
        self._wake()

    def _wake(self) -> None:
        self._need = _NEVER
        try:
            self._signal.release()
        except RuntimeError:  # it is awake already
            pass
        if self._started.acquire(blocking=False):
            try:
                threading.Thread(target=self._run, name="mcpulse", daemon=True).start()
            except RuntimeError:  # no more threads: the next flush tries again
                self._started.release()

    # In the sender's thread, or in whichever thread flushes when there can be none.

    def lead(self, payload: dict[str, Any], fingerprint: str) -> None:
        """Makes this the startup that leads every batch until one is taken.

        Startups of older surfaces that were not taken go in front of it: the last one before a
        call says which tools it had.
        """
        self.loss.recorded += 1
        self._startups[fingerprint] = payload
        self._startup_due = True
        if len(self._startups) > _STARTUPS:
            self._startups.popitem(last=False)
            self.loss.dropped("too many surfaces")

    def _run(self) -> None:
        while True:
            try:
                self._step()
            except Exception as error:
                # A fault of ours. Not its text: that may hold anything.
                kind = type(error).__name__
                self._say(lambda kind=kind: f"not sending for now: {kind} in the sender")  # type: ignore[misc]
                time.sleep(1)

    def _step(self) -> None:
        self._working = True
        try:
            while self._works:
                self._works.popleft()()
        finally:
            self._working = False
        if self._flushes:
            flush = self._flushes.popleft()
            try:
                flush.sent = self._drain(flush.deadline)
            finally:
                flush.done.set()
            return
        wait = self._wait_s()
        if wait == 0:
            self._exchange(time.monotonic() + REQUEST_TIMEOUT_S)
        else:
            self._sleep(wait)

    def _wait_s(self) -> float | None:
        """How long until something is due; ``None`` when there is nothing to send."""
        now = time.monotonic()
        count = len(self._ring) + (self._carried is not None)
        if self._batch is not None or count >= BATCH_SIZE:
            due = now
        elif count or (self._startups and self._startup_due):
            if self._oldest_at is None:
                self._oldest_at = now
            due = self._oldest_at + BATCH_AGE_S
        else:
            self._oldest_at = None
            return None
        return max(0.0, due - now, self._not_before - now)

    def _sleep(self, wait: float | None) -> None:
        need = 1
        if wait is not None:
            need = _NEVER if time.monotonic() < self._not_before else BATCH_SIZE
        # Whoever pushes from here on wakes the thread; whoever did before is seen below.
        self._need = need
        if len(self._ring) >= need or self._works or self._flushes:
            return
        self._signal.acquire(timeout=-1 if wait is None else wait)

    def _exchange(self, deadline: float) -> bool:
        """Sends one batch. Says whether it was taken."""
        batch = self._batch or self._next_batch()
        self._make_room(batch)
        if batch.is_empty:
            self._batch = None
            return True
        self._say(lambda: "\n".join(f"sending {text.decode()}" for text in batch.payloads()))
        headers = {**self._headers, "Idempotency-Key": batch.idempotency_key}
        answer = self._transport(self._url, headers, batch.body(), deadline)
        self._oldest_at = time.monotonic() if self._ring else None
        return self._answered(batch, answer)

    def _next_batch(self) -> Batch:
        # At once, so that what is taken from the ring is always seen to be held.
        batch = self._batch = Batch()
        batch.lead(list(self._startups.items()))
        while True:
            payload = self._carried
            self._carried = None
            if payload is None:
                try:
                    payload = self._ring.popleft()
                except IndexError:
                    return batch
            try:
                fits = batch.add(payload.wire())
            except Exception:
                self.loss.dropped("not representable")
                continue
            if not fits:
                self._carried = payload
                return batch

    def _make_room(self, batch: Batch) -> None:
        """A waiting batch counts as part of the ring, and as its oldest part."""
        surplus = self.held - RING_CAPACITY
        for _ in range(min(surplus, len(batch.texts))):
            batch.texts.popleft()
            self.loss.dropped("ring full")

    def _answered(self, batch: Batch, answer: Answer) -> bool:
        status = answer.status
        if status == 202:
            self._taken(batch)
            self._say(lambda: f"taken: {answer.body.decode('utf-8', 'replace')}")
            return True
        now = time.monotonic()
        # Spread out, so that a fleet does not come back at the same instant.
        self._not_before = now + RETRY_S + random.random()
        what = f"the ingest answered {status}" if status else "nothing answered"
        if status not in (0, 429, 503):
            self._say(lambda: f"not sent: {what}; {len(batch.texts)} payloads dropped")
            self.loss.dropped(f"answered {status}", len(batch.texts))
            # Startups lead the next batch, but do not make one.
            self._startup_due = False
            self._batch = None
            return False
        self._asked_to_wait_until = now + retry_after_s(answer.retry_after, time.time())
        self._not_before = max(self._not_before, self._asked_to_wait_until)
        seconds = self._not_before - now
        self._say(lambda: f"not sent: {what}; trying again in {seconds:.0f} s")
        return False

    def _taken(self, batch: Batch) -> None:
        self.loss.sent += len(batch.texts)
        for fingerprint, _ in batch.startups:
            if self._startups.pop(fingerprint, None) is not None:
                self.loss.sent += 1
        if not self._startups:
            self._startup_due = False
        self._not_before = 0.0
        self._batch = None

    def _drain(self, deadline: float) -> bool:
        """Sends everything, now. Says whether all of it was taken."""
        while self._wait_s() is not None:
            now = time.monotonic()
            if now < self._asked_to_wait_until or now >= deadline:
                return False
            if not self._exchange(min(deadline, now + REQUEST_TIMEOUT_S)):
                return False
        return True

    # Anywhere.

    def begin_flush(self, deadline: float) -> _Flush:
        """Has everything sent as soon as can be, until ``deadline`` on the monotonic clock."""
        flush = _Flush(deadline)
        # In this order: what is no longer in the one is seen in the next.
        if not self._works and not self._working and self._wait_s() is None:
            flush.sent = True
            flush.done.set()
            return flush
        self._flushes.append(flush)
        self._wake()
        if self._started.acquire(blocking=False):
            # The interpreter is past starting threads: this one does the work.
            try:
                self._step()
            finally:
                self._started.release()
        return flush

    @property
    def held(self) -> int:
        """How many payloads are held."""
        waiting = 0 if self._batch is None else len(self._batch.texts)
        return len(self._ring) + waiting + (self._carried is not None)
