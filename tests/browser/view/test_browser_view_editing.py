"""Editing and measuring, as one person does it: the results are those of ASE."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from ase import Atoms
from playwright.sync_api import Page, expect

from support.browser import choose
from support.view_page import CAMERA, Picture, atoms, open_tab, open_view
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

PEROXIDE: list[list[float]] = [[9.4, 5.9, 5.3], [9.6, 5, 5], [1.0, 5, 5], [1.2, 4.3, 5.6]]
State = tuple[list[int], list[list[float]]]
ARGON: list[float] = [5, 8, 5]


def _ase(positions: list[list[float]]) -> Atoms:
    return Atoms("HOOH", positions, cell=[10, 10, 10], pbc=True)


def _click_molecule(picture: Picture, x: float, y: float) -> None:
    at = picture.place(x, y)
    picture.canvas.dblclick(position={"x": at[0], "y": at[1]})


def test_a_molecule_across_a_boundary_is_taken_whole_and_measured_as_ase_does(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(atoms([1, 8, 8, 1, 18], [*PEROXIDE, ARGON], 10))
    lab.camera = CAMERA | {"target": [5, 5, 5]}
    picture = Picture(open_view(page, server.url, room), x=5, y=5)
    expect(picture.canvas).to_have_attribute("data-bonds", "3")
    open_tab(page, "Selection")
    status = page.get_by_role("tabpanel").get_by_role("status")

    _click_molecule(picture, 1.0, 5)
    expect(status).to_contain_text("4 atoms selected")
    eventually(lambda: sorted(lab.selection or []) == [0, 1, 2, 3])

    peroxide = _ase(PEROXIDE)
    dihedral = (peroxide.get_dihedral(0, 1, 2, 3, mic=True) + 180) % 360 - 180
    measured = [
        "1 atom selected",
        f"2 atoms selected. Distance {peroxide.get_distance(0, 1, mic=True):.3f} Å",
        f"3 atoms selected. Angle {peroxide.get_angle(0, 1, 2, mic=True):.1f}° across the boundary",
        f"4 atoms selected. Dihedral {dihedral:.1f}° across the boundary",
    ]
    for number, (x, y, _) in enumerate(PEROXIDE):
        picture.click(x, y, modifiers=["Shift"] if number else [])
        expect(status).to_have_text(measured[number])


def test_rotations_additions_and_elements_are_taken_back_one_by_one(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    places: list[list[float]] = [[-2, 0, 0], [1, 1, 0], [1, -1, 0.5], [3, 0, 0]]
    lab.frames.append(atoms([6, 8, 7, 9], places))
    lab.camera = CAMERA
    picture = Picture(open_view(page, server.url, room))
    open_tab(page, "Selection")
    for number, (x, y, _) in enumerate(places[1:]):
        picture.click(x, y, modifiers=["Shift"] if number else [])
    expect(page.get_by_role("tabpanel").get_by_role("status")).to_contain_text("3 atoms selected")
    page.get_by_label("Edit mode").check(force=True)
    states = [_state(lab)]

    def changed() -> None:
        eventually(lambda: len(lab.versions()) > before and _state(lab) != states[-1], what="an edit")
        states.append(_state(lab))

    before = len(lab.versions())
    page.get_by_label("Rotate by (°)").fill("40")
    page.get_by_role("button", name="Rotate along z").click()
    changed()
    expected = Atoms("ONF", places[1:])
    expected.rotate(40, "z", center=expected.positions.mean(axis=0))
    assert np.allclose(lab.frames[0]["positions"], [places[0], *expected.positions.tolist()])

    x, y, _ = lab.frames[0]["positions"][3].tolist()
    expect(page.get_by_role("table", name="Selected atoms")).to_contain_text(f"{x:.3f}, {y:.3f}")
    page.keyboard.down("Shift")
    picture.drag((x, y), (x - 1, y - 2))
    page.keyboard.up("Shift")
    changed()
    turned = Atoms("ONF", lab.frames[0]["positions"][1:])
    assert np.allclose(turned.get_all_distances(), expected.get_all_distances())
    assert np.allclose(turned.positions.mean(axis=0), expected.positions.mean(axis=0))
    assert lab.versions()[0]["summary"] == "Rotate 3 atoms"

    choose(page, "Element", "Si")
    page.get_by_role("button", name="Change element").click()
    changed()
    assert lab.frames[0]["numbers"].tolist() == [6, 14, 14, 14]
    page.get_by_role("button", name="Add atom").click()
    changed()
    expect(picture.canvas).to_have_attribute("data-atoms", "5")

    page.get_by_role("img", name="Atoms").focus()
    for state in reversed(states[:-1]):
        page.keyboard.press("Control+z")
        eventually(partial(_is_in, lab, state), what="what was there before")
    expect(picture.canvas).to_have_attribute("data-atoms", "4")
    expect(page.get_by_role("tabpanel").get_by_role("status")).to_have_text(re.compile(r"^3 atoms selected"))


def _is_in(lab: Room, state: State) -> bool:
    return _state(lab) == state


def _state(lab: Room) -> State:
    frame = lab.frames[0]
    return frame["numbers"].tolist(), np.round(frame["positions"], 9).tolist()
