"""The first fifteen minutes of two people with a file: load, play, select, edit, plot, share.

One long test: what each step leaves behind is where the next one begins.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ase import Atoms
from ase.calculators.emt import EMT
from ase.io import write
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from support.browser import MakePage, come_in
from support.frame_messages import numbered
from support.view_page import CAMERA, Picture, atoms, drop_file, open_tab, open_view
from workroom import Room
from workroom.packs.atoms import atoms_of
from workroom.runtime.frames.message import MEDIA_TYPE
from workroom.testing.processes import ServerProcess, eventually

LOADED, APPENDED = 5, 12
WATER: list[list[float]] = [[0, 0, 0], [0, 0.96, 0], [-0.9, -0.3, 0]]
WATERS = [[x - 2, y, z] for x, y, z in WATER] + [[2 - x, y, z] for x, y, z in WATER]
MARKED = """(name) => {
  const [, ...marks] = document.querySelector(`[role=figure][aria-label='${name}']`).data;
  return marks.map(({ x }) => x);
}"""
PREVIEWS = """() => {
  window.previewed = false;
  const look = () => { window.previewed ||= document.body.innerText.includes("Preview of") };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
HOLDER = """
import sys
from workroom import Room
with Room(sys.argv[1], sys.argv[2], user="carol") as room:
    with room.lock("frames", message="Relaxing on the cluster", ttl=2):
        print("held", flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("data")
    with ServerProcess(folder, packs="atoms", workers=1, slots=2, sweep=0.2) as server:
        yield server


def _file() -> str:
    """Two molecules of water in a cell, with energies and forces."""
    frames = []
    for number in range(LOADED):
        molecules = Atoms("OHHOHH", WATERS, cell=[9, 9, 9], pbc=True)
        molecules.positions[4, 1] += number / 50
        molecules.calc = EMT()
        molecules.get_forces()
        frames.append(molecules)
    text = io.StringIO()
    write(text, frames, format="extxyz")
    return text.getvalue()


def _canvas(page: Page) -> Locator:
    return page.get_by_test_id("canvas")


def _status(page: Page) -> Locator:
    return page.get_by_role("tabpanel").get_by_role("status")


def _load(page: Page) -> None:
    drop_file(page, "waters.extxyz", _file())
    page.get_by_role("link", name="View", exact=True).click(timeout=60_000)
    expect(_canvas(page)).to_have_attribute("data-atoms", "6")
    expect(page.get_by_text(f"of {LOADED}")).to_be_visible()


def _hide_the_cell(page: Page) -> None:
    """The picture has a cell, as long as it is wanted."""
    cell = page.get_by_role("checkbox", name="Cell")
    with_cell = _canvas(page).screenshot()
    cell.uncheck()
    expect(cell).not_to_be_checked()
    assert _canvas(page).screenshot() != with_cell
    cell.check()


def _append(page: Page, lab: Room) -> None:
    """Somebody at the last frame sees those that a script is still making."""
    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("End")
    random = np.random.default_rng(0)
    slider = page.get_by_role("slider", name="Frame")
    expect(slider).to_have_attribute("max", str(LOADED - 1))

    def make() -> Iterator[dict[str, Any]]:
        for number in range(APPENDED):
            if number == APPENDED - 1:
                expect(slider).not_to_have_attribute("max", str(LOADED - 1))
                assert LOADED <= int(str(slider.get_attribute("max"))) < LOADED + APPENDED - 1
            positions = [[x, y + number / 60, z] for x, y, z in WATERS]
            density = random.random(180_000)  # more than one piece in all, so that the first arrive early
            yield atoms([8, 1, 1, 8, 1, 1], positions, 9, density=density)

    lab.frames.extend(make())
    expect(_canvas(page)).to_have_attribute("data-frame", str(LOADED + APPENDED - 1))
    expect(page.get_by_text(f"of {LOADED + APPENDED}")).to_be_visible()
    expect(slider).to_have_attribute("max", str(LOADED + APPENDED - 1))
    expect(slider).to_have_value(str(LOADED + APPENDED - 1))


def _play(page: Page) -> None:
    page.keyboard.press("Home")
    expect(_canvas(page)).to_have_attribute("data-frame", "0")
    page.keyboard.press("Space")
    expect(_canvas(page)).to_have_attribute("data-frame", "3")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    page.keyboard.press("Home")
    expect(_canvas(page)).to_have_attribute("data-frame", "0")


def _select(page: Page, other: Page, lab: Room) -> None:
    """With a click, with a box, a whole molecule: the other browser sees it each time."""
    picture = Picture(_canvas(page))
    for each in (page, other):
        open_tab(each, "Selection")
    picture.click(2, 0)
    expect(_status(other)).to_have_text("1 atom selected")
    page.keyboard.down("Shift")
    picture.drag((-4, 2), (-1.5, -1))
    page.keyboard.up("Shift")
    expect(_status(other)).to_contain_text("3 atoms selected")
    eventually(lambda: lab.selection == [0, 1, 2])
    _select_molecule(page, lab)
    expect(other.get_by_role("table", name="Selected atoms")).to_contain_text("O3")


def _select_molecule(page: Page, lab: Room) -> None:
    picture = Picture(_canvas(page))
    x, y = picture.place(2, 0)
    picture.canvas.dblclick(position={"x": x, "y": y})
    eventually(lambda: lab.selection == [3, 4, 5])


def _run(page: Page, tool: str) -> None:
    open_tab(page, "Tools")
    panel = page.get_by_role("tabpanel", name="Tools")
    panel.get_by_role("combobox", name="Tool").click()
    page.get_by_role("option", name=tool, exact=True).click()
    expect(panel.get_by_role("heading", name=tool)).to_be_visible()
    panel.get_by_role("button", name="Run", exact=True).click()


def _undo(page: Page) -> None:
    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("Control+z")


def _edit(page: Page, other: Page, lab: Room) -> None:
    for tool, count in (("Supercell", 48), ("Delete", 3)):
        _run(page, tool)
        for each in (page, other):
            expect(_canvas(each)).to_have_attribute("data-atoms", str(count), timeout=60_000)
        _undo(page)
        for each in (page, other):
            expect(_canvas(each)).to_have_attribute("data-atoms", "6")
    assert lab.selection == [3, 4, 5]  # which Delete had emptied, in the same version
    before = lab.frames[0]["positions"]
    other.evaluate(PREVIEWS)
    _run(page, "Relax")
    curve = page.get_by_role("tabpanel", name="Tools").locator(".js-plotly-plot .main-svg").first
    expect(curve).to_be_visible(timeout=60_000)
    eventually(lambda: not np.allclose(lab.frames[0]["positions"], before), what="relaxed atoms")
    assert other.evaluate("previewed")  # drawn for everybody while the job ran
    _undo(page)
    eventually(lambda: np.allclose(lab.frames[0]["positions"], before), what="atoms as before")


def _plot(page: Page, lab: Room) -> None:
    """A point leads to its frame and atoms, and the points of the frame are marked."""
    for category, name in (("analysis", "RDF"), ("analysis", "Properties1D")):
        lab.submit_named(category, name, {}).result(timeout=60)
    open_tab(page, "Plots")
    plots = page.get_by_role("tabpanel", name="Plots")
    energies = plots.get_by_role("figure", name="Properties1D").locator(".scatterlayer .trace")
    expect(energies).to_have_count(2)  # the points, and the ring around that of this frame
    energies.first.locator(".point").nth(2).click(force=True)
    expect(_canvas(page)).to_have_attribute("data-frame", "2")
    eventually(lambda: _marked(page, "Properties1D") == [[2]], what="a ring around the third point")

    pairs = plots.get_by_role("figure", name="RDF").locator(".scatterlayer .trace")
    (line,) = lab.figures["RDF"]["data"]
    later = [place for place, example in enumerate(line["customdata"]) if example and example[0] > 2]
    highest = max(later, key=lambda place: line["y"][place])
    frame, *atoms_of_pair = line["customdata"][highest]
    pairs.first.locator(".point").nth(highest).click(force=True)
    expect(_canvas(page)).to_have_attribute("data-frame", str(frame))
    eventually(lambda: lab.selection == atoms_of_pair, what="the two atoms of a pair in the bin")
    expect(pairs).to_have_count(2)
    assert line["x"][highest] in _marked(page, "RDF")[0]
    page.get_by_role("img", name="Atoms").focus()
    page.keyboard.press("Home")
    expect(_canvas(page)).to_have_attribute("data-frame", "0")
    eventually(lambda: _marked(page, "Properties1D") == [[0]], what="a ring around the first point")
    _select_molecule(page, lab)


def _marked(page: Page, figure: str) -> list[list[float]]:
    """Where the points are that belong to the frame of the picture."""
    found: list[list[float]] = page.evaluate(MARKED, figure)
    return found


def _colour(page: Page) -> None:
    open_tab(page, "Display")
    plain = _canvas(page).screenshot()
    page.get_by_role("combobox", name="Colour by").click()
    page.get_by_role("option", name="|calc.forces|").click()
    expect(page.get_by_role("combobox", name="Colours", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name="Colours: calc.forces from")).to_be_visible()
    eventually(lambda: _canvas(page).screenshot() != plain, what="other colours")


def _outlive_a_lock(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    """Who is killed with a lock in hand keeps nobody from working."""
    before = lab.frames[0]["positions"]
    open_tab(page, "Selection")
    page.get_by_label("Edit mode").check(force=True)
    move = page.get_by_role("button", name="Move along x")
    command = [sys.executable, "-c", HOLDER, room, server.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        banner = page.get_by_text("carol changes the frames: Relaxing on the cluster")
        expect(banner).to_be_visible()
        move.click()
        expect(page.locator(".mantine-Notification-root").filter(has_text="carol")).to_be_visible()
        holder.kill()
    expect(banner).to_have_count(0)
    assert np.allclose(lab.frames[0]["positions"], before)
    move.click()
    eventually(lambda: np.allclose(lab.frames[0]["positions"][3:] - before[3:], [0.5, 0, 0]), what="a move")
    _undo(page)
    eventually(lambda: np.allclose(lab.frames[0]["positions"], before), what="atoms as before")
    page.get_by_label("Edit mode").uncheck(force=True)


def _restart(page: Page, server: ServerProcess, lab: Room) -> None:
    server.restart()
    page.reload()
    expect(_canvas(page)).to_have_attribute("data-atoms", "6")
    expect(page.get_by_text(f"of {LOADED + APPENDED}")).to_be_visible()
    assert lab.selection == [3, 4, 5]
    assert {"RDF", "Properties1D"} <= set(lab.figures)
    assert [len(each) for each in atoms_of(lab)] == [6] * (LOADED + APPENDED)


def _save(page: Page, folder: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    download.value.save_as(folder / "picture.png")
    with Image.open(folder / "picture.png") as picture:
        assert len(picture.convert("RGB").getcolors(2**24) or []) > 10


def _come_as_viewer(page: Page, viewer: Page, url: str, room: str) -> None:
    """Somebody with a link for viewing sees it all, and changes nothing."""
    api, ours = f"{url}/api/rooms/{room}", {"Origin": url}
    assert page.request.patch(api, data={"private": True}, headers=ours).ok
    invited = page.request.post(f"{api}/invite", data={"role": "viewer"}, headers=ours)
    viewer.goto(f"{url}/join#{room}/{invited.json()['code']}")
    viewer.get_by_label("Your name").fill(f"victor in {room}")
    viewer.get_by_role("button", name="Log in").click()
    expect(viewer.get_by_text("view only")).to_be_visible()
    viewer.get_by_role("link", name="View", exact=True).click()
    expect(_canvas(viewer)).to_have_attribute("data-atoms", "6")
    expect(viewer.get_by_role("button", name="Fit")).to_be_visible()
    expect(viewer.get_by_role("button", name="Undo")).to_have_count(0)
    open_tab(viewer, "Selection")
    expect(viewer.get_by_label("Edit mode")).to_have_count(0)
    for path in ("undo", "redo"):
        assert viewer.request.post(f"{api}/{path}", headers=ours).status == 403
    assert viewer.request.put(f"{api}/state/step", data="1", headers=ours).status == 403
    frames: dict[str, Any] = {"data": numbered(0), "headers": ours | {"Content-Type": MEDIA_TYPE}}
    assert viewer.request.post(f"{api}/frames?op=append", **frames).status == 403
    assert page.request.post(f"{api}/frames?op=append", **frames).ok


def test_the_first_fifteen_minutes(
    page: Page, make_page: MakePage, server: ServerProcess, lab: Room, room: str, tmp_path: Path
) -> None:
    come_in(page, server.url, "ada", room)
    _load(page)
    lab.camera = CAMERA
    expect(_canvas(page)).to_have_attribute("data-camera", "0.000 0.000 0.000 1.000 10.000")
    _hide_the_cell(page)
    _append(page, lab)
    _play(page)
    other = make_page()
    open_view(other, server.url, room, "eve")
    _select(page, other, lab)
    _edit(page, other, lab)
    _plot(page, lab)
    _colour(page)
    _outlive_a_lock(page, server, lab, room)
    _restart(page, server, lab)
    _save(page, tmp_path)
    _come_as_viewer(page, make_page(), server.url, room)
