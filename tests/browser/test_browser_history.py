"""What was run in a room: found, compared and run again."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import choose, come_in, open_tool, run
from support.extensions.page import Build, Echo, Show, Stumble, Walk
from workroom import JobHandle, Room
from workroom.errors import JobFailed
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess, eventually

MANY = 120


@pytest.fixture
def ada(server: ServerProcess, room: str, open_room: OpenRoom) -> Room:
    return open_room(server, room)


@pytest.fixture(autouse=True)
def forgiven(server: ServerProcess, room: str, open_room: OpenRoom) -> None:
    """Enough successes, elsewhere, to keep the circuit closed whatever the tests let fail."""
    elsewhere = open_room(server, f"{room}-elsewhere")
    over(*elsewhere.submit_many([Stumble(why="") for _ in range(20)]))


@pytest.fixture
def bob(server: ServerProcess, room: str, open_room: OpenRoom) -> Room:
    return open_room(server, room, user="bob")


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    """Somebody else again: a guest's name is theirs alone."""
    come_in(page, server.url, "eve", room)
    return page


def over(*jobs: JobHandle) -> None:
    for job in jobs:
        with suppress(JobFailed):
            job.result(timeout=20)


def history(page: Page, query: str = "") -> Locator:
    """The rows of the room's history."""
    page.goto(f"{page.url.partition('/rooms/')[0]}/rooms/{_room_of(page)}/history{query}")
    page.get_by_role("heading", name="History").wait_for()
    return rows(page)


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="Jobs").get_by_role("listitem")


def _room_of(page: Page) -> str:
    return page.url.partition("/rooms/")[2].partition("/")[0]


def test_filters_stand_in_the_address_and_are_read_back_from_it(inside: Page, ada: Room, bob: Room) -> None:
    over(ada.submit(Echo()), ada.submit(Stumble()), bob.submit(Echo()), bob.submit(Stumble()))
    open_tool(inside, "Stumble")
    expect(run(inside)).to_contain_text("Failed")
    jobs = history(inside)
    expect(jobs).to_have_count(5)

    choose(inside, "State", "failed")
    expect(jobs).to_have_count(3)
    expect(inside).to_have_url(re.compile(r"\?status=failed$"))
    inside.get_by_label("Only mine").click()
    expect(jobs).to_have_count(1)
    expect(jobs).to_contain_text("Stumble")
    expect(jobs).to_contain_text("eve")
    expect(inside).to_have_url(re.compile(r"status=failed&user=mine$"))

    inside.reload()

    expect(jobs).to_have_count(1)
    expect(inside.get_by_role("combobox", name="State")).to_have_value("failed")
    expect(inside.get_by_label("Only mine")).to_be_checked()
    inside.go_back()
    expect(jobs).to_have_count(3)


def test_an_address_shows_another_reader_the_jobs_of_whom_it_names(
    inside: Page, ada: Room, bob: Room
) -> None:
    over(ada.submit(Echo()), bob.submit(Stumble()))

    jobs = history(inside, "?user=bob")

    expect(jobs).to_have_count(1)
    expect(jobs).to_contain_text("Stumble")
    expect(inside.get_by_label("Only bob's")).to_be_checked()


def test_a_filter_that_finds_nothing_shows_a_message(inside: Page, ada: Room) -> None:
    over(ada.submit(Echo()))

    history(inside, "?status=cancelled")

    expect(inside.get_by_text("No matching jobs")).to_be_visible()


def test_older_jobs_are_read_when_one_scrolls_to_them(inside: Page, ada: Room) -> None:
    jobs = ada.submit_many([Echo(text=f"job {number}") for number in range(MANY)])
    over(*jobs)
    listed = history(inside)
    expect(listed.first).to_have_attribute("aria-setsize", "100")
    assert listed.count() < MANY / 2, "only the rows in sight are on the page"

    def scrolled_to_the_end() -> bool:
        inside.mouse.wheel(0, 3000)
        return listed.last.get_attribute("aria-posinset") == str(MANY)

    eventually(scrolled_to_the_end, what="the oldest job in sight")
    expect(listed.last.get_by_role("link", name="Echo")).to_have_attribute(
        "href", re.compile(f"/jobs/{jobs[0].id}$")
    )


