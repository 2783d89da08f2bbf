"""One real server with a worker of its own for all tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import httpx
import pytest

from support.command_line import Run, Start, Started, workroom
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess

_numbers = count(1)


@pytest.fixture(scope="session", autouse=True)
def _bytecode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """So many processes start here that each must not compile everything again, wherever tests run."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, _bytecode: None) -> Iterator[ServerProcess]:
    """A server whose own worker serves the samples."""
    with ServerProcess(
        tmp_path_factory.mktemp("server"), "support.extensions.samples", workers=1, slots=4
    ) as server:
        yield server


@pytest.fixture
def room(server: ServerProcess) -> str:
    """A room that nobody else uses."""
    name = f"cli-room-{next(_numbers)}"
    token = guest_token(server.url, "ada")
    answer = httpx.post(
        f"{server.url}/api/rooms", json={"name": name}, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 201, answer.text
    return name


@pytest.fixture
def run(server: ServerProcess) -> Run:
    """Run a command against the server."""
    return lambda *arguments: workroom(*arguments, WORKROOM_URL=server.url, WORKROOM_USER="ada")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start commands that do not end by themselves."""
    with ExitStack() as stack:

        def start(*arguments: str, **environment: str) -> Started:
            started = Started(arguments, environment, tmp_path / f"started-{next(_numbers)}.log")
            stack.callback(started.close)
            return started

        yield start
