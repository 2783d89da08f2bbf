"""Going through the frames: slider, keys, playing, and frames that come while somebody looks."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from support.view_page import atoms, open_tab, open_view
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

SEE = """() => {
    const canvas = document.querySelector('[data-frame]');
    window.seen = [];
    const see = () => seen.at(-1) !== canvas.dataset.frame && seen.push(canvas.dataset.frame);
    new MutationObserver(see).observe(canvas, { attributes: true });
}"""

TIMES = """() => {
    const canvas = document.querySelector('[data-frame]');
    window.times = [];
    new MutationObserver(() => times.push(performance.now()))
      .observe(canvas, { attributes: true, attributeFilter: ["data-frame"] });
}"""


WAIT = """() => new Promise((resolve) => {
    let pictures = 30;  // which the browser could have drawn: time enough for several frames
    const next = () => pictures-- > 0 ? requestAnimationFrame(next) : resolve();
    next();
})"""


def _frames(count: int, first: int = 0) -> list[dict[str, object]]:
    return [atoms([8, 1], [[0, 0, 0], [1 + number / 100, 0, 0]]) for number in range(first, first + count)]


@pytest.fixture
def canvas(page: Page, server: ServerProcess, lab: Room, room: str) -> Locator:
    lab.frames.extend(_frames(6))
    return open_view(page, server.url, room)


def test_keys_go_through_the_frames(page: Page, canvas: Locator) -> None:
    for key, frame in (("ArrowRight", 1), ("End", 5), ("ArrowLeft", 4), ("Home", 0)):
        page.keyboard.press(key)
        expect(canvas).to_have_attribute("data-frame", str(frame))


def test_playing_shows_every_frame_and_begins_again(page: Page, canvas: Locator) -> None:
    page.evaluate(SEE)
    page.keyboard.press("Space")
    page.wait_for_function("() => new Set(seen).size === 6 && seen.filter((each) => each === '1').length > 1")
    page.keyboard.press("Space")

    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    seen: list[str] = page.evaluate("[...seen]")
    assert seen[seen.index("1") :][:7] == ["1", "2", "3", "4", "5", "0", "1"]


def test_playing_waits_until_a_frame_was_drawn(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    """The frames behind the first ones come late: none of them is left out."""
    lab.frames.extend(_frames(104))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(lambda url: "/frames/data?" in url and "start=101" in url, hold)
    canvas = open_view(page, server.url, room)
    page.get_by_label("Frame number").fill("98")
    expect(canvas).to_have_attribute("data-frame", "98")
    page.evaluate(SEE)
    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("slider", name="Frame")).to_have_value("101")
    expect(canvas).to_have_attribute("data-frame", "100")
    page.evaluate(WAIT)
    expect(page.get_by_role("slider", name="Frame")).to_have_value("101")
    for route in held:
        route.continue_()
    page.wait_for_function("() => seen.slice(seen.indexOf('99')).includes('103')")
    page.keyboard.press("Space")
    seen: list[str] = page.evaluate("[...seen]")
    assert seen[seen.index("99") :][:5] == ["99", "100", "101", "102", "103"]


def test_the_slider_is_dragged(page: Page, canvas: Locator, lab: Room) -> None:
    slider = page.get_by_role("slider", name="Frame")
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 4, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=4)
    expect(canvas).to_have_attribute("data-frame", re.compile("[23]"))
    page.mouse.move(box["x"] + box["width"] - 4, y, steps=4)
    page.mouse.up()
    expect(canvas).to_have_attribute("data-frame", "5")
    expect(page.get_by_label("Frame number")).to_have_value("5")
    eventually(lambda: lab.step == 5, what="the step of the room")


def test_playing_once_ends_at_the_last_frame_and_begins_again_from_the_first(
    page: Page, canvas: Locator
) -> None:
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("menuitem", name="60 frames per second").click()
    page.get_by_role("button", name="Play once").click()
    play = page.get_by_role("button", name="Play (Space)")
    for _ in range(2):
        page.evaluate(SEE)
        play.click()
        page.wait_for_function("() => seen.includes('1') && seen.at(-1) === '5'")
        expect(play).to_be_visible()


def test_frames_follow_each_other_as_slowly_as_wanted(page: Page, canvas: Locator) -> None:
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("menuitem", name="5 frames per second", exact=True).click()
    page.evaluate(TIMES)
    page.get_by_role("button", name="Play (Space)").click()
    page.wait_for_function("() => times.length === 5")
    page.get_by_role("button", name="Pause (Space)").click()
    times: list[float] = page.evaluate("[...times]")
    # A frame that was drawn late shortens the time to the next one.
    assert times[-1] - times[0] > 4 * 200 - 100


def test_frames_are_read_ahead_in_ranges(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    lab.frames.extend(_frames(120))
    ranges: list[tuple[int, int]] = []

    def note(address: str) -> None:
        if "/frames/data?" in address:
            asked = parse_qs(urlparse(address).query)
            ranges.append((int(asked["start"][0]), int(asked["stop"][0])))

    page.on("request", lambda request: note(request.url))
    canvas = open_view(page, server.url, room)
    # The first frame alone, to be shown soon, and the others before they are wanted.
    eventually(lambda: ranges == [(0, 1), (1, 101), (101, 120)], what="three ranges")

    page.keyboard.press("End")
    expect(canvas).to_have_attribute("data-frame", "119")
    assert len(ranges) == 3


def test_who_looks_at_the_last_frame_sees_those_that_are_appended(
    page: Page, canvas: Locator, lab: Room
) -> None:
    page.keyboard.press("End")
    expect(canvas).to_have_attribute("data-frame", "5")

    lab.frames.extend(_frames(3, first=6))

    expect(canvas).to_have_attribute("data-frame", "8")
    expect(page.get_by_text("of 9")).to_be_visible()
    eventually(lambda: lab.step == 8, what="the step of whoever follows the appends")


def test_who_looks_at_another_frame_stays_there(page: Page, canvas: Locator, lab: Room) -> None:
    lab.frames.extend(_frames(3, first=6))

    expect(page.get_by_text("of 9")).to_be_visible()
    expect(canvas).to_have_attribute("data-frame", "0")


def test_a_frame_that_changed_is_shown_anew(page: Page, canvas: Locator, lab: Room) -> None:
    lab.frames[0] = atoms([8, 1, 1], [[0, 0, 0], [1, 0, 0], [0, 1, 0]])

    expect(canvas).to_have_attribute("data-atoms", "3")
    del lab.frames[1:]
    expect(page.get_by_text("of 1", exact=True)).to_be_visible()


def test_bookmarks_lead_to_their_frames(page: Page, canvas: Locator, lab: Room) -> None:
    lab.bookmarks[4] = "transition state"
    page.get_by_role("button", name="Bookmarks").click()
    page.get_by_role("menuitem", name="4: transition state").click()
    expect(canvas).to_have_attribute("data-frame", "4")

    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.get_by_role("button", name="Bookmarks").click()
    page.get_by_label("Bookmark frame 0").fill("start")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="0: start")).to_be_visible()
    eventually(lambda: dict(lab.bookmarks) == {4: "transition state", 0: "start"})


def test_a_point_of_a_plot_leads_to_its_frame_and_that_of_the_frame_is_marked(
    page: Page, canvas: Locator, lab: Room
) -> None:
    lab.figures["energy"] = {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": [0, 1, 2],
                "y": [3, 1, 2],
                "customdata": [[0], [3, 1], [5]],
            }
        ]
    }
    open_tab(page, "Plots")
    points = page.locator(".scatterlayer .trace")
    expect(points).to_have_count(2)  # the points, and the ring around that of frame 0

    points.first.locator(".point").nth(1).click(force=True)

    expect(canvas).to_have_attribute("data-frame", "3")
    eventually(lambda: lab.selection == [1], what="the atoms of the point")
    expect(points).to_have_count(2)
    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("ArrowRight")
    expect(points).to_have_count(1)


def test_the_full_plotly_is_loaded_only_when_a_trace_needs_it(page: Page, canvas: Locator, lab: Room) -> None:
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    open_tab(page, "Plots")
    lab.figures["energy"] = {"data": [{"type": "scatter", "x": [0, 1], "y": [1, 2]}]}
    expect(page.locator(".scatterlayer .trace")).to_have_count(1)  # while the panel is open
    assert any("plotly-basic" in each for each in scripts)
    assert not any("plotly-strict" in each for each in scripts)

    lab.figures["map"] = {"data": [{"type": "heatmap", "z": [[0, 1], [1, 0]]}]}
    expect(page.locator(".js-plotly-plot .hm image")).to_have_count(1)
    assert any("plotly-strict" in each for each in scripts)


def test_plots_below_the_picture_stay_while_other_tabs_are_used(
    page: Page, canvas: Locator, lab: Room
) -> None:
    lab.figures["energy"] = {"data": [{"type": "scatter", "x": [0, 1], "y": [1, 2]}]}
    open_tab(page, "Plots")
    page.get_by_role("button", name="Below the picture").click()
    open_tab(page, "Selection")
    below = page.get_by_role("region", name="Plots")
    expect(below.locator(".scatterlayer .trace")).to_have_count(1)
    picture, plots = canvas.bounding_box(), below.bounding_box()
    assert picture is not None
    assert plots is not None
    assert plots["y"] >= picture["y"] + picture["height"]

    page.reload()  # it is where it was
    expect(below.locator(".scatterlayer .trace")).to_have_count(1)
    below.get_by_role("button", name="Beside the picture").click()
    open_tab(page, "Plots")
    expect(page.get_by_role("tabpanel", name="Plots").locator(".scatterlayer .trace")).to_have_count(1)
    expect(below).to_have_count(0)
