"""One real server for all tests of this folder, and rooms on it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from support.sync_rooms import BlockingRoom, Enter, LoopThread, Serve
from workroom import AsyncRoom, Extension, Room
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that owns one name, `settings/Theme`."""
    with ServerProcess(tmp_path_factory.mktemp("server"), "support.extensions.samples:Theme") as server:
        yield server


@pytest.fixture
def name() -> str:
    """The name of a room that nobody else uses."""
    return f"client-room-{next(_numbers)}"


@pytest.fixture
def key() -> str:
    """Names a gate or a meeting of one test."""
    return secrets.token_hex(4)


@pytest.fixture
def enter(server: ServerProcess, name: str) -> Iterator[Enter]:
    """Enter the room of the test, or another, as anybody."""
    with ExitStack() as stack:

        def enter(user: str = "ada", *, admin: bool = False, room: str = name, **options: Any) -> Room:
            password = ADMIN_PASSWORD if admin else None
            name = "admin" if admin else user
            return stack.enter_context(Room(room, server.url, user=name, password=password, **options))

        yield enter


@pytest.fixture
def serve(enter: Enter) -> Serve:
    """Make a room of this process a worker."""

    def serve(*extensions: type[Extension], slots: int = 1, **options: Any) -> Room:
        room = enter("worker", **options)
        room.register(*extensions, slots=slots)
        return room

    return serve


@pytest.fixture(scope="session")
def loop_thread() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


@pytest.fixture(params=["Room", "AsyncRoom"])
def room(
    request: pytest.FixtureRequest, server: ServerProcess, name: str, loop_thread: LoopThread
) -> Iterator[Any]:
    """The room of the test, for ada: once for plain code, once for asyncio."""
    if request.param == "Room":
        with Room(name, server.url, user="ada") as room:
            yield room
        return

    async def connect() -> AsyncRoom:
        return AsyncRoom(name, server.url, user="ada")

    opened = loop_thread.run(connect())
    yield BlockingRoom(loop_thread, opened)
    loop_thread.run(opened.aclose())
