"""A sweep from the form, the page of its group, and jobs that wait for others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import choose, come_in, open_tool
from support.extensions.sweeps import Step
from workroom import Room
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir: Path = tmp_path_factory.mktemp("data")
    with ServerProcess(data_dir, "support.extensions.sweeps", workers=1, slots=2) as server:
        yield server


def test_a_sweep_of_24_jobs_from_the_form_is_a_group_with_a_page(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "ada", room)
    open_tool(page, "Spiral")
    form = page.locator("form")
    form.get_by_role("button", name="Several values").first.click()
    form.get_by_role("textbox", name="Colour").fill("coral, teal, indigo")
    form.get_by_role("button", name="Several values").first.click()
    form.get_by_role("textbox", name="Turns").fill("0:12")
    page.get_by_role("button", name="Run 39 jobs").click()
    expect(form).to_contain_text("must be 1 or more")
    form.get_by_role("textbox", name="Turns").fill("1:8")
    page.get_by_role("button", name="Run 24 jobs").click()

    group = page.get_by_role("region", name="Group")
    expect(group.get_by_role("heading", level=1)).to_have_text("Spiral over colour, turns")
    cells = group.get_by_role("list", name="Jobs", exact=True).get_by_role("link")
    expect(cells).to_have_count(24)
    expect(group.get_by_role("status").first).to_have_text("All completed")
    expect(group.get_by_role("list", name="Jobs by state")).to_have_text("24 completed")
    results = group.get_by_role("table", name="Parameters and results")
    expect(results.get_by_role("row").last).to_contain_text("indigo")
    _has_a_sheet(page, group)
    _has_a_chart(page, group)
    cells.last.click()
    page.get_by_role("link", name="a group").click()
    group.get_by_role("link", name="All groups").click()
    expect(page.get_by_role("link", name="Spiral over colour, turns")).to_be_visible()


def _has_a_sheet(page: Page, group: Locator) -> None:
    """A labelled grid of images: each in the row and column of its values."""
    images = group.get_by_role("region", name="Images")
    sheet = images.get_by_role("table", name="Images over turns and colour")
    expect(sheet.get_by_role("columnheader")).to_have_text([f"turns {number}" for number in range(1, 9)])
    expect(sheet.get_by_role("rowheader")).to_have_text(["colour coral", "colour teal", "colour indigo"])
    expect(sheet.get_by_role("img")).to_have_count(24)
    tile = sheet.get_by_role("row").nth(2).get_by_role("img").nth(4)
    expect(tile).to_have_attribute("alt", "colour teal · turns 5")
    tile.scroll_into_view_if_needed()
    page.wait_for_function("image => image.naturalWidth === 160", arg=tile.element_handle())
    choose(page, "Across", "colour")
    expect(images.get_by_role("table", name="Images over colour and turns")).to_be_visible()
    choose(page, "Down", "(one row)")
    row = images.get_by_role("table", name="Images over colour")
    expect(row.get_by_role("row").last.get_by_role("cell")).to_have_count(3)


def _has_a_chart(page: Page, group: Locator) -> None:
    """A result over a parameter of numbers, and over one of words; a line for each value of the other."""
    chart = group.get_by_role("region", name="Chart")
    plot = chart.get_by_role("figure", name="Plot")
    expect(plot).to_have_attribute("data-state", "drawn")
    choose(page, "over", "turns")
    expect(plot.locator(".xtitle")).to_have_text("turns")
    expect(plot.locator(".legendtext")).to_have_text(["colour coral", "colour teal", "colour indigo"])
    choose(page, "over", "colour")
    expect(plot.locator(".xtitle")).to_have_text("colour")
    expect(plot.locator(".legendtext")).to_have_count(8)


def test_a_chain_of_three_whose_middle_fails_shows_what_was_skipped_and_why(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "ada", room)
    with Room(room, server.url, user="ada") as ada:
        first = ada.submit(Step(), delay=2)
        middle = ada.submit(Step(breaks=True), after=[first])
        last = ada.submit(Step(), after=[middle])
        page.goto(f"{server.url}/rooms/{room}/jobs/{last.id}")
        status = page.get_by_role("region", name="Job").get_by_role("status")
        expect(status).to_contain_text("It starts after another job.")

        expect(status).to_contain_text("Cancelled")
        page.get_by_role("button", name="State history").click()
        expect(page.get_by_text(f"job {middle.id} failed")).to_be_visible()
        assert [job.refresh()["status"] for job in (first, middle, last)] == [
            "completed",
            "failed",
            "cancelled",
        ]
    related = page.get_by_role("list", name="Related jobs")
    expect(related.get_by_role("listitem")).to_have_count(2)
    expect(related.get_by_role("listitem").first).to_contain_text("before this job")
    related.get_by_role("link").click()
    page.wait_for_url(f"**/jobs/{middle.id}")
    expect(related.get_by_role("listitem")).to_have_count(3)
    expect(related).to_contain_text("after this job")
    for job in (first, last):
        expect(related.locator(f"a[href$='/jobs/{job.id}']")).to_have_count(1)


def test_a_group_is_paused_resumed_retried_and_cancelled_on_its_page(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "ada", room)
    with Room(room, server.url, user="ada") as ada:
        group = ada.submit_many([Step(breaks=True), *(Step() for _ in range(3))], title="Steps", delay=1)
        page.goto(f"{server.url}/rooms/{room}/groups/{group.id}")
        status = page.get_by_role("region", name="Group").get_by_role("status").first
        page.get_by_role("button", name="Pause").click()
        expect(status).to_have_text("Paused: no further jobs start")
        assert group.refresh()["paused"]
        page.get_by_role("button", name="Resume").click()
        expect(status).to_have_text("Ended")
        states = page.get_by_role("list", name="Jobs by state")
        expect(states).to_have_text("3 completed1 failed")
        page.get_by_role("button", name="Retry failed").click()
        expect(page.get_by_text("1 job submitted again.")).to_be_visible()
        expect(status).to_have_text("Ended")
        assert [job.document["retry_of"] for job in group.jobs()].count(group[0].id) == 1

        waiting = ada.submit_many([Step(), Step()], title="Later", delay=600)
        page.goto(f"{server.url}/rooms/{room}/groups/{waiting.id}")
        page.get_by_role("button", name="Cancel", exact=True).click()
        dialog = page.get_by_role("dialog", name="Cancel the group")
        expect(dialog).to_contain_text("This cancels 2 jobs.")
        dialog.get_by_role("button", name="Cancel all").click()
        expect(states).to_have_text("2 cancelled")
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)
