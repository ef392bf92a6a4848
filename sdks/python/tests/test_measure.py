"""What is recorded is measured beside the calls, from what was there when it was recorded."""

from __future__ import annotations

import enum
import gc
import sys
import threading
import time
from typing import Any

import pytest

from mcpulse import Recorder, backlog, destination, flush, wire
from mcpulse.backlog import LIMIT_BYTES, LIMIT_JOBS, Backlog
from mcpulse.measure import Arguments, snapshot
from mcpulse.send.sender import RING_CAPACITY
from tests.support.ingest import Ingest


class Note:
    """A job that says when it was done, and by whom."""

    def __init__(self, weight: int, done: list[str]) -> None:
        self.weight = weight
        self._done = done

    def work(self) -> None:
        self._done.append(threading.current_thread().name)


HERE = threading.current_thread().name


@pytest.fixture
def sleepy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread does nothing, unless it is hurried."""
    monkeypatch.setattr(backlog, "_DELAY_S", 3600)


def until(done: Any) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.001)


def test_a_thread_does_the_jobs_in_their_order() -> None:
    waiting, done = Backlog(), []  # type: ignore[var-annotated]
    order: list[int] = []
    for number in range(300):
        job = Note(1, done)
        job.work = lambda number=number: order.append(number)  # type: ignore[method-assign, misc]
        waiting.put(job)
    until(lambda: len(order) == 300)
    assert order == list(range(300))
    # It sleeps again, and wakes again.
    until(lambda: waiting._idle)
    waiting.put(Note(1, done))
    until(lambda: done == ["mcpulse-measure"])


@pytest.mark.usefixtures("sleepy")
def test_what_waits_is_bounded_in_number() -> None:
    waiting, done = Backlog(), []  # type: ignore[var-annotated]
    for _ in range(LIMIT_JOBS + 5):
        waiting.put(Note(1, done))
    assert len(waiting) == LIMIT_JOBS
    assert done == [HERE] * 5
    assert waiting.drain(time.monotonic() + 60)
    assert done == [HERE] * (LIMIT_JOBS + 5)


@pytest.mark.usefixtures("sleepy")
def test_what_waits_is_bounded_in_bytes() -> None:
    waiting, done = Backlog(), []  # type: ignore[var-annotated]
    waiting.put(Note(LIMIT_BYTES + 1, done))
    assert done == [HERE]
    waiting.put(Note(LIMIT_BYTES // 2, done))
    assert len(waiting) == 1
    waiting.put(Note(LIMIT_BYTES // 2 + 1, done))
    assert done == [HERE] * 2
    assert waiting.drain(time.monotonic() + 60)
    assert done == [HERE] * 3
    # There is room again.
    waiting.put(Note(LIMIT_BYTES // 2, done))
    assert len(waiting) == 1


@pytest.mark.usefixtures("sleepy")
def test_much_hurries_the_thread() -> None:
    waiting, done = Backlog(), []  # type: ignore[var-annotated]
    waiting.put(Note(1, done))
    waiting.put(Note(LIMIT_BYTES * 3 // 4, done))
    until(lambda: done == ["mcpulse-measure"] * 2)


def test_draining_waits_for_a_job_that_is_under_way() -> None:
    waiting = Backlog()
    begun, go_on = threading.Event(), threading.Event()
    job = Note(1, [])

    def work() -> None:
        begun.set()
        go_on.wait(60)

    job.work = work  # type: ignore[method-assign]
    waiting.put(job)
    assert begun.wait(60)
    assert not waiting.drain(time.monotonic() + 0.01)
    go_on.set()
    assert waiting.drain(time.monotonic() + 60)


def test_without_threads_draining_does_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    waiting, done = Backlog(), []  # type: ignore[var-annotated]
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        waiting.put(Note(1, done))
    assert waiting.drain(time.monotonic() + 60)
    assert done == [HERE]


@pytest.mark.usefixtures("sleepy")
def test_what_is_changed_later_does_not_count(ingest: Ingest, options: dict[str, Any]) -> None:
    recorder = Recorder(**options)
    arguments, result = {"a": [1]}, {"content": [{"type": "text", "text": "x"}]}
    expected = wire.args_hash(arguments), wire.result_size(result).units
    recorder.record("tool", arguments=arguments, result=result)
    arguments["a"].append(2)
    result["content"][0]["text"] = "something else"
    assert flush()
    assert [(call["args_hash"], call["response_bytes"]) for call in ingest.calls] == [expected]


@pytest.mark.usefixtures("sleepy")
def test_the_snapshot_goes_as_soon_as_it_is_hashed(options: dict[str, Any]) -> None:
    recorder = Recorder(**options)
    recorder.record("tool", arguments={"a": "secret"}, result={"content": []})
    kept = destination._destinations[options["endpoint"], options["key"]]
    arguments = kept.backlog._jobs[0]
    assert isinstance(arguments, Arguments)
    assert arguments._snapshot is not None
    assert b"secret" in arguments._snapshot
    assert kept.backlog.drain(time.monotonic() + 60)
    assert arguments._snapshot is None
    assert kept.backlog._bytes == 0


class Colour(str, enum.Enum):
    RED = "red"


class Loud(dict):  # type: ignore[type-arg]
    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise AssertionError("code of the host's ran")

    __reduce__ = __getstate__ = __reduce_ex__  # type: ignore[assignment]


def test_only_plain_values_have_a_snapshot() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert snapshot({"a": [1, 2.5, None, True, "x\ud800"]}) is not None
    assert snapshot(cycle) is not None
    odd = [Colour.RED, {"a": Loud(a=1)}, [object()], deep, print, type, Colour]
    assert [snapshot(value) for value in odd] == [None] * len(odd)


def test_what_has_no_snapshot_is_measured_at_once(ingest: Ingest, options: dict[str, Any]) -> None:
    recorder = Recorder(**options)
    recorder.record("tool", arguments={"a": Colour.RED}, result={"colour": Colour.RED})
    assert flush()
    assert ingest.calls[0]["args_hash"] == wire.args_hash({"a": "red"})
    assert ingest.calls[0]["response_bytes"] == len('{"colour":"red"}')


def test_names_without_end_are_not_kept(options: dict[str, Any]) -> None:
    recorder = Recorder(**{**options, "endpoint": "http://127.0.0.1:9"})
    recorder.record("x" * 1_000_000, client="y" * 1_000_000)
    kept = destination._destinations["http://127.0.0.1:9", options["key"]]
    assert kept.backlog.drain(time.monotonic() + 60)
    call = kept.sender._ring[0]
    assert len(call.tool_name) <= 400  # type: ignore[union-attr]
    assert len(call.client_name) <= 256  # type: ignore[union-attr]


def test_memory_stays_flat_with_the_ingest_dead(options: dict[str, Any]) -> None:
    recorder = Recorder(**{**options, "endpoint": "http://127.0.0.1:9"})
    kept = destination._destinations["http://127.0.0.1:9", options["key"]]

    def record(count: int) -> int:
        for number in range(count):
            recorder.record(f"tool {number}", arguments={"n": [number]}, result={"n": [number]})
        assert kept.backlog.drain(time.monotonic() + 60)
        gc.collect()
        return sys.getallocatedblocks()

    # The ring is full after this.
    before = record(3000)
    after = record(5000)
    # Not even one block for each call: other threads of this process come and go.
    assert after - before < 2500
    assert kept.sender.held <= RING_CAPACITY + 500 + 1
