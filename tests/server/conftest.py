"""One real server for all tests of this folder, and people who use it by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import httpx
import pytest

from support.access_scenario import AccessScenario
from support.users import LoopThread, Meet, Person, plain_http
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that owns two names, `analysis/Nap` and `settings/Theme`, and runs no worker."""
    data_dir = tmp_path_factory.mktemp("server")
    with ServerProcess(
        data_dir, "support.extensions.samples:Nap", "support.extensions.samples:Theme"
    ) as server:
        yield server


@pytest.fixture(scope="session")
def loop_thread() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


@pytest.fixture(scope="session")
def anyone(server: ServerProcess) -> Iterator[httpx.Client]:
    """Somebody without a token."""
    with plain_http(server.url) as client:
        yield client


@pytest.fixture(scope="session")
def scenario(tmp_path_factory: pytest.TempPathFactory, loop_thread: LoopThread) -> Iterator[AccessScenario]:
    """A server of its own, with a private room and everybody who may knock at it."""
    data_dir = tmp_path_factory.mktemp("scenario")
    with (
        ServerProcess(
            data_dir, "support.extensions.samples:Nap", "support.extensions.samples:Theme"
        ) as server,
        ExitStack() as stack,
    ):
        yield AccessScenario(server, loop_thread, stack)


@pytest.fixture
def room(ada: Person) -> str:
    """An open room of Ada's that nobody else uses."""
    return ada.create_room(f"room-{next(_numbers)}")


@pytest.fixture
def meet(server: ServerProcess, loop_thread: LoopThread) -> Iterator[Meet]:
    """Meet people. Each is somebody new, so that no test hears of another's jobs."""
    with ExitStack() as stack:

        def meet(name: str = "guest", *, admin: bool = False) -> Person:
            password = ADMIN_PASSWORD if admin else None
            user = "admin" if admin else f"{name}-{next(_numbers)}"
            person = Person(loop_thread, server.url, user, password)
            stack.callback(person.close)
            return person

        yield meet


@pytest.fixture
def ada(meet: Meet) -> Person:
    return meet("ada")


@pytest.fixture
def bob(meet: Meet) -> Person:
    return meet("bob")


@pytest.fixture
def root(meet: Meet) -> Person:
    return meet("root", admin=True)
