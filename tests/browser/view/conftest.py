"""Chromium that draws, and rooms with frames."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from support.browser import chromium_path
from support.view_page import GRAPHICS
from workroom import Room
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium_path(), args=GRAPHICS) as browser,
    ):
        yield browser


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


@pytest.fixture
def lab(server: ServerProcess, room: str) -> Iterator[Room]:
    """The room of the test in Python."""
    with Room(room, server.url, user="bob") as lab:
        yield lab
