"""Batches, retries, the ring and the flush, against a real ingest and against a script."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from mcpulse.send import sender as module
from mcpulse.send.retry_after import LONGEST_S, retry_after_s
from mcpulse.send.sender import RING_CAPACITY, Sender
from mcpulse.send.transport import Answer, post
from mcpulse.wire.payloads import CallPayload
from tests.support.ingest import Ingest, Received, Reply, take


def call(number: int, tool: str = "tool") -> CallPayload:
    return CallPayload("s_1", "client", tool, number, 1.0, "ok", 10, False, "44136fa355b3")


STARTUP = {"v": 1, "type": "startup", "session_id": "s_1", "client_name": "client", "tools": []}


def numbers(payloads: list[dict[str, Any]]) -> list[str]:
    return [payload["started_at"] for payload in payloads if payload["type"] == "call"]


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def sender(ingest: Ingest, lines: list[str]) -> Sender:
    return sender_to(ingest.endpoint, lines)


def sender_to(endpoint: str, lines: list[str]) -> Sender:
    headers = {"Authorization": "Bearer mp_live_x", "Content-Type": "application/json"}
    return Sender(f"{endpoint}/v1/ingest", headers, lambda line: lines.append(line()))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches do not wait to be tried again."""
    monkeypatch.setattr(module, "RETRY_S", -1.0)


def flush(sender: Sender, seconds: float = 60) -> bool:
    request = sender.begin_flush(time.monotonic() + seconds)
    assert request.done.wait(60)
    return request.sent


def test_thirty_payloads_are_a_batch(sender: Sender, ingest: Ingest) -> None:
    for number in range(30):
        sender.push(call(number))
    ingest.until(lambda one: len(one.calls) == 30)
    request = ingest.received[0]
    assert request.path == "/v1/ingest"
    assert request.headers["authorization"] == "Bearer mp_live_x"
    assert request.headers["content-type"] == "application/json"
    assert len(bytes.fromhex(request.headers["idempotency-key"])) == 16


