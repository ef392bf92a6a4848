"""How a batch travels: one HTTP request, one answer, on a connection of its own.

Nothing is kept open between batches, so there is nothing a fork could share. Redirects are not
followed and proxies not asked: the key goes to its own endpoint only.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

REQUEST_TIMEOUT_S = 10.0
"""One request, from name lookup to the last byte read."""

ANSWER_LIMIT = 16_384
"""An ingest is not trusted to end its body: this much of it is read."""


class Answer(NamedTuple):
    """What came back."""

    status: int
    """HTTP status, or 0 when nothing answered in time."""
    retry_after: str | None = None
    body: bytes = b""
    """The start of the body; only shown when debugging."""


Transport = Callable[[str, Mapping[str, str], bytes, float], Answer]
"""Sends headers and a body to a URL, until a deadline on the monotonic clock. Never raises."""


def post(url: str, headers: Mapping[str, str], body: bytes, deadline: float) -> Answer:
    """Sends one request and waits for its answer until ``deadline``."""
    connection: socket.socket | None = None
    try:
        target = urlsplit(url)
        port = target.port or (443 if target.scheme == "https" else 80)
        connection = _connect(target.hostname or "", port, deadline)
        if target.scheme == "https":
            connection = _secure(connection, target.hostname or "", deadline)
        connection.settimeout(_left(deadline))
        host = target.netloc.rpartition("@")[2]
        connection.sendall(_head(target.path, host, headers, len(body)) + body)
        return _receive(connection, deadline)
    except (OSError, ValueError, http.client.HTTPException):
        return Answer(0)
    finally:
        if connection is not None:
            connection.close()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(host: str, port: int, deadline: float) -> socket.socket:
    refused: OSError = OSError("no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
        attempt = socket.socket(family, kind, protocol)
        try:
            attempt.settimeout(_left(deadline))
            attempt.connect(address)
        except OSError as error:
            attempt.close()
            refused = error
        else:
            return attempt
    raise refused


_tls: list[ssl.SSLContext] = []


def _secure(connection: socket.socket, host: str, deadline: float) -> socket.socket:
    if not _tls:
        _tls.append(ssl.create_default_context())
    connection.settimeout(_left(deadline))
    try:
        return _tls[0].wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


def _head(path: str, host: str, headers: Mapping[str, str], length: int) -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode("latin-1")


def _receive(connection: socket.socket, deadline: float) -> Answer:
    response = http.client.HTTPResponse(_Source(connection, deadline), method="POST")  # type: ignore[arg-type]
    try:
        response.begin()
        body = b""
        try:
            body = response.read(ANSWER_LIMIT)
        except (OSError, ValueError, http.client.HTTPException):
            # The status has said what became of the batch: a body that breaks off changes nothing.
            pass
        return Answer(response.status, response.getheader("Retry-After"), body)
    finally:
        response.close()


class _Source:
    """What `http.client` reads an answer from: each read has only the time that is left."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def makefile(self, *_args: object, **_kwargs: object) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connection, self._deadline))


class _Reader(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._connection.settimeout(_left(self._deadline))
        return self._connection.recv_into(buffer)
