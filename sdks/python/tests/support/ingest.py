"""A local ingest that keeps what it is sent, and insists on the published schema."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from jsonschema import Draft202012Validator

from tests.support.spec import read_spec

VALIDATOR = Draft202012Validator(
    read_spec("wire.schema.json"), format_checker=Draft202012Validator.FORMAT_CHECKER
)
# Without its checker a format would pass for anything.
assert "date-time" in VALIDATOR.format_checker.checkers

Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    batch: list[dict[str, Any]]
    status: int = 0
    """What it was answered with; 0 for nothing yet."""


def take(received: Received, _number: int) -> Reply:
    accepted = {"accepted": len(received.batch), "rejected": [], "accepts": [1]}
    return 202, {"Content-Type": "application/json"}, json.dumps(accepted).encode()


@dataclass
class Ingest:
    """Answers by `respond`, which may raise to break the connection off."""

    respond: Callable[[Received, int], Reply] = take
    received: list[Received] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        ingest = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                ingest.handle(self)

            def log_message(self, *_args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_args: Any) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in request.headers.items()}
        batch = json.loads(body)["batch"]
        received = Received(request.path, headers, body, batch)
        with self.changed:
            number = len(self.received)
            self.received.append(received)
            self.changed.notify_all()
        status, reply_headers, reply = self.respond(received, number)
        with self.changed:
            # Before the answer: whoever sees it may look at once.
            received.status = status
            self.changed.notify_all()
        request.send_response(status)
        for name, value in {**reply_headers, "Content-Length": str(len(reply))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(reply)

    @property
    def taken(self) -> list[dict[str, Any]]:
        """The payloads taken with 202, each batch once."""
        with self.changed:
            batches = {
                one.headers["idempotency-key"]: one.batch
                for one in self.received
                if one.status == 202
            }
        return [payload for batch in batches.values() for payload in batch]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [payload for payload in self.taken if payload["type"] == kind]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return self.of("call")

    @property
    def startups(self) -> list[dict[str, Any]]:
        return self.of("startup")

    @property
    def agreements(self) -> list[dict[str, Any]]:
        return self.of("agreement")

    def until(self, done: Callable[[Ingest], bool], timeout: float = 60) -> Ingest:
        """Waits until ``done`` holds; fails after a time that nothing takes."""
        with self.changed:
            assert self.changed.wait_for(lambda: done(self), timeout), "nothing came"
        return self

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        # Only now: checking takes longer than a program may take to exit.
        for received in self.received:
            for payload in received.batch:
                assert [error.message for error in VALIDATOR.iter_errors(payload)] == []
                if payload["type"] == "agreement":
                    order = [payload[tool].encode("utf-16-be") for tool in ("tool_a", "tool_b")]
                    assert order[0] < order[1]
