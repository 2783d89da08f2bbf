"""Several servers on one Valkey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from support.browser import browser, make_page, page
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey

__all__ = ["browser", "make_page", "page"]

StartReplica = Callable[..., ServerProcess]
KEY = "a key that all servers on a store share"


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def start_replica(valkey: Valkey, tmp_path: Path) -> Iterator[StartReplica]:
    """Start a server by its name; all that are started share one store and one key."""
    with ExitStack() as stack:

        def start(name: str, *extensions: str, store: str | None = None, **settings: Any) -> ServerProcess:
            shared = {"store": store or valkey.url, "signing_key": KEY, "sweep": 1.0, **settings}
            server = ServerProcess(tmp_path / name, *extensions, **shared)
            stack.callback(server.close)
            return server

        yield start
