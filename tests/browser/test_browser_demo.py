"""The demo shows what a room is for: a plot, an image, a table, a file, and settings that do something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from support.browser import choose, come_in, open_tool, run
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("data"), "workroom.packs.demo", workers=1, slots=2) as server:
        yield server


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, "ada", room)
    return page


def test_pi_is_a_number_and_a_plot(inside: Page) -> None:
    open_tool(inside, "Estimate pi")

    panel = run(inside)

    expect(panel).to_contain_text("Completed")
    expect(panel.locator("dl")).to_contain_text("3.14")
    expect(panel.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)


def test_words_are_a_table_and_a_file(inside: Page) -> None:
    open_tool(inside, "Count words")
    inside.get_by_label("Text").fill("to be or not to be")

    panel = run(inside)

    expect(panel.get_by_role("table", name="table").locator("tbody tr")).to_have_count(4)
    expect(panel.get_by_role("link", name="words.csv")).to_be_visible()
    expect(panel.get_by_role("table", name="words.csv").locator("tbody tr").first).to_contain_text("to2")


def test_the_mandelbrot_set_is_an_image(inside: Page) -> None:
    open_tool(inside, "Mandelbrot")

    panel = run(inside)

    expect(panel).to_contain_text("Completed")
    image = panel.get_by_role("img", name="Result")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 240


def test_the_appearance_changes_the_page_at_once_and_for_good(inside: Page) -> None:
    open_tool(inside, "Appearance")
    choose(inside, "Theme", "dark")
    inside.get_by_label("Dense").check()

    inside.get_by_role("button", name="Save").click()

    dark = inside.locator("html[data-mantine-color-scheme=dark]")
    expect(dark).to_have_count(1)
    expect(dark).to_have_css("--mantine-scale", "0.875")
    inside.reload()
    expect(dark).to_have_css("--mantine-scale", "0.875")
