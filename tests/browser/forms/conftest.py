"""A server with one extension for each kind of field, and a page that all tests of a module share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from support.browser import come_in
from workroom import Room
from workroom.testing.processes import ServerProcess

ROOM = "lab"
TIMEOUT_MS = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir = tmp_path_factory.mktemp("data")
    with ServerProcess(data_dir, "support.extensions.fields", workers=1, slots=2) as server:
        yield server


@pytest.fixture(scope="module")
def lab(server: ServerProcess) -> Iterator[Room]:
    with Room(ROOM, server.url, user="grace") as room:
        room.post("The room exists.")
        yield room


def complaints_of(page: Page) -> list[str]:
    """What the browser complains of, but for what must be: no preview."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not re.search("status of 404", message.text):
            found.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


class Sheet:
    """The form of an extension with one field, `value`."""

    def __init__(self, page: Page, url: str, room: Room) -> None:
        self.page = page
        self.complaints = complaints_of(page)
        self._url = f"{url}/rooms/{ROOM}"
        self._room = room
        self._submits = 0
        page.on("request", self._count)

    def open(self, name: str) -> None:
        """A form with the defaults, by way of another page: the browser loads everything only once."""
        self.page.evaluate("sessionStorage.clear()")
        if not self.page.url.startswith(self._url):
            self.page.goto(self._url)
        self._go("")
        self.page.get_by_role("heading", name="Tools", level=1).wait_for()
        self._go(f"/run/fields/{name}")
        self.page.locator("form").wait_for()
        reset = self.page.get_by_role("button", name="Reset", exact=True)
        if reset.is_visible():
            reset.click()

    def _go(self, path: str) -> None:
        self.page.evaluate("path => history.pushState(null, '', path)", f"/rooms/{ROOM}{path}")

    def run(self) -> Any:
        """Press Run, and return what the job returned."""
        with self.page.expect_response(lambda response: response.url.endswith("/submit")) as submitted:
            self.page.get_by_role("button", name="Run", exact=True).click()
        response = submitted.value
        assert response.ok, response.text()
        return self._room.job(response.json()["id"]).result(timeout=30)

    def is_refused(self, reason: str, field: str = "field_value") -> None:
        """Press Run: the reason stands beside the field, and nothing is sent."""
        before = self._submits
        self.page.get_by_role("button", name="Run", exact=True).click()
        expect(self.page.locator(f"[id='{field}-error']")).to_contain_text(reason)
        expect(self.page.get_by_text("Please correct the values above.")).to_be_visible()
        assert self._submits == before

    def _count(self, request: Request) -> None:
        self._submits += request.url.endswith("/submit")


@pytest.fixture(scope="module")
def open_sheet(browser: Browser, server: ServerProcess, lab: Room) -> Iterator[Sheet]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    come_in(page, server.url, "ada")
    yield Sheet(page, server.url, lab)
    context.close()


@pytest.fixture
def sheet(open_sheet: Sheet) -> Iterator[Sheet]:
    """The browser has nothing to complain about."""
    open_sheet.complaints.clear()
    yield open_sheet
    assert open_sheet.complaints == []
