"""The page at /docs of a server, which shows its HTTP API."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from support.watched_page import WatchedPage
from workroom.testing.processes import ServerProcess


def test_the_api_is_shown_without_any_other_server(workroom_server: ServerProcess, page: Page) -> None:
    watched = WatchedPage(page, workroom_server.url)

    watched.open("docs")

    expect(page.get_by_role("heading", name="Workroom").first).to_be_visible()
    page.get_by_text("Submit job", exact=True).click()
    expect(page.get_by_text("202: the job is durable").first).to_be_visible()
    assert watched.problems == []
