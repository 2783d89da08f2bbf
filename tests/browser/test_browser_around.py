"""The page around a form: my last jobs, everyone's current ones, and how I learn that one is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import MakePage, come_in, job_panel, open_tool, run
from support.extensions.page import Echo, Show, Walk
from workroom import JobHandle, Room
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
# Chromium without a window shows no notifications, and reports that they are denied.
RECORD = """
    window.notified = [];
    window.Notification = class extends Notification {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title, options) { super(title, options); window.notified.push([title, options.body]); }
    };
"""
ICON = "link[rel=icon]"


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, room=room)
    return page


@pytest.fixture
def bob(server: ServerProcess, room: str, open_room: OpenRoom) -> Room:
    return open_room(server, room, user="bob")


@pytest.fixture
def walks() -> Iterator[list[JobHandle]]:
    """Jobs that run until the end of a test, if nothing ends them before."""
    jobs: list[JobHandle] = []
    yield jobs
    for job in jobs:
        job.cancel()


def cards(page: Page) -> Locator:
    return page.get_by_role("list", name="Your last jobs").get_by_role("listitem")


def start_walk(page: Page, steps: str = "9000") -> Locator:
    page.get_by_label("Steps").last.fill(steps)
    return run(page)


def test_my_last_jobs_stay_beside_the_form_and_each_lives_on_its_own(inside: Page) -> None:
    open_tool(inside, "Walk")
    expect(start_walk(inside)).to_contain_text("Running")
    expect(start_walk(inside, "8000")).to_contain_text("Running")
    newer, older = cards(inside).nth(0), cards(inside).nth(1)
    expect(cards(inside)).to_have_count(2)
    expect(newer).to_contain_text("steps 8000")
    expect(older).to_contain_text("steps 9000")
    expect(older).not_to_contain_text("pause")
    expect(older.get_by_role("progressbar")).to_have_attribute("aria-valuenow", re.compile("[0-9.]+"))
    expect(older.get_by_role("log")).to_have_count(0)

    older.get_by_role("button", name="Unfold").click()
    expect(older.get_by_role("log")).to_contain_text("step 3")
    older.get_by_role("button", name="Cancel").click()
    expect(older).to_contain_text("Cancelled")
    expect(newer).to_contain_text("Running")
    newer.get_by_role("button", name="Cancel").click()
    expect(newer).to_contain_text("Cancelled")
    newer.get_by_role("button", name="Fold").click()
    expect(newer.get_by_role("region")).to_have_count(0)

    newer.get_by_role("link", name="steps 8000").click()
    inside.wait_for_url("**/jobs/*")
    expect(inside.get_by_role("button", name="Values")).to_be_visible()


def test_everyone_sees_who_runs_and_who_waits_on_a_tool(
    inside: Page, server: ServerProcess, room: str, open_room: OpenRoom, walks: list[JobHandle]
) -> None:
    open_tool(inside, "Walk")
    rows = inside.get_by_role("list", name="Running and waiting here").get_by_role("listitem")
    for name in ("bob", "cleo", "dan", "eve"):
        walks.append(open_room(server, room, user=name).submit(Walk(steps=9000)))
        expect(rows).to_have_count(len(walks))

    expect(inside.get_by_text("2 running, 2 waiting")).to_be_visible()
    expect(rows.nth(0)).to_contain_text(re.compile(r"running.*bob.*for \d"))
    expect(rows.nth(2)).to_contain_text(re.compile(r"pending.*dan.*next, for \d"))
    expect(rows.nth(3)).to_contain_text(re.compile(r"pending.*eve.*1 ahead, for \d"))
    walks[0].cancel()
    expect(rows.nth(2)).to_contain_text(re.compile(r"eve.*next, for \d"))
    expect(rows).to_have_count(3)
    inside.reload()
    expect(rows).to_have_count(3)
    rows.nth(2).get_by_role("link").click()
    expect(job_panel(inside)).to_contain_text("Next in the queue")


def test_the_tab_and_the_header_show_my_running_jobs_on_every_page(inside: Page, bob: Room) -> None:
    open_tool(inside, "Walk")
    expect(start_walk(inside)).to_contain_text("Running")
    expect(inside).to_have_title(re.compile(r"^\d+ % · room-\d+ · Workroom$"))
    expect(inside.locator(ICON)).to_have_attribute("href", re.compile("^data:image/svg"))

    inside.get_by_role("link", name="Workroom, all rooms").click()
    expect(inside).to_have_title(re.compile(r"^\d+ % · Workroom$"))
    inside.get_by_role("button", name="Your jobs: 1 running").click()
    mine = inside.get_by_role("list", name="Your jobs in all rooms").get_by_role("listitem")
    expect(mine).to_have_count(1)
    expect(mine.get_by_role("progressbar")).to_have_attribute("aria-valuenow", re.compile("[0-9.]+"))
    mine.get_by_role("link", name="Walk").click()

    job_panel(inside).get_by_role("button", name="Cancel").click()
    expect(inside.get_by_role("button", name="Your jobs: all ended")).to_be_visible()
    expect(inside).to_have_title(re.compile(r"^room-\d+ · Workroom$"))
    expect(inside.locator(ICON)).to_have_attribute("href", "/icon.svg")


def test_a_job_that_a_script_of_mine_submits_is_marked_when_it_ends_unseen(
    inside: Page, server: ServerProcess, room: str
) -> None:
    token = inside.evaluate(
        "fetch('/api/token/renew', { method: 'POST' }).then(r => r.json()).then(r => r.token)"
    )
    inside.get_by_label("Search tools").wait_for()
    with Room(room, server.url, token=token) as mine:
        walk = mine.submit(Walk(steps=9000))
        expect(inside.get_by_role("button", name="Your jobs: 1 running")).to_be_visible()
        inside.evaluate(HIDE, True)
        walk.cancel()
        expect(inside).to_have_title(re.compile(r"^✓ Walk · "))
        expect(inside.locator(ICON)).to_have_attribute("href", re.compile("circle"))
        inside.evaluate(HIDE, False)
        expect(inside).to_have_title(re.compile(r"^room-\d+ · "))


def test_a_notification_is_shown_only_if_it_was_switched_on(
    make_page: MakePage, server: ServerProcess, room: str
) -> None:
    page = make_page()
    page.add_init_script(RECORD)
    come_in(page, server.url, room=room)
    open_tool(page, "Walk")
    panel = start_walk(page)
    expect(page.get_by_role("button", name="Your jobs: 1 running")).to_be_visible()
    page.evaluate(HIDE, True)
    panel.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title(re.compile("^✓ Walk"))
    page.get_by_role("button", name="Your jobs: all ended").click()
    page.get_by_label("Notify me when a job ends").click()
    expect(page.get_by_label("Notify me when a job ends")).to_be_checked()
    assert page.evaluate("window.notified") == []
    page.keyboard.press("Escape")

    page.reload()
    page.locator("form").wait_for()
    start_walk(page, "20")
    expect(page.get_by_role("button", name="Your jobs: 1 running")).to_be_visible()
    page.evaluate(HIDE, True)

    page.wait_for_function("() => window.notified.length > 0")
    [[title, body]] = page.evaluate("window.notified")
    assert title == "Walk completed"
    assert re.fullmatch(rf"in {room}, after \d+\.\d s", body)
    page.get_by_role("button", name="You are ada").click()
    page.get_by_role("menuitem", name="Notify me of my jobs").click()
    expect(page.get_by_role("menuitem", name="Notify me of my jobs").get_by_label("on")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('notify-when-done')") == "false"


def test_several_jobs_are_compared_with_curves_in_one_plot_and_their_files(inside: Page, bob: Room) -> None:
    jobs = [bob.submit(Show(kind=kind)) for kind in ("plot", "plot", "file")]
    for job in jobs:
        job.result(timeout=20)

    inside.goto(f"{inside.url}/history?compare={','.join(job.id for job in jobs)}")

    dialog = inside.get_by_role("dialog", name="Compare three jobs")
    values = dialog.get_by_role("table", name="Values")
    expect(values.get_by_role("columnheader")).to_have_count(3)
    expect(values.get_by_role("row", name="kind ≠")).to_have_text("kind ≠plotplotfile")
    expect(dialog.locator(".js-plotly-plot")).to_have_count(1)
    expect(dialog.locator(".scatterlayer .trace")).to_have_count(2)
    expect(dialog.locator(".legendtext")).to_have_text(["kind plot (1)", "kind plot (2)"])
    picture = dialog.get_by_role("figure", name="kind file").get_by_role("img", name="pixel.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 1


def test_three_rows_of_the_history_lead_to_their_comparison(inside: Page, bob: Room) -> None:
    for text in ("a", "b", "c"):
        bob.submit(Echo(text=text)).result(timeout=20)
    inside.goto(f"{inside.url}/history")
    boxes = inside.get_by_role("list", name="Jobs").get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    for box in boxes.all():
        box.check()

    inside.get_by_role("button", name="Compare 3").click()

    values = inside.get_by_role("dialog").get_by_role("table", name="Values")
    expect(values.get_by_role("row", name="text ≠")).to_have_text("text ≠cba")
