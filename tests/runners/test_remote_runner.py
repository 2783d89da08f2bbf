"""Processes that somebody starts anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from support.runners.celery_fleet import EXTENSIONS, HASTE
from support.runners.parity import RunnerParity
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("remote"), **HASTE) as server:
        yield server


@pytest.fixture
def room(server: ServerProcess, name: str, open_room: OpenRoom, start_worker: StartWorker) -> Room:
    """With two workers: one may die."""
    for _ in range(2):
        start_worker(server, *EXTENSIONS, room=name)
    return open_room(server, name)


class TestRemoteRunner(RunnerParity):
    runner: ClassVar[str] = "remote"
