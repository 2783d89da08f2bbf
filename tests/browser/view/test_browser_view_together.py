"""Selecting and editing, alone and with others in the room."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import MakePage
from support.view_page import CAMERA, Picture, atoms, open_tab, open_view
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

_TWO_WATERS = atoms(
    [8, 1, 1, 8, 1, 1],
    [[-2, 0, 0], [-2, 0.96, 0], [-2.9, -0.3, 0], [2, 0, 0], [2, 0.96, 0], [2.9, -0.3, 0]],
)


@pytest.fixture
def picture(page: Page, server: ServerProcess, lab: Room, room: str) -> Picture:
    lab.frames.extend([_TWO_WATERS] * 5)
    lab.camera = CAMERA
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-bonds", "4")
    open_tab(page, "Selection")
    return Picture(canvas)


@pytest.fixture
def other(make_page: MakePage, picture: Picture, server: ServerProcess, room: str) -> Page:
    """Somebody else in the room."""
    other = make_page()
    open_view(other, server.url, room, "eve")
    open_tab(other, "Selection")
    return other


def _status(page: Page) -> Locator:
    return page.get_by_role("tabpanel").get_by_role("status")


def test_clicks_select_and_measure(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(-2, 0)
    expect(_status(page)).to_have_text("1 atom selected")
    picture.click(-2, 0.96, modifiers=["Shift"])
    expect(_status(page)).to_have_text("2 atoms selected. Distance 0.960 Å")
    picture.click(2, 0, modifiers=["Shift"])
    expect(_status(page)).to_contain_text("Angle")
    eventually(lambda: lab.selection == [0, 1, 3])
    picture.click(0, 4)
    expect(_status(page)).to_have_text("Nothing is selected.")


def test_a_double_click_takes_the_molecule_and_a_box_what_is_in_it(
    page: Page, picture: Picture, lab: Room
) -> None:
    picture.canvas.dblclick(position=dict(zip("xy", picture.place(2, 0), strict=True)))  # type: ignore[arg-type]
    expect(_status(page)).to_contain_text("3 atoms selected")
    eventually(lambda: lab.selection == [3, 4, 5])

    page.keyboard.down("Shift")
    picture.drag((-4, 2), (-1.5, 0.5))
    page.keyboard.up("Shift")
    expect(_status(page)).to_have_text("1 atom selected")
    eventually(lambda: lab.selection == [1])


def test_another_browser_sees_the_selection_and_the_step(page: Page, picture: Picture, other: Page) -> None:
    picture.click(2, 0)
    expect(_status(other)).to_have_text("1 atom selected")
    expect(other.get_by_role("table", name="Selected atoms")).to_contain_text("O3")

    page.keyboard.press("End")
    expect(other.get_by_test_id("canvas")).to_have_attribute("data-frame", "4")
    other.get_by_role("img", name="Atoms").focus()
    other.keyboard.press("ArrowLeft")
    expect(picture.canvas).to_have_attribute("data-frame", "3")


def _initials(page: Page) -> list[str]:
    """The colours of the people in the header, who came first is first."""
    people = page.get_by_role("button", name="people are here")
    colours: list[str] = people.locator(".mantine-Avatar-placeholder:visible").evaluate_all(
        "(all) => all.map((each) => getComputedStyle(each).backgroundColor)"
    )
    return colours


def _is_near(colour: tuple[int, int, int], wanted: str) -> bool:
    parts = [int(each) for each in re.findall(r"\d+", wanted)[:3]]
    return max(abs(a - b) for a, b in zip(colour, parts, strict=True)) < 40


def test_each_atom_has_the_colour_of_who_selected_it(page: Page, picture: Picture, other: Page) -> None:
    expect(page.get_by_role("button", name="2 people are here")).to_be_visible()
    picture.click(-2, 0)
    expect(_status(other)).to_have_text("1 atom selected")
    theirs = Picture(other.get_by_test_id("canvas"))
    theirs.click(2, 0, modifiers=["Shift"])

    for each in (picture, theirs):
        listed = each.canvas.page.get_by_role("list", name="Selected by").get_by_role("listitem")
        expect(listed).to_have_text([re.compile(r"ada.*: 1 atom"), re.compile(r"eve.*: 1 atom")])
        ada, eve = _initials(each.canvas.page)
        assert ada != eve
        assert _is_near(each.colour(-2, -0.347), ada)
        assert _is_near(each.colour(2, -0.347), eve)


def test_who_does_not_follow_stays_at_their_frame(page: Page, picture: Picture, other: Page) -> None:
    other.get_by_role("button", name="Same frame and camera").click()

    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("End")
    expect(picture.canvas).to_have_attribute("data-frame", "4")
    picture.click(2, 0)  # what comes after the step has arrived

    expect(_status(other)).to_have_text("1 atom selected")
    expect(other.get_by_test_id("canvas")).to_have_attribute("data-frame", "0")


def test_who_presents_shares_the_camera(page: Page, picture: Picture, other: Page) -> None:
    page.get_by_role("button", name="Present").click()
    picture.drag((0, -3), (1, -4))

    turned = picture.canvas.get_attribute("data-camera")
    assert turned != "0.000 0.000 0.000 1.000 10.000"
    expect(other.get_by_test_id("canvas")).to_have_attribute("data-camera", str(turned))
    page.get_by_role("button", name="Fit").click()
    expect(picture.canvas).not_to_have_attribute("data-camera", str(turned))
    fitted = picture.canvas.get_attribute("data-camera")
    expect(other.get_by_test_id("canvas")).to_have_attribute("data-camera", str(fitted))


def test_selections_get_names(page: Page, picture: Picture, other: Page, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Name of this selection").fill("oxygen")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="None", exact=True).click()

    other.get_by_role("button", name="oxygen", exact=True).click()

    expect(_status(page)).to_have_text("1 atom selected")
    assert dict(lab.selection_groups) == {"oxygen": [3]}


def test_an_edit_is_seen_by_everybody_and_can_be_undone(
    page: Page, picture: Picture, other: Page, lab: Room
) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)
    page.get_by_role("button", name="Delete", exact=True).click()

    for each in (picture.canvas, other.get_by_test_id("canvas")):
        expect(each).to_have_attribute("data-atoms", "5")
    assert lab.frames[0]["numbers"].tolist() == [8, 1, 1, 1, 1]
    assert len(lab.frames[1]["numbers"]) == 6

    lab.bookmarks[2] = "later"
    picture.click(-2, 0)
    expect(_status(page)).to_have_text("1 atom selected")
    page.keyboard.press("Control+z")
    for each in (picture.canvas, other.get_by_test_id("canvas")):
        expect(each).to_have_attribute("data-atoms", "6")
    expect(_status(page)).to_have_text("1 atom selected")
    assert dict(lab.bookmarks) == {2: "later"}
    page.keyboard.press("Control+Shift+Z")
    expect(picture.canvas).to_have_attribute("data-atoms", "5")


def test_deleted_atoms_come_back_with_their_selection(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(picture.canvas).to_have_attribute("data-atoms", "5")
    expect(_status(page)).to_have_text("Nothing is selected.")
    eventually(lambda: lab.selection == [])
    assert lab.versions()[0]["summary"] == "Delete 1 atom"

    page.keyboard.press("Control+z")

    expect(picture.canvas).to_have_attribute("data-atoms", "6")
    expect(_status(page)).to_have_text("1 atom selected")
    assert lab.selection == [3]


def test_clicks_push_no_edit_out_of_the_history(page: Page, picture: Picture, lab: Room) -> None:
    before = len(lab.versions())
    for x, y in ((2, 0), (-2, 0), (-2, 0.96), (2, 0.96)):
        picture.click(x, y)
        expect(_status(page)).to_have_text("1 atom selected")
    eventually(lambda: lab.selection == [4])

    assert len(lab.versions()) == before + 1
    lab.undo()
    assert lab.selection == []


def test_each_of_many_quick_edits_counts(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)

    move = page.get_by_role("button", name="Move along x")
    move.focus()  # keys that are pressed in a switch are its own
    move.evaluate("(button) => { for (let time = 0; time < 4; time++) button.click() }")
    page.keyboard.press("Control+z")

    kinds = ["undo", *["change"] * 5]
    eventually(lambda: [each["kind"] for each in lab.versions()[:6]] == kinds, what="four moves and an undo")
    assert np.allclose(lab.frames[0]["positions"][3], [3.5, 0, 0])


def test_selected_atoms_are_dragged_in_edit_mode(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)

    picture.drag((2, 0), (1, -2))

    eventually(lambda: not np.allclose(lab.frames[0]["positions"][3], [2, 0, 0]))
    assert np.allclose(lab.frames[0]["positions"][3], [1, -2, 0], atol=0.05)
    assert np.allclose(lab.frames[0]["positions"][0], [-2, 0, 0])
    assert lab.versions()[0]["summary"] == "Move 1 atom"


def test_atoms_are_added_and_change_their_element(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)
    page.get_by_role("button", name="Change element").click()
    eventually(lambda: lab.frames[0]["numbers"].tolist() == [8, 1, 1, 6, 1, 1])

    page.get_by_role("button", name="Add atom").click()
    expect(picture.canvas).to_have_attribute("data-atoms", "7")
    page.get_by_role("button", name="Move along x").click()
    eventually(lambda: np.allclose(lab.frames[0]["positions"][3], [2.5, 0, 0]))


def test_a_lock_is_shown_with_its_holder_and_refuses_edits(page: Page, picture: Picture, lab: Room) -> None:
    picture.click(2, 0)
    page.get_by_label("Edit mode").check(force=True)
    with lab.lock("frames", message="Relaxing the surface"):
        banner = page.get_by_text(re.compile(r"bob changes the frames: Relaxing the surface \(.*\d+ s"))
        expect(banner).to_be_visible()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(".mantine-Notification-root")).to_contain_text("bob")
    expect(banner).to_have_count(0)
    assert len(lab.frames[0]["numbers"]) == 6
