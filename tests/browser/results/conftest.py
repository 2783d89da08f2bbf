"""One server, one worker and one page for all results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from support.browser import browser, come_in, make_page, page
from support.extensions.results import RESULTS, Give
from support.result_sheet import ROOM, WIDE, ResultSheet
from workroom import JobHandle, Room
from workroom.testing.processes import ServerProcess

__all__ = ["browser", "make_page", "page"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(
        tmp_path_factory.mktemp("data"), "support.extensions.results", workers=1, slots=2
    ) as server:
        yield server


@pytest.fixture
def gate(tmp_path: Path) -> Callable[[str], Path]:
    """Files that let a job go on once they exist."""
    return lambda name: tmp_path / name


@pytest.fixture(scope="module")
def ada(server: ServerProcess) -> Iterator[Room]:
    with Room(ROOM, server.url, user="ada") as room:
        yield room


@pytest.fixture(scope="module")
def jobs(ada: Room) -> dict[str, JobHandle]:
    """All of them, submitted at once."""
    handles = ada.submit_many([Give(what=name) for name in RESULTS])
    return dict(zip(RESULTS, handles, strict=True))


@pytest.fixture(scope="module")
def sheet(browser: Browser, server: ServerProcess, ada: Room) -> Iterator[ResultSheet]:
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce", permissions=["clipboard-read"])  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    page = context.new_page()
    come_in(page, server.url, "bob", ROOM)
    yield ResultSheet(page, ada, server.url)
    context.close()
