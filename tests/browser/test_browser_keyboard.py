"""Everything is near by keyboard: Run, the palette, the list of keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from support.browser import come_in, open_tool
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir = tmp_path_factory.mktemp("data")
    with ServerProcess(data_dir, "workroom.packs.demo", workers=1) as server:
        yield server


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, room=room)
    return page


def _tabs_until_run(page: Page) -> int:
    run = page.get_by_role("button", name="Run", exact=True)
    for count in range(1, 20):
        page.keyboard.press("Tab")
        if run.evaluate("button => button === document.activeElement"):
            return count
    raise AssertionError("Run was not reached")


def test_at_most_eight_tab_stops_lead_from_the_top_of_a_tool_to_run(inside: Page) -> None:
    open_tool(inside, "Estimate pi")
    inside.reload()
    inside.locator("form").wait_for()

    inside.keyboard.press("Tab")
    expect(inside.get_by_role("link", name="Skip to content")).to_be_focused()
    expect(inside.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    inside.keyboard.press("Enter")

    assert 1 + _tabs_until_run(inside) <= 8


def test_following_a_link_moves_the_focus_to_the_new_page(inside: Page) -> None:
    open_tool(inside, "Estimate pi")

    assert _tabs_until_run(inside) <= 8


def test_the_palette_shows_its_key_and_forgives_a_typo(inside: Page) -> None:
    expect(inside.get_by_role("banner").get_by_text("Ctrl K")).to_be_visible()
    inside.keyboard.press("Control+k")

    inside.get_by_label("Go to", exact=True).fill("esitmate")
    inside.keyboard.press("Enter")

    inside.get_by_role("heading", name="Estimate pi", level=1).wait_for()


def test_the_palette_goes_to_rooms_and_jobs_and_acts(inside: Page, room: str) -> None:
    open_tool(inside, "Wave")
    inside.get_by_role("button", name="Run", exact=True).click()
    expect(inside.get_by_role("region", name="Job")).to_contain_text("Completed")
    inside.get_by_role("button", name="Search Ctrl K").click()
    search = inside.get_by_label("Go to", exact=True)

    search.fill("wave completed")
    inside.get_by_role("dialog").get_by_text("Wave, completed").click()
    inside.wait_for_url("**/jobs/*")
    inside.keyboard.press("Control+k")
    search.fill("demo")
    inside.keyboard.press("Enter")
    inside.wait_for_url("**/rooms/demo")
    inside.keyboard.press("Control+k")
    search.fill("light and dark")
    inside.keyboard.press("Enter")
    inside.locator("html[data-mantine-color-scheme=dark]").wait_for()


def test_a_question_mark_lists_the_keys_but_not_while_typing(inside: Page) -> None:
    inside.get_by_label("Search tools").press("?")
    expect(inside.get_by_label("Search tools")).to_have_value("?")
    expect(inside.get_by_role("dialog")).to_have_count(0)
    inside.get_by_role("main").focus()

    inside.keyboard.press("?")

    expect(inside.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Run the form")