def test_a_row_shows_how_long_the_job_was_in_each_state(inside: Page, ada: Room) -> None:
    over(ada.submit(Walk(steps=11, pause=0.1)))

    row = history(inside).first

    expect(row).to_contain_text(re.compile(r"waited \d.* m?s.*assigned \d.* m?s.*ran \d+\.\d s"))


def test_a_job_that_runs_moves_on_in_the_history_by_itself(inside: Page, ada: Room) -> None:
    row = history(inside).first
    expect(inside.get_by_text("No jobs yet")).to_be_visible()

    job = ada.submit(Walk(steps=9000))

    expect(row).to_contain_text("running")
    job.cancel()
    expect(row).to_contain_text("cancelled")


def test_two_runs_stand_side_by_side_with_what_differs_marked(inside: Page, ada: Room) -> None:
    over(ada.submit(Echo(text="same", loudness=2)), ada.submit(Echo(text="same", loudness=9)))
    jobs = history(inside)
    expect(inside.get_by_role("button", name="Compare (0/2)")).to_be_disabled()
    for each in (1, 0):
        jobs.nth(each).get_by_role("checkbox").check()

    inside.get_by_role("button", name="Compare", exact=True).click()

    dialog = inside.get_by_role("dialog", name="Compare two jobs")
    values = dialog.get_by_role("table", name="Values")
    expect(values.get_by_role("row", name="text")).to_have_text("textsamesame")
    expect(values.get_by_role("row", name="loudness ≠")).to_have_text("loudness ≠29")
    results = dialog.get_by_role("table", name="Result")
    expect(results.get_by_role("row", name="loudness ≠")).to_have_text("loudness ≠29")
    expect(dialog.get_by_text("1 of 2 differ.")).to_have_count(2)
    inside.reload()
    expect(values).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    assert "compare" not in inside.url


def test_results_with_a_visual_form_are_shown_side_by_side(inside: Page, ada: Room) -> None:
    left, right = ada.submit(Show(kind="plot")), ada.submit(Stumble())
    over(left, right)

    history(inside, f"?compare={left.id},{right.id}")

    dialog = inside.get_by_role("dialog", name="Compare two jobs")
    expect(dialog.get_by_role("table", name="Values")).to_contain_text("a banana")
    expect(dialog).to_contain_text("slipped on a banana")


def test_one_job_is_run_again_from_its_row(inside: Page, ada: Room) -> None:
    over(ada.submit(Echo(text="once more")))
    jobs = history(inside)

    jobs.first.get_by_role("button", name="Run Echo of ada again").click()

    expect(inside.get_by_text("Echo submitted again")).to_be_visible()
    expect(jobs).to_have_count(2)
    expect(jobs.first).to_contain_text("completed")
    jobs.first.get_by_role("link", name="Echo").click()
    expect(inside.get_by_role("region", name="Job")).to_contain_text("once more")
    expect(inside.get_by_role("link", name="an earlier job")).to_be_visible()


def test_all_that_failed_is_run_again_once(inside: Page, ada: Room) -> None:
    over(*ada.submit_many([Stumble(), Stumble(), Echo()]))
    jobs = history(inside)
    expect(jobs).to_have_count(3)

    inside.get_by_role("button", name="Retry all failed").click()
    inside.get_by_role("button", name="Retry", exact=True).click()

    expect(inside.get_by_text("2 jobs submitted again.")).to_be_visible()
    expect(jobs).to_have_count(5)


def test_a_tool_links_to_the_history_of_itself_alone(inside: Page, ada: Room) -> None:
    over(ada.submit(Echo()), ada.submit(Stumble()))
    open_tool(inside, "Stumble")

    inside.get_by_role("main").get_by_role("link", name="History").click()

    expect(rows(inside)).to_have_count(1)
    expect(rows(inside)).to_contain_text("Stumble")
    expect(inside.get_by_role("combobox", name="Tool")).to_have_value("Stumble")


