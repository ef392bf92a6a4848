"""How programs end, and what is delivered then."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.harness import Stdio
from tests.support.ingest import Ingest, Received, Reply

# What is recorded last is delivered at exit, within one second: on a busy machine that may not do,
# though not each time.
pytestmark = pytest.mark.flaky(reruns=4)

Start = Callable[..., Stdio]


def by_end_of_input(server: Stdio) -> None:
    assert server.child.stdin is not None
    server.child.stdin.close()


def by_exit(server: Stdio) -> None:
    server.call("quit", code=7)


def by_an_uncaught_error(server: Stdio) -> None:
    server.call("quit", code=0, how="uncaught")


def by_a_handled_signal(server: Stdio) -> None:
    server.child.terminate()


ENDS: dict[str, tuple[list[str], Callable[[Stdio], None], int, list[str]]] = {
    "end-of-input": ([], by_end_of_input, 0, []),
    "exit": ([], by_exit, 7, ["quit"]),
    "uncaught": ([], by_an_uncaught_error, 1, ["quit"]),
    "sigterm": (["--on-sigterm", "5"], by_a_handled_signal, 5, []),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_was_recorded_is_delivered(stdio: Start, ingest: Ingest, name: str) -> None:
    flags, end, code, more = ENDS[name]
    server = stdio(*flags).initialize()
    # A full batch first: its arrival shows that sending works, however slow this machine is.
    for _ in range(30):
        server.call("unicode")
    ingest.until(lambda one: len(one.calls) >= 30)
    server.call("fast")
    end(server)
    assert server.wait() == code
    names = [call["tool_name"] for call in ingest.calls if call["tool_name"] != "unicode"]
    assert names == ["fast", *more]
    assert len(ingest.calls) == 30 + len(names)
    # The tool that comes late may make a second.
    assert len(ingest.startups) in (1, 2)
    assert ("uncaught" in server.stderr) is (name == "uncaught")


@pytest.mark.parametrize("name", ENDS)
def test_an_ingest_that_never_answers_changes_nothing(
    stdio: Start, ingest: Ingest, name: str
) -> None:
    ended = threading.Event()

    def never(_received: Received, _number: int) -> Reply:
        ended.wait()
        raise ConnectionError

    ingest.respond = never
    flags, end, code, _ = ENDS[name]
    server = stdio(*flags).initialize()
    server.call("fast")
    end(server)
    assert server.wait() == code
    ended.set()


def test_a_signal_without_a_handler_ends_it_at_once(stdio: Start) -> None:
    server = stdio().initialize()
    server.call("fast")
    server.child.terminate()
    assert server.wait() == -signal.SIGTERM


def test_everything_is_delivered_in_as_many_batches_as_it_takes(
    stdio: Start, ingest: Ingest
) -> None:
    take = ingest.respond

    def break_off(_received: Received, _number: int) -> Reply:
        raise ConnectionError

    ingest.respond = break_off
    server = stdio().initialize()
    for _ in range(700):
        server.call("fast")
    ingest.until(lambda one: bool(one.received))
    ingest.respond = take
    assert server.end() == 0
    assert len(ingest.calls) == 700


def test_what_was_recorded_just_before_is_delivered(stdio: Start, ingest: Ingest) -> None:
    server = stdio().initialize()
    server.call("quit", code=3)
    assert server.wait() == 3
    assert [call["tool_name"] for call in ingest.calls] == ["quit"]


def test_a_client_that_only_shakes_hands_still_makes_a_startup(
    stdio: Start, ingest: Ingest
) -> None:
    server = stdio().initialize()
    # The answer shows that the notification before it was seen.
    server.request("ping", "{}")
    assert server.end() == 0
    assert len(ingest.startups) == 1


def test_the_debug_lines_say_what_became_of_everything(stdio: Start, ingest: Ingest) -> None:
    server: Any = stdio("--debug").initialize()
    server.call("fast")
    assert server.end() == 0
    lines = server.stderr.splitlines()
    assert all(line.startswith("mcpulse: ") for line in lines)
    assert any(line.startswith('mcpulse: sending {"v":1,"type":"call"') for line in lines)
    assert any(re.search(r"watching (\d+) of \1 tools", line) for line in lines)
    last = r"mcpulse: at exit: recorded (\d), sent \1, dropped 0, not recorded 0, held 0"
    assert re.fullmatch(last, lines[-1])
