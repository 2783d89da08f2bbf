"""A room of its own for each test, wherever its jobs run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from workroom import Room
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey

_numbers = count(1)


@pytest.fixture
def name() -> str:
    return f"room-{next(_numbers)}"


@pytest.fixture
def room(server: ServerProcess, name: str, open_room: OpenRoom) -> Room:
    return open_room(server, name)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    valkey = Valkey(tmp_path_factory.mktemp("broker"), appendonly=False)
    valkey.start()
    yield valkey
    valkey.stop()