def test_a_row_leads_to_the_record_of_its_job_with_every_step(inside: Page, ada: Room) -> None:
    over(ada.submit(Echo(text="on record")))

    history(inside).first.click()

    expect(inside.get_by_role("heading", name="Echo", level=1)).to_be_visible()
    expect(inside.get_by_role("region", name="Job")).to_contain_text("Completed")
    expect(inside.get_by_text('text: "on record"').first).to_be_visible()
    inside.get_by_role("button", name="State history (4)").click()
    steps = inside.get_by_role("main").get_by_role("list").last.get_by_role("listitem")
    expect(steps).to_have_count(4)
    for step, state in enumerate(["pending", "assigned", "running", "completed"]):
        expect(steps.nth(step)).to_contain_text(state)
    expect(steps.first).to_contain_text("by ada")


def test_one_box_searches_values_people_and_what_they_wrote(inside: Page, ada: Room, bob: Room) -> None:
    loud, quiet = ada.submit(Echo(text="good morning", loudness=9)), bob.submit(Echo(loudness=2))
    over(loud, quiet, ada.submit(Stumble()))
    loud.annotate(name="The best", tags=["paper"], starred=True)
    jobs = history(inside)
    expect(jobs).to_have_count(3)
    expect(jobs.nth(2)).to_contain_text(re.compile("The best.*paper.*text good morning · loudness 9"))
    expect(jobs.nth(1)).to_contain_text("loudness 2")
    expect(jobs.first).to_contain_text("ValueError: slipped on a banana")
    box = inside.get_by_label("Search jobs")

    for query, title in (
        ("loudness>5 user:ada", "The best"),
        ("banana", "Stumble"),
        ("starred tag:paper", "The best"),
    ):
        box.fill(query)
        expect(jobs).to_have_count(1)
        expect(jobs.first.get_by_role("link", name=title)).to_be_visible()
    inside.reload()
    expect(box).to_have_value("starred tag:paper")
    expect(jobs).to_have_count(1)
    box.fill("since:soon")
    expect(inside.get_by_text("'soon' is not a date: write 2026-11-01")).to_be_visible()
    box.fill("loudness>10")
    expect(inside.get_by_text("No matching jobs")).to_be_visible()
    inside.get_by_label("Clear the search").click()
    expect(jobs).to_have_count(3)


def test_what_somebody_writes_about_a_job_is_seen_by_others_at_once(inside: Page, ada: Room) -> None:
    job = ada.submit(Show(kind="image"))
    over(job)
    row = history(inside).first
    expect(row.locator("img")).to_be_visible()
    job.annotate(tags=["from ada"])
    expect(row).to_contain_text("from ada")

    star = row.get_by_role("button", name="Star Show of ada")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    row.get_by_role("link", name="Show").click()
    inside.get_by_role("button", name="Edit name, tags, note").click()
    inside.get_by_label("Name", exact=True).fill("Red square")
    inside.get_by_role("combobox", name="Tags").fill("figure")
    inside.get_by_label("Note", exact=True).fill("for the paper")
    inside.get_by_role("button", name="Save").click()
    expect(inside.get_by_role("heading", name="Red square", level=1)).to_be_visible()
    written = job.refresh()["annotation"]
    assert (written["name"], written["starred"], written["tags"], written["note"]) == (
        "Red square",
        True,
        ["from ada", "figure"],
        "for the paper",
    )
    job.annotate(note="not for the paper")
    expect(inside.get_by_text("not for the paper")).to_be_visible()


