"""Chromium and a server for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from support.browser import browser, make_page, page
from workroom.testing.processes import ServerProcess

__all__ = ["browser", "make_page", "page"]

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def workers() -> int:
    """How many processes run the tools. One takes two seconds to start: where no job runs, there is none."""
    return 1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, workers: int) -> Iterator[ServerProcess]:
    """With tools of its own, and somebody to run them."""
    data_dir: Path = tmp_path_factory.mktemp("data")
    with ServerProcess(data_dir, "support.extensions.page", workers=workers, slots=2) as server:
        yield server


@pytest.fixture
def room() -> str:
    """A room that no other test uses."""
    return f"room-{next(_NUMBERS)}"
