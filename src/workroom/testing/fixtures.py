"""pytest fixtures: a real server, rooms on it, and workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from workroom import Room
from workroom.testing.eager import EagerRoom
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, WorkerProcess, eventually

StartServer = Callable[..., ServerProcess]
StartWorker = Callable[..., WorkerProcess]
StartDyingWorker = Callable[..., WorkerProcess]
OpenRoom = Callable[..., Room]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Start servers with settings by name: `start_server(grace=1)`."""
    with ExitStack() as stack:

        def start(*extensions: str, data_dir: Path | None = None, **settings: Any) -> ServerProcess:
            server = ServerProcess(data_dir or tmp_path / "data", *extensions, **settings)
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture
def workroom_server(start_server: StartServer) -> ServerProcess:
    """A server without server-side extensions."""
    return start_server()


@pytest.fixture
def open_room() -> Iterator[OpenRoom]:
    """Open rooms as any user; `admin=True` logs in with the admin's password."""
    with ExitStack() as stack:

        def connect(
            server: ServerProcess, name: str = "demo", *, user: str = "ada", admin: bool = False
        ) -> Room:
            room = Room(
                name,
                server.url,
                user="admin" if admin else user,
                password=ADMIN_PASSWORD if admin else None,
            )
            stack.callback(room.close)
            return room

        yield connect


@pytest.fixture
def eager() -> EagerRoom:
    """A room without a server: `eager.submit(Smooth(window=3))` runs the job in the test itself."""
    return EagerRoom()


@pytest.fixture
def dying_worker(start_worker: StartWorker) -> StartDyingWorker:
    """Start workers that are killed at a step of a job: `dying_worker(server, "tools.py", at="started")`.

    The steps are `assigned`, `started`, each message that the job gives to `job.progress`, and `ended`.
    """

    def start(server: ServerProcess, *extensions: str, at: str, **options: Any) -> WorkerProcess:
        return start_worker(server, *extensions, dies_at=at, **options)

    return start


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[StartWorker]:
    """Start worker processes and wait until they are connected."""
    numbers = count(1)
    with ExitStack() as stack:

        def start(
            server: ServerProcess, *extensions: str, room: str | None = "demo", **options: Any
        ) -> WorkerProcess:
            name = options.pop("name", f"worker-{next(numbers)}")
            worker = WorkerProcess(
                server.url, *extensions, room=room, name=name, log=tmp_path / f"{name}.log", **options
            )
            stack.callback(worker.close)
            eventually(lambda: "Serving" in worker.log.read_text(), what=f"worker {name} serving")
            return worker

        yield start