def test_a_form_that_is_saved_keeps_what_others_wrote_while_it_was_open(inside: Page, ada: Room) -> None:
    job = ada.submit(Echo())
    over(job)
    history(inside).first.get_by_role("link", name="Echo").click()
    inside.get_by_role("button", name="Add name, tags, note").click()
    inside.get_by_label("Name", exact=True).fill("The best")
    job.annotate(note="written meanwhile", tags=["paper"])

    inside.get_by_role("button", name="Save").click()

    expect(inside.get_by_role("heading", name="The best", level=1)).to_be_visible()
    written = job.refresh()["annotation"]
    assert (written["name"], written["tags"], written["note"]) == ("The best", ["paper"], "written meanwhile")


def test_selected_jobs_are_tagged_run_again_and_exported_together(inside: Page, ada: Room) -> None:
    over(*ada.submit_many([Echo(loudness=number) for number in range(3)]))
    jobs = history(inside)
    expect(jobs).to_have_count(3)
    inside.get_by_label("Select all 3 listed jobs").check()
    bar = inside.get_by_role("toolbar", name="Selected jobs")
    expect(bar).to_contain_text("3 selected")

    bar.get_by_role("button", name="Cancel").click()
    inside.get_by_role("dialog").get_by_role("button", name="Cancel 3 jobs").click()
    expect(inside.get_by_text(re.compile("^0 jobs cancelled. 3 refused: .*completed"))).to_be_visible()
    bar.get_by_role("button", name="Tag").click()
    inside.get_by_role("textbox", name="Tag").fill("series")
    inside.get_by_role("button", name="Add", exact=True).click()
    expect(inside.get_by_text("3 jobs tagged.")).to_be_visible()
    expect(jobs.nth(2)).to_contain_text("series")
    with inside.expect_download() as download:
        bar.get_by_role("button", name="Export CSV").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 4
    assert lines[0].endswith(",data.text,data.loudness,result.text,result.loudness")
    bar.get_by_role("button", name="Run again").click()
    expect(inside.get_by_text("3 jobs submitted again.")).to_be_visible()
    expect(jobs).to_have_count(6)
    bar.get_by_role("button", name="Clear the selection").click()
    expect(bar).to_have_count(0)


def test_a_selection_loses_its_stars_asks_before_it_cancels_and_ends_with_another_search(
    inside: Page, ada: Room
) -> None:
    ada.submit(Walk(steps=9000))
    over(*ada.submit_many([Echo(), Echo()]))
    jobs = history(inside)
    expect(jobs).to_have_count(3)
    inside.get_by_label("Select all 3 listed jobs").check()
    bar = inside.get_by_role("toolbar", name="Selected jobs")

    bar.get_by_role("button", name="Star", exact=True).click()
    bar.get_by_role("button", name="Unstar").click()
    expect(inside.get_by_text("3 jobs without a star.")).to_be_visible()
    expect(bar.get_by_role("button", name="Star", exact=True)).to_be_enabled()

    bar.get_by_role("button", name="Cancel").click()
    inside.get_by_role("dialog").get_by_role("button", name="Go back").click()
    expect(inside.get_by_role("dialog")).to_have_count(0)
    expect(jobs.nth(2)).to_contain_text("running")

    inside.get_by_label("Search jobs").fill("tool:walk")
    expect(jobs).to_have_count(1)
    expect(bar).to_have_count(0)
    inside.get_by_label("Select Walk of ada").check()
    bar.get_by_role("button", name="Cancel").click()
    inside.get_by_role("dialog").get_by_role("button", name="Cancel 1 job").click()
    expect(inside.get_by_text("1 job cancelled.")).to_be_visible()
    expect(jobs.first).to_contain_text("cancelled")


def test_of_many_values_only_the_first_that_differ_are_compared(inside: Page, ada: Room) -> None:
    tags = [str(number) for number in range(500)]
    left, right = ada.submit(Build(tags=tags)), ada.submit(Build(tags=[*tags[:-1], "another"]))
    over(left, right)

    history(inside, f"?compare={left.id},{right.id}")

    values = inside.get_by_role("dialog").get_by_role("table", name="Values")
    expect(values.get_by_role("row")).to_have_count(61)
    expect(values.get_by_role("row", name="tags.499 ≠")).to_be_visible()
    expect(inside.get_by_text("and 450 more")).to_be_visible()