def test_fewer_leave_when_the_oldest_is_old_enough(
    sender: Sender, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module.BATCH_AGE_S == 5
    monkeypatch.setattr(module, "BATCH_AGE_S", 0.01)
    sender.push(call(1))
    ingest.until(lambda one: len(one.calls) == 1)
    sender.push(call(2))
    ingest.until(lambda one: len(one.calls) == 2)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("refusal", [429, 503, None])
def test_a_batch_is_tried_again_under_its_key(
    sender: Sender, ingest: Ingest, refusal: int | None
) -> None:
    def refuse_twice(received: Received, number: int) -> Reply:
        if number >= 2:
            return take(received, number)
        if refusal is None:
            raise ConnectionError
        return refusal, {}, b""

    ingest.respond = refuse_twice
    for number in range(30):
        sender.push(call(number))
    ingest.until(lambda one: len(one.calls) == 30)
    first, second, third = ingest.received[:3]
    assert first.body == second.body == third.body
    keys = {one.headers["idempotency-key"] for one in (first, second, third)}
    assert len(keys) == 1
    assert flush(sender)
    assert sender.held == 0
    assert "dropped 0" in str(sender.loss)


@pytest.mark.parametrize("status", [400, 401, 413, 500, 302, 200])
def test_any_other_answer_ends_a_batch(sender: Sender, ingest: Ingest, status: int) -> None:
    elsewhere = {"Location": f"{ingest.endpoint}/elsewhere"}
    ingest.respond = lambda _received, _number: (status, elsewhere, b"no")
    sender.push(call(1))
    assert not flush(sender)
    assert sender.held == 0
    assert f"answered {status} 1" in str(sender.loss)
    ingest.respond = take
    sender.push(call(2))
    assert flush(sender)
    # A redirect is not followed: the key goes to its own endpoint only.
    assert [one.path for one in ingest.received] == ["/v1/ingest"] * 2
    assert len(ingest.calls) == 1


def test_after_an_answer_that_ends_a_batch_the_next_leaves_by_itself(
    sender: Sender, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.05)
    ingest.respond = lambda _received, number: (400 if number == 0 else 202, {}, b"")
    for number in range(30):
        sender.push(call(number))
    ingest.until(lambda one: bool(one.received and one.received[0].status))
    while sender.held:
        time.sleep(0.01)
    for number in range(30, 60):
        sender.push(call(number))
    ingest.until(lambda one: len(one.calls) == 30)


def test_retry_after_is_kept_even_by_a_flush(sender: Sender, ingest: Ingest) -> None:
    ingest.respond = lambda _received, _number: (429, {"Retry-After": "1000"}, b"")
    sender.push(call(1))
    assert not flush(sender)
    assert not flush(sender)
    assert len(ingest.received) == 1
    assert sender.held == 1


def test_the_ring_drops_the_oldest_and_counts_them(sender: Sender, ingest: Ingest) -> None:
    asked = threading.Event()

    def hold(received: Received, number: int) -> Reply:
        if number == 0:
            asked.wait(60)
            return 503, {}, b""
        return take(received, number)

    ingest.respond = hold
    for number in range(30):
        sender.push(call(number))
    ingest.until(lambda one: len(one.received) == 1)
    for number in range(30, RING_CAPACITY + 500):
        sender.push(call(number))
    asked.set()
    assert flush(sender)
    assert sorted(numbers(ingest.taken)) == sorted(
        call(number).wire()["started_at"] for number in range(500, RING_CAPACITY + 500)
    )
    assert "ring full 500" in str(sender.loss)
    assert f"recorded {RING_CAPACITY + 500}, sent {RING_CAPACITY}" in str(sender.loss)


def test_requests_keep_to_their_limits(sender: Sender, ingest: Ingest) -> None:
    for number in range(RING_CAPACITY):
        sender.push(call(number, "工" * 200))
    assert flush(sender)
    assert len(ingest.calls) == RING_CAPACITY
    assert all(len(one.body) <= 1024 * 1024 and len(one.batch) <= 500 for one in ingest.received)
    assert numbers(ingest.taken) == sorted(numbers(ingest.taken))


def test_a_large_startup_leads_within_the_limit(sender: Sender, ingest: Ingest) -> None:
    tools = [{"name": "工" * 200, "schema_bytes": 1} for _ in range(500)]
    for number in range(4):
        sender.submit(lambda number=number: sender.lead({**STARTUP, "tools": tools}, str(number)))
    for number in range(300):
        sender.push(call(number))
    assert flush(sender)
    assert len(ingest.startups) == 4
    assert len(ingest.calls) == 300
    assert all(len(one.body) <= 1024 * 1024 for one in ingest.received)


def test_the_startup_leads_every_batch_until_one_is_taken(sender: Sender, ingest: Ingest) -> None:
    ingest.respond = lambda _received, _number: (500, {}, b"")
    sender.submit(lambda: sender.lead(STARTUP, "one"))
    for number in range(3):
        sender.push(call(number))
        assert not flush(sender)
    ingest.respond = take
    sender.push(call(4))
    assert flush(sender)
    sender.push(call(5))
    assert flush(sender)
    assert [[one["type"] for one in request.batch] for request in ingest.received] == [
        *[["startup", "call"]] * 4,
        ["call"],
    ]


def test_startups_of_older_surfaces_go_in_front(sender: Sender, ingest: Ingest) -> None:
    for name in ("old", "new"):
        tools = [{"name": name, "schema_bytes": 1}]
        sender.submit(lambda name=name, tools=tools: sender.lead({**STARTUP, "tools": tools}, name))
    assert flush(sender)
    assert [one["tools"][0]["name"] for one in ingest.startups] == ["old", "new"]


def test_an_endless_answer_is_not_read(sender: Sender, ingest: Ingest) -> None:
    ingest.respond = lambda _received, _number: (202, {}, b"x" * 5_000_000)
    sender.push(call(1))
    assert flush(sender)


@pytest.fixture
def silent() -> Iterator[str]:
    """Takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_nothing_waits_for_an_ingest_that_never_answers(silent: str, lines: list[str]) -> None:
    sender = sender_to(silent, lines)
    for number in range(5000):
        sender.push(call(number))
    assert not flush(sender, 0.2)
    # The ring, the batch on its way until it is looked at again, and what was too much for it.
    assert sender.held <= RING_CAPACITY + 500 + 1


@pytest.mark.parametrize(
    "reply",
    [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 999999\r\n\r\n", b"HTTP/1.1 202 OK\r\nx" + b"y" * 70_000],
    ids=["none", "nonsense", "status", "header"],
)
def test_an_answer_that_is_not_http_is_no_answer(reply: bytes) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1)

        def lie() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(reply)

        liar = threading.Thread(target=lie)
        liar.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1/ingest"
        answer = post(url, {}, b"{}", time.monotonic() + 60)
        liar.join()
    assert answer.status not in (202, 200)


def test_the_deadline_holds_against_an_answer_that_trickles(silent: str) -> None:
    assert post(f"{silent}/v1/ingest", {}, b"{}", time.monotonic() + 0.1) == Answer(0)
    assert post(f"{silent}/v1/ingest", {}, b"{}", time.monotonic() - 1) == Answer(0)
    # Nobody listens there, or it is no address at all.
    assert post("http://127.0.0.1:9/v1/ingest", {}, b"{}", time.monotonic() + 60) == Answer(0)
    assert post("http://no.such.invalid/", {}, b"{}", time.monotonic() + 60) == Answer(0)


def test_a_fault_in_the_thread_is_survived(ingest: Ingest, lines: list[str]) -> None:
    def break_off() -> None:
        raise RuntimeError("secret")

    sender = sender_to(ingest.endpoint, lines)
    sender.submit(break_off)
    sender.push(call(1))
    assert flush(sender)
    assert len(ingest.calls) == 1
    assert not any("secret" in line for line in lines)
    assert any("RuntimeError" in line for line in lines)


def test_without_threads_the_flush_sends(
    sender: Sender, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "mcpulse":
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        sender.push(call(1))
        assert sender.begin_flush(time.monotonic() + 60).sent
    assert len(ingest.calls) == 1


def test_many_threads_lose_nothing(sender: Sender, ingest: Ingest) -> None:
    def push() -> None:
        for number in range(20):
            sender.push(call(number))

    threads = [threading.Thread(target=push) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert flush(sender)
    assert len(ingest.calls) == 400


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, 0),
        ("", 0),
        ("7", 7),
        (" 7 ", 7),
        ("-7", 0),
        ("1e3", 0),
        ("soon", 0),
        ("99999999", LONGEST_S),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90),
        ("Thu, 01 Jan 1970 00:00:05 GMT", 0),
    ],
)
def test_retry_after(header: str | None, expected: float) -> None:
    assert retry_after_s(header, 10) == expected


def test_a_script_instead_of_a_network(lines: list[str]) -> None:
    sent: list[bytes] = []

    def transport(_url: str, _headers: Mapping[str, str], body: bytes, _deadline: float) -> Answer:
        sent.append(body)
        return Answer(202)

    say: Callable[[Callable[[], str]], None] = lambda line: lines.append(line())  # noqa: E731
    sender = Sender("http://ingest", {}, say, transport)
    sender.push(
        CallPayload("s", "\ud83d", "a\ud800\U0001f680", 0, 1.5, "ok", 2**40, True, "0" * 12)
    )
    assert flush(sender)
    assert sent[0].decode() == (
        '{"batch":[{"v":1,"type":"call","session_id":"s","client_name":"\ufffd",'
        '"tool_name":"a\ufffd\U0001f680","started_at":"1970-01-01T00:00:00.000Z","duration_ms":1,'
        '"outcome":"ok","response_bytes":2147483647,"is_empty":true,"args_hash":"000000000000"}]}'
    )
    assert lines[0].startswith('sending {"v":1')
