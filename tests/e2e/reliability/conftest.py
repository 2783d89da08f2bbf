"""One impatient server for all tests of this folder, rooms on it, and people who use them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import httpx
import pytest

from support.job_waits import HASTE, Log, Serve
from workroom import Extension, Room
from workroom.testing.fixtures import OpenRoom
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess

_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Impatient, with one extension of its own and nobody to run it."""
    with ServerProcess(
        tmp_path_factory.mktemp("server"), "support.extensions.samples:Echo", **HASTE
    ) as server:
        yield server


@pytest.fixture
def name() -> str:
    """A room that nobody else uses."""
    return f"room-{next(_numbers)}"


@pytest.fixture
def login(server: ServerProcess) -> Iterator[Log]:
    """REST as anybody: as the guest that the SDK is under the same name."""
    with ExitStack() as stack:

        def login(user: str) -> httpx.Client:
            http = stack.enter_context(httpx.Client(base_url=server.url, timeout=20))
            http.headers["Authorization"] = f"Bearer {guest_token(server.url, user)}"
            return http

        yield login


@pytest.fixture
def ada(login: Log, name: str) -> httpx.Client:
    """REST for ada, who owns the room."""
    http = login("ada")
    assert http.post("/api/rooms", json={"name": name}).status_code == 201
    return http


@pytest.fixture
def room(ada: httpx.Client, server: ServerProcess, name: str, open_room: OpenRoom) -> Room:
    """The room of the test, for ada, who owns it."""
    return open_room(server, name)


@pytest.fixture
def serve(room: Room, server: ServerProcess, open_room: OpenRoom) -> Serve:
    """Serve extensions in the room, from this process."""

    def serve(*extensions: type[Extension], slots: int = 1) -> Room:
        place = open_room(server, room.name, user="worker")
        place.register(*extensions, slots=slots)
        return place

    return serve


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """A file that is not there yet; at the end it is, so that whoever waits for it may go."""
    gate = tmp_path / "gate"
    yield gate
    gate.touch()


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"
