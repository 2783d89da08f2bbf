"""The page under the prefix of another application, for a user of that application."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from support.browser import open_tool, run
from support.embedding import OuterApp


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OuterApp]:
    app = OuterApp(tmp_path_factory.mktemp("embedded"))
    yield app
    app.close()


def test_a_user_of_the_application_runs_a_tool_with_one_login(app: OuterApp, page: Page) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("response", lambda reply: problems.append(reply.url) if reply.status == 404 else None)
    page.goto(f"{app.jobs_url}/rooms/library")
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("Name").fill("grace")
    page.get_by_label("Password").fill("grace's password")
    page.get_by_role("button", name="Log in").click()

    page.get_by_role("link", name="Tools").click()
    open_tool(page, "Count words")
    expect(page).to_have_url(f"{app.jobs_url}/rooms/library/run/analysis/CountWords")
    page.get_by_label("Text").fill("a rose is a rose")
    panel = run(page)
    expect(panel).to_contain_text("Completed")
    expect(panel).to_contain_text("different3")

    page.get_by_role("button", name="You are Grace Hopper").click()
    page.get_by_role("menuitem", name="All rooms").click()
    expect(page).to_have_url(f"{app.jobs_url}/")
    page.reload()
    page.get_by_role("link", name="library").click()
    expect(page).to_have_url(f"{app.jobs_url}/rooms/library")

    page.get_by_role("button", name="You are Grace Hopper").click()
    expect(page.get_by_role("menuitem", name="Change your name")).to_have_count(0)
    page.get_by_role("menuitem", name="Log out").click()
    expect(page).to_have_url(f"{app.url}/login")
    page.goto(f"{app.jobs_url}/rooms/library")
    expect(page.get_by_role("heading", name="You are not logged in")).to_be_visible()
    assert problems == []
