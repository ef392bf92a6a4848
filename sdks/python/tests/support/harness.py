"""The harness as a child process, driven with raw JSON-RPC."""

from __future__ import annotations

import http.client
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

MAIN = Path(__file__).resolve().parents[2] / "harness" / "main.py"

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test-client", "version": "1"},
}


def environment(endpoint: str | None, **more: str) -> dict[str, str]:
    given = {"MCPULSE_KEY": "mp_live_test", "MCPULSE_ENDPOINT": endpoint} if endpoint else {}
    return {**os.environ, "MCPULSE_KEY": "", **given, **more}


class Process:
    """The child process, its lines of output and its end."""

    def __init__(self, flags: list[str], env: dict[str, str]) -> None:
        self.child = subprocess.Popen(
            [sys.executable, str(MAIN), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        self.lines: list[str] = []
        self.stderr = ""
        self._incoming: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_stdout, self._read_stderr)
        ]
        for reader in self._readers:
            reader.start()

    def _read_stdout(self) -> None:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            self.lines.append(line.decode())
            self._incoming.put(line.decode())
        self._incoming.put(None)

    def _read_stderr(self) -> None:
        assert self.child.stderr is not None
        for line in self.child.stderr:
            self.stderr += line.decode()

    def line(self) -> str:
        line = self._incoming.get(timeout=60)
        assert line is not None, self.stderr
        return line

    def write(self, text: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(text.replace("\n", " ").encode() + b"\n")
        self.child.stdin.flush()

    def wait(self) -> int:
        """Waits for it to end by itself, and for all it wrote."""
        code = self.child.wait(timeout=60)
        for reader in self._readers:
            reader.join(timeout=60)
        return code

    def end(self) -> int:
        assert self.child.stdin is not None
        self.child.stdin.close()
        return self.wait()

    def kill(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.wait()


class Stdio(Process):
    """MCP over stdio, protocol 2025-11-25."""

    last_id = 0

    def notify(self, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def send(self, method: str, params: str) -> int:
        self.last_id += 1
        head = f'"jsonrpc":"2.0","id":{self.last_id},"method":{json.dumps(method)}'
        self.write(f'{{{head},"params":{params}}}')
        return self.last_id

    def reply(self, number: int) -> dict[str, Any]:
        while True:
            message = json.loads(self.line())
            if message.get("id") == number:
                return dict(message)

    def request(self, method: str, params: str) -> dict[str, Any]:
        return self.reply(self.send(method, params))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.call_text(tool, json.dumps(arguments))

    def call_text(self, tool: str, arguments: str | None) -> dict[str, Any]:
        given = "" if arguments is None else f',"arguments":{arguments}'
        return self.request("tools/call", f'{{"name":{json.dumps(tool)}{given}}}')

    def initialize(self) -> Stdio:
        self.request("initialize", json.dumps(INITIALIZE))
        self.notify("notifications/initialized")
        return self


class Http(Process):
    """MCP over streamable HTTP, protocol 2025-11-25."""

    def __init__(self, flags: list[str], env: dict[str, str]) -> None:
        super().__init__([*flags, "--transport", "http"], env)
        served = json.loads(self.line())
        self.paths = ["/mcp", *("/" + url.rpartition("/")[2] for url in served["more"])]
        self.port = int(served["url"].split(":")[2].partition("/")[0])
        self.session: str | None = None

    def post(self, body: str, path: str = "/mcp") -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
        }
        if self.session is not None:
            headers["Mcp-Session-Id"] = self.session
        connection.request("POST", path, body.encode(), headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        self.session = response.getheader("Mcp-Session-Id") or self.session
        data = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        # An event may be empty, to let clients resume from it.
        texts = [one for one in data if one.strip()] or [text]
        return dict(json.loads(texts[-1])) if texts[-1].strip() else {}

    def request(self, method: str, params: str, path: str = "/mcp") -> dict[str, Any]:
        head = f'"jsonrpc":"2.0","id":1,"method":{json.dumps(method)}'
        return self.post(f'{{{head},"params":{params}}}', path)

    def call(self, tool: str, path: str = "/mcp", **arguments: Any) -> dict[str, Any]:
        params = json.dumps({"name": tool, "arguments": arguments})
        return self.request("tools/call", params, path)

    def initialize(self, path: str = "/mcp", name: str = "test-client") -> Http:
        self.session = None
        info = {"name": name, "version": "1"}
        self.request("initialize", json.dumps({**INITIALIZE, "clientInfo": info}), path)
        self.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', path)
        return self
