"""Real Chromium for tests: `page` is one that nobody has used yet, `make_page` makes more of them.

A folder's conftest imports the fixtures. Keep async tests out of modules that browse: Playwright has the
thread's event loop for as long as its browser is open.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

MakePage = Callable[[], Page]
_SECONDS = 20


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    assert chromium is not None, "Chromium is missing: `make test` installs it"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        yield browser


@pytest.fixture
def make_page(browser: Browser) -> Iterator[MakePage]:
    """Each page is of another visitor: no cookie and no storage is shared."""
    with ExitStack() as stack:

        def make() -> Page:
            context = stack.enter_context(browser.new_context())
            context.set_default_timeout(_SECONDS * 1000)
            return context.new_page()

        yield make


@pytest.fixture
def page(make_page: MakePage) -> Page:
    return make_page()


def come_in(page: Page, url: str, name: str = "ada") -> None:
    """Through the front door, as a guest: from then on the page shows its cookie."""
    page.goto(url)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Come in").click()
    page.get_by_role("button", name="Log out").wait_for()
