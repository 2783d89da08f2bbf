"""Real Chromium for tests: `page` is a fresh page, `make_page` opens more of them.

A folder's conftest imports the fixtures. Keep async tests out of modules that browse: Playwright has the
thread's event loop for as long as its browser is open.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from secrets import token_hex
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from workroom.testing.processes import ADMIN_PASSWORD

MakePage = Callable[..., Page]
_SECONDS = 20

expect.set_options(timeout=_SECONDS * 1000)


def chromium_path() -> str:
    """Debian's Chromium without a window of its own, which starts sooner, or the whole one."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path is not None, "Chromium is missing: `make test` installs it"
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"]) as browser,
    ):
        yield browser


@pytest.fixture
def make_page(browser: Browser) -> Iterator[MakePage]:
    """Each page has a browser context of its own: pages share no cookies and no storage.

    They have no transitions, for which every click would have to wait.
    """
    with ExitStack() as stack:

        def make(**options: Any) -> Page:
            context = stack.enter_context(browser.new_context(reduced_motion="reduce", **options))
            context.set_default_timeout(_SECONDS * 1000)
            return context.new_page()

        yield make


@pytest.fixture
def page(make_page: MakePage) -> Page:
    return make_page()


def come_in(page: Page, url: str, name: str = "ada", room: str | None = None) -> None:
    """Log in as a guest; from then on the page sends its cookie.

    With a room, without the two pages before it, which would take a second of each test.
    """
    if room is None:
        page.goto(url)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Rooms").wait_for()
    else:
        enter = {"name": name, "cookie": True, "secret": token_hex(24)}
        assert page.request.post(f"{url}/api/login", data=enter).ok
        page.request.post(f"{url}/api/rooms", data={"name": room}, headers={"Origin": url})
        page.goto(f"{url}/rooms/{room}")
        page.get_by_label("Search tools").wait_for(state="attached")


def come_in_as_admin(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name="I have a password").click()
    page.get_by_label("Your name").fill("admin")
    page.locator("input[type=password]").fill(ADMIN_PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Rooms").wait_for()


def open_tool(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Tools").get_by_role("link", name=title).click()
    page.get_by_role("heading", name=title, level=1).wait_for()
    page.locator("form").wait_for()


def run(page: Page) -> Locator:
    """Press Run and return the panel of the new job."""
    page.get_by_role("button", name="Run", exact=True).click()
    return job_panel(page)


def job_panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Job")


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=option, exact=True).click()
