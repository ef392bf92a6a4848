"""What was recorded and is still to be measured.

The path of a call only takes a snapshot; hashing and measuring is done here, by a daemon thread,
moments later. It works while the host most likely does not: a little after calls were recorded,
and with a pause after each piece, so that a host that wants the interpreter gets it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Protocol

LIMIT_BYTES = 4 * 1024 * 1024
"""Snapshots that wait are no larger than this, all together; what would be too much is measured
where it was recorded."""
LIMIT_JOBS = 1000
"""Nor are there more of them than this."""
_MUCH = LIMIT_BYTES // 2
_DELAY_S = 0.05
"""So long calls are gathered before they are looked at: waking a thread costs more than this."""
_PAUSE_S = 0.0001
_MANY_JOBS = 100
"""With more than this there is no time for pauses."""


class Job(Protocol):
    """Something that is to be measured."""

    @property
    def weight(self) -> int:
        """The size of its snapshot, in bytes."""

    def work(self) -> None:
        """Measures it. Does not raise."""


class Backlog:
    """See the module. One backlog serves one destination."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._bytes = 0
        self._idle = True
        """The thread sleeps until it is woken."""
        self._signal = threading.Lock()
        self._signal.acquire()
        self._started = threading.Lock()
        self._working = threading.RLock()
        """Held by who does a job, never on the path of a call."""

    # On the path of a call.

    def put(self, job: Job) -> None:
        """Takes a job, or does it at once when too much is waiting. Takes no lock."""
        held = self._bytes + job.weight
        if held > LIMIT_BYTES or len(self._jobs) >= LIMIT_JOBS:
            job.work()
            return
        self._bytes = held
        self._jobs.append(job)
        if self._idle or held > _MUCH:
            self._wake()

    def _wake(self) -> None:
        self._idle = False
        try:
            self._signal.release()
        except RuntimeError:  # it is awake already
            pass
        if self._started.acquire(blocking=False):
            try:
                threading.Thread(target=self._run, name="mcpulse-measure", daemon=True).start()
            except RuntimeError:  # no more threads: the next flush does the work
                self._started.release()
                self._idle = True

    # Anywhere else.

    def drain(self, deadline: float) -> bool:
        """Does all jobs here, until ``deadline`` on the monotonic clock. Says whether it did."""
        # Whoever has the lock does a job; when that is over, none is under way.
        if not self._working.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return False
        try:
            while self._next() and time.monotonic() < deadline:
                pass
        finally:
            self._working.release()
        return not self._jobs

    def __len__(self) -> int:
        return len(self._jobs)

    def _run(self) -> None:
        while True:
            self._idle = True
            # Whoever puts a job from here on wakes the thread; one put before is seen.
            if not self._jobs:
                self._signal.acquire()
            self._idle = False
            # What woke it is history; what is much, by now or later, does not wait.
            self._signal.acquire(blocking=False)
            if self._bytes <= _MUCH:
                self._signal.acquire(timeout=_DELAY_S)
            while self._does_one():
                if len(self._jobs) <= _MANY_JOBS:
                    time.sleep(_PAUSE_S)

    def _does_one(self) -> bool:
        try:
            with self._working:
                return self._next()
        # Jobs do not raise; if one should, those behind it are done all the same.
        except Exception:
            return True

    def _next(self) -> bool:
        """Does one job, if there is one."""
        try:
            job = self._jobs.popleft()
        except IndexError:
            # Two threads that put jobs at once may have counted one of them only.
            self._bytes = 0
            return False
        weight = job.weight
        try:
            job.work()
        finally:
            self._bytes -= weight
        return True
