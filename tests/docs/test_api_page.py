"""The page at /docs of a server, which shows its HTTP API."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from support.browser import MakePage
from support.watched_page import WatchedPage
from workroom.server.app import rest
from workroom.settings import Settings
from workroom.testing.processes import ServerProcess, eventually

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(28, 32, 34)"
BACKGROUND = """() => [document.body, document.documentElement]
    .map(each => getComputedStyle(each).backgroundColor)
    .find(color => color !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)"
"""


def open_job_submit(page: Page) -> None:
    page.get_by_text("Submit job", exact=True).click()
    expect(page.get_by_text("202: the job is durable").first).to_be_visible()


def test_the_api_is_shown_without_any_other_server(workroom_server: ServerProcess, page: Page) -> None:
    watched = WatchedPage(page, workroom_server.url)

    watched.open("docs")

    expect(page.get_by_role("heading", name="Workroom").first).to_be_visible()
    open_job_submit(page)
    assert watched.problems == []


@pytest.mark.parametrize(("scheme", "background"), [("light", LIGHT), ("dark", DARK)])
def test_an_operation_fits_a_desktop_and_a_phone_in_both_themes(
    workroom_server: ServerProcess,
    make_page: MakePage,
    scheme: Literal["light", "dark"],
    background: str,
) -> None:
    page = make_page(color_scheme=scheme)
    watched = WatchedPage(page, workroom_server.url)
    watched.open("docs")

    open_job_submit(page)
    watched.check_widths()
    page.get_by_role("button", name="Try it out").click()
    expect(page.get_by_role("button", name="Execute")).to_be_visible()
    watched.check_widths()

    assert watched.problems == []
    assert page.evaluate(BACKGROUND) == background


def test_the_operations_with_the_most_parameters_fit_too(workroom_server: ServerProcess, page: Page) -> None:
    watched = WatchedPage(page, workroom_server.url)
    operations = [
        each for methods in rest(Settings()).openapi()["paths"].values() for each in methods.values()
    ]
    operations.sort(key=lambda each: len(each.get("parameters", ())), reverse=True)
    watched.open("docs")

    for each in operations[:5]:
        block = page.locator(f"#operations-{each['tags'][0]}-{each['operationId']}")
        block.locator(".opblock-summary-control").click()
        expect(block.locator(".responses-table").first).to_be_visible()
        watched.check_widths()

    assert watched.problems == []


def test_the_theme_follows_the_reader(workroom_server: ServerProcess, page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{workroom_server.url}/docs")
    assert page.evaluate(BACKGROUND) == LIGHT

    page.emulate_media(color_scheme="dark")

    eventually(lambda: page.evaluate(BACKGROUND) == DARK, what="the dark theme")
