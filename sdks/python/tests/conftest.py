"""An ingest for each test, and a destination of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcpulse import destination, watch
from tests.support.harness import Http, Stdio, environment
from tests.support.ingest import Ingest
from tests.support.sdks import SDK

_keys = itertools.count()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of what only some MCP SDKs have are left out where those are not installed."""
    marks = {item: item.get_closest_marker("sdk") for item in items}
    elsewhere = [item for item, mark in marks.items() if mark and SDK not in mark.args]
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = [item for item in items if item not in elsewhere]


@pytest.fixture
def ingest() -> Iterator[Ingest]:
    started = Ingest()
    yield started
    started.close()


@pytest.fixture
def options(ingest: Ingest) -> Iterator[dict[str, Any]]:
    """What to watch with: a key that no other test has."""
    key = f"mp_live_{next(_keys)}"
    yield {"key": key, "endpoint": ingest.endpoint}
    for name in [name for name in destination._destinations if name[1] == key]:
        del destination._destinations[name]


@pytest.fixture
def watched(options: dict[str, Any]) -> Callable[..., Any]:
    return lambda server, **more: watch(server, **options, **more)


@pytest.fixture
def stdio(ingest: Ingest) -> Iterator[Callable[..., Stdio]]:
    """Starts the harness on stdio."""
    yield from _started(Stdio, ingest)


@pytest.fixture
def http(ingest: Ingest) -> Iterator[Callable[..., Http]]:
    """Starts the harness on HTTP."""
    yield from _started(Http, ingest)


def _started(kind: Any, ingest: Ingest) -> Iterator[Callable[..., Any]]:
    running: list[Any] = []

    def start(*flags: str, endpoint: str | None = ingest.endpoint, **env: str) -> Any:
        running.append(kind(["--sdk", SDK, *flags], environment(endpoint, **env)))
        return running[-1]

    yield start
    for one in running:
        one.kill()
