"""A server with the atoms pack, shared by the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from workroom import Room
from workroom.testing.processes import ServerProcess

_numbers = count(1)


@pytest.fixture(scope="module")
def atoms_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data = tmp_path_factory.mktemp("data")
    with ServerProcess(data, packs="atoms", workers=1, slots=2, sweep=1) as server:
        yield server


@pytest.fixture
def room(atoms_server: ServerProcess) -> Iterator[Room]:
    """A new room on that server."""
    with Room(f"atoms-{next(_numbers)}", atoms_server.url, user="ada") as opened:
        yield opened
