"""A click submits, and the job shows beside the form as it goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from support.browser import choose, come_in, job_panel, open_tool, run
from support.extensions.page import Walk
from workroom import JobHandle
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, room=room)
    return page


def test_a_tool_is_found_filled_in_and_run(inside: Page) -> None:
    inside.get_by_label("Search tools").fill("says")
    expect(inside.get_by_role("navigation", name="Tools").get_by_role("link")).to_have_count(1)
    open_tool(inside, "Echo")

    inside.get_by_label("Text").fill("good day")
    panel = run(inside)

    expect(panel).to_contain_text("Completed")
    expect(panel).to_contain_text("good day")


def test_a_running_job_shows_its_progress_log_and_preview(inside: Page) -> None:
    open_tool(inside, "Walk")
    inside.get_by_label("Steps").last.fill("60")

    panel = run(inside)

    expect(panel).to_contain_text("Running on local-1")
    expect(panel.get_by_role("progressbar")).to_be_visible()
    expect(panel).to_contain_text("walking")
    expect(panel.get_by_role("log")).to_contain_text("step 4")
    expect(panel.get_by_role("log")).to_contain_text("a stone")
    expect(panel).to_contain_text("at stone 3")
    expect(panel).to_contain_text("Completed")
    expect(panel).to_contain_text("arrived")
    expect(panel.get_by_role("log")).to_contain_text("step 59")


def test_a_job_is_cancelled(inside: Page) -> None:
    open_tool(inside, "Walk")
    inside.get_by_label("Steps").last.fill("9000")
    panel = run(inside)
    expect(panel).to_contain_text("Running")

    panel.get_by_role("button", name="Cancel").click()

    expect(panel).to_contain_text("Cancelled")
    expect(panel.get_by_role("button", name="Run again", exact=True)).to_be_visible()


def test_a_failure_shows_its_reason_and_folds_its_stack_trace(inside: Page) -> None:
    open_tool(inside, "Stumble")

    panel = run(inside)

    expect(panel.get_by_role("alert")).to_contain_text("ValueError")
    expect(panel.get_by_role("alert")).to_contain_text("slipped on a banana")
    expect(panel).not_to_contain_text("Traceback")
    panel.get_by_role("button", name="Stack trace").click()
    expect(panel).to_contain_text("Traceback")


def test_run_again_makes_a_new_job_and_edit_brings_the_values_back(inside: Page) -> None:
    open_tool(inside, "Echo")
    inside.get_by_label("Text").fill("first")
    panel = run(inside)
    expect(panel).to_contain_text("first")

    inside.get_by_label("Text").fill("second")
    panel.get_by_role("button", name="Run again", exact=True).click()
    expect(panel).to_contain_text("Completed")
    expect(panel).to_contain_text("first")

    panel.get_by_role("button", name="Edit and run again").click()
    expect(inside.get_by_label("Text")).to_have_value("first")


def test_ctrl_enter_runs_and_ctrl_k_goes_anywhere(inside: Page) -> None:
    inside.keyboard.press("Control+k")
    inside.get_by_label("Go to").fill("echo")
    inside.keyboard.press("Enter")
    inside.get_by_role("heading", name="Echo", level=1).wait_for()

    inside.get_by_label("Text").fill("by hand")
    inside.keyboard.press("Control+Enter")

    expect(job_panel(inside)).to_contain_text("by hand")


@pytest.fixture
def full_house(server: ServerProcess, room: str, open_room: OpenRoom) -> Iterator[list[JobHandle]]:
    """Both slots are taken, and one more waits: each is somebody else's, for each has the same right."""
    jobs = [open_room(server, room, user=f"guest-{n}").submit(Walk(steps=9000)) for n in range(3)]
    eventually(lambda: [job.refresh()["status"] for job in jobs].count("running") == 2, what="a full house")
    yield jobs
    for job in jobs:
        job.cancel()


def test_a_waiting_job_shows_its_position_and_its_reason(inside: Page, full_house: list[JobHandle]) -> None:
    open_tool(inside, "Walk")
    inside.get_by_label("Steps").last.fill("1")

    panel = run(inside)

    expect(panel).to_contain_text("1 job ahead in the queue")
    expect(panel).to_contain_text("All workers are busy.")
    for job in full_house:
        job.cancel()
    expect(panel).to_contain_text("Completed")


SHOWN_AS = {
    "table": "table:has-text('bob')",
    "image": "img[alt='Result']",
    "plot": ".js-plotly-plot .main-svg",
    "markdown": "h1:has-text('Report')",
    "tree": "[role=tree]:has-text('deeper')",
    "parts": "table:has-text('bob')",
    "file": "a[download='notes.txt']",
    "nothing": "text=No return value.",
}


def test_a_result_is_shown_by_its_kind(inside: Page) -> None:
    open_tool(inside, "Show")
    for kind, selector in SHOWN_AS.items():
        choose(inside, "Kind", kind)

        panel = run(inside)

        expect(panel.locator(selector).first).to_be_visible()
        expect(panel).to_contain_text("Completed")
    assert inside.evaluate("window.hacked") is None


def test_files_of_a_job_are_shown_and_downloaded(inside: Page) -> None:
    open_tool(inside, "Show")
    choose(inside, "Kind", "file")
    panel = run(inside)

    picture = panel.get_by_role("img", name="pixel.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 1
    with inside.expect_download() as download:
        panel.get_by_role("link", name="notes.txt").click()
    assert download.value.path().read_bytes() == b"some notes"


def test_settings_are_saved_and_not_queued(inside: Page) -> None:
    open_tool(inside, "Taste")
    choose(inside, "Colour", "blue")
    inside.get_by_role("button", name="Save").click()
    expect(inside.get_by_text("Saved.")).to_be_visible()

    inside.reload()

    expect(inside.get_by_role("combobox", name="Colour")).to_have_value("blue")


def test_the_log_has_times_and_is_filtered_and_downloaded(inside: Page) -> None:
    open_tool(inside, "Walk")
    inside.get_by_label("Pause").last.fill("0")
    panel = run(inside)
    expect(panel).to_contain_text("Completed")
    lines = panel.get_by_role("log").locator("[data-time]")
    expect(lines).to_have_count(21)
    expect(lines.first).to_have_attribute("data-time", re.compile(r"^\d\d:\d\d:\d\d$"))

    panel.get_by_label("Filter the log").fill("warning")
    expect(lines).to_have_text(["a stone"])
    with inside.expect_download() as download:
        panel.get_by_role("button", name="Download the log").click()
    saved = download.value.path().read_text().splitlines()

    assert len(saved) == 21
    assert any(line.endswith("Z WARNING a stone") for line in saved)


def test_the_state_bar_is_in_proportion_to_time(inside: Page) -> None:
    open_tool(inside, "Walk")
    inside.get_by_label("Steps").last.fill("8")
    inside.get_by_label("Pause").last.fill("0.2")
    panel = run(inside)
    expect(panel).to_contain_text("Completed")

    widths = panel.locator("[data-state]").evaluate_all(
        "bars => Object.fromEntries(bars.map(bar => [bar.dataset.state, bar.style.flexGrow]))"
    )

    assert sum(map(float, widths.values())) == pytest.approx(1)
    assert float(widths["running"]) > 0
    assert float(widths["completed"]) == 0
