"""How a frame is drawn: styles, labels, fixed atoms, cameras; and what it costs to show the next one."""

from __future__ import annotations

import io
from functools import partial
from math import hypot

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from support.browser import choose
from support.view_page import CAMERA, Picture, atoms, open_view
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

FRONT = "0.000 0.000 0.000 1.000 10.000"
UPLOADS = """
window.uploaded = [];
const count = (name, sizeOf) => {
  const real = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...args) {
    const bytes = sizeOf(args);
    if (bytes) window.uploaded.push([name, bytes]);
    return real.apply(this, args);
  };
};
const bytesOf = (each) => ArrayBuffer.isView(each) ? each.byteLength : 0;
const inArrays = (args) => args.reduce((sum, each) => sum + bytesOf(each), 0);
for (const name of ["texImage2D", "texSubImage2D", "bufferData", "bufferSubData"]) count(name, inArrays);
"""

LAYOUT_READS = """
window.read = [];
const note = (prototype, name) => {
  const { get, value, ...rest } = Object.getOwnPropertyDescriptor(prototype, name);
  const noted = (real) => function (...args) { window.read.push(name); return real.apply(this, args) };
  const own = get ? { get: noted(get) } : { value: noted(value) };
  Object.defineProperty(prototype, name, { ...rest, ...own });
};
const sizes = ["clientWidth", "clientHeight", "clientLeft", "clientTop", "scrollWidth", "scrollHeight"];
for (const name of [...sizes, "getBoundingClientRect", "getClientRects"]) note(Element.prototype, name);
for (const name of ["offsetWidth", "offsetHeight", "offsetLeft", "offsetTop", "innerText"])
  note(HTMLElement.prototype, name);
"""
NOTE_CHANGES = """() => {
  window.read.length = 0;
  window.changed = [];
  window.noting?.disconnect();
  const nameOf = ({ type, target, attributeName }) => attributeName === "data-frame" ? attributeName
    : `${attributeName ?? type} of ${(target.outerHTML ?? target.parentElement.outerHTML).slice(0, 150)}`;
  window.noting = new MutationObserver((records) => window.changed.push(...records.map(nameOf)));
  window.noting.observe(
    document, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def _open(page: Page, server: ServerProcess, lab: Room, room: str) -> Picture:
    lab.camera = CAMERA
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-camera", FRONT)
    return Picture(canvas)


def _pixels(canvas: Locator) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB"), dtype=int)


def _has_red(picture: Picture, x: float) -> bool:
    colour = picture.colour(x, 0)
    return colour[0] > 130 and max(colour[1:]) < 90


def _has_blue(picture: Picture, x: float) -> bool:
    colour = picture.colour(x, 0)
    return colour[2] > 130 > colour[0]


def _has_nothing(picture: Picture, x: float) -> bool:
    return min(picture.colour(x, 0)) > 200


def test_a_frame_change_uploads_twelve_bytes_per_atom_and_nothing_else(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    """2,048 atoms of nitrogen in molecules. All of them move; bonds, colours and radii stay."""
    places = np.array([[x, y, z] for x in range(16) for y in range(16) for z in range(4)], dtype=float) * 4
    molecules = np.repeat(places, 2, axis=0)
    molecules[1::2, 0] += 1.1
    steps = [molecules + number / 10 for number in range(4)]
    lab.frames.extend({"numbers": np.full(2048, 7), "positions": each} for each in steps)
    page.add_init_script(UPLOADS)
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-bonds", "1024")
    page.keyboard.press("ArrowRight")
    expect(canvas).to_have_attribute("data-frame", "1")

    page.evaluate("() => uploaded.length = 0")
    page.keyboard.press("ArrowRight")
    expect(canvas).to_have_attribute("data-frame", "2")

    assert sum(size for _, size in page.evaluate("[...uploaded]")) == 12 * 2048


def test_a_frame_change_renders_nothing_and_asks_for_no_layout(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    """What is left is the number of the frame, in the slider and the field beside it."""
    lab.frames.extend(atoms([8, 1], [[0, 0, 0], [0, 1 + number / 100, 0]]) for number in range(5))
    page.add_init_script(LAYOUT_READS)
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-bonds", "1")
    page.get_by_role("img", name="Atoms").focus()

    def go(key: str, frame: int) -> None:
        """An assertion of Playwright would itself read the layout."""
        page.keyboard.press(key)
        page.wait_for_function("frame => document.querySelector(`[data-frame='${frame}']`)", arg=frame)

    def changes() -> list[str]:
        go("Home", 0)
        page.evaluate(NOTE_CHANGES)
        for frame in range(1, 4):
            go("ArrowRight", frame)
        found: list[str] = page.evaluate("[...changed, ...read]")
        return found

    # Who is here, and the like, may arrive in between.
    eventually(lambda: changes() == ["data-frame"] * 3, what="nothing but the frame")
    expect(page.get_by_role("slider", name="Frame")).to_have_value("3")
    expect(page.get_by_label("Frame number")).to_have_value("3")


def test_bonds_are_searched_in_a_worker(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    lab.frames.append(atoms([8, 1], [[0, 0, 0], [0, 1, 0]]))
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-bonds", "1")
    assert ["bondWorker" in each.url for each in page.workers] == [True]


def test_a_frame_is_drawn_as_it_is_whatever_was_shown_before(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    """Arrows that turn round, and atoms far behind those that the camera was fitted to."""
    forward = np.array([[1.0, 0, 0], [0, 0, 0]])
    near, far = atoms([7, 8], [[0, 0, 0], [0, 3, 0]]), atoms([7, 8], [[0, 0, 0], [0, 3, -500]])
    lab.frames.append(near | {"calc.forces": forward, "arrays.momenta": -14 * forward})
    lab.frames.append(far | {"calc.forces": -forward})
    picture = _open(page, server, lab, room)
    choose(page, "Arrows", "calc.forces")
    page.get_by_label("Length of an arrow").fill("3")
    for key, frame, side in (("Home", 0, 1), ("End", 1, -1), ("Home", 0, 1)):
        page.get_by_role("img", name="Atoms").focus()
        page.keyboard.press(key)
        expect(picture.canvas).to_have_attribute("data-frame", str(frame))
        assert min(picture.colour(2 * side, 0)) < 120, "the arrow"
        assert _has_nothing(picture, -2 * side)
        assert picture.colour(0, 3)[0] > picture.colour(0, 3)[2] + 40, "the oxygen"

    choose(page, "Arrows", "Velocities")
    eventually(partial(_has_nothing, picture, 2), what="no force")
    assert min(picture.colour(-2, 0)) < 120, "the velocity"


def test_styles_differ_in_the_size_of_atoms(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    lab.frames.append(atoms([8], [[0, 0, 0]]))
    picture = _open(page, server, lab, room)
    for style, inside, outside in (("Spheres", 1.3, 1.8), ("Balls", 0.25, 0.6), ("Points", 0.08, 0.25)):
        page.get_by_text(style, exact=True).click()
        eventually(partial(_has_red, picture, inside), what=f"{style}: {inside} Å is covered")
        eventually(partial(_has_nothing, picture, outside), what=f"{style}: {outside} Å is free")


def test_labels_and_crosses_are_drawn_on_their_atoms_alone(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    fixed = [{"name": "FixAtoms", "kwargs": {"indices": [1]}}]
    lab.frames.append(atoms([9, 9], [[-2, 0, 0], [2, 0, 0]], constraints=fixed))
    picture = _open(page, server, lab, room)

    def changed(before: np.ndarray) -> tuple[bool, bool]:
        """Whether the left and the right half of the picture are others."""
        differences = np.abs(_pixels(picture.canvas) - before).max(axis=2) > 60
        middle = differences.shape[1] // 2
        return bool(differences[:, :middle].any()), bool(differences[:, middle:].any())

    with_cross = _pixels(picture.canvas)
    page.get_by_role("checkbox", name="Mark fixed atoms").uncheck()
    eventually(lambda: changed(with_cross) == (False, True), what="no cross")

    plain = _pixels(picture.canvas)
    choose(page, "Labels", "Number of the atom")
    eventually(lambda: changed(plain) == (True, True), what="labels")
    choose(page, "Labels", "None")
    eventually(lambda: changed(plain) == (False, False), what="no labels")

    page.get_by_role("checkbox", name="Axes").uncheck()
    eventually(lambda: changed(plain) == (True, False), what="no axes in the corner on the left")


def test_standard_views_fit_and_perspective(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    """Along x, what is at +x is in front; in perspective, what is nearer is larger."""
    lab.frames.append(atoms([8, 7, 9, 9], [[3, 0, 0], [-3, 0, 0], [3, 2, 0], [-3, -2, 0]]))
    picture = _open(page, server, lab, room)
    for view, is_front in (("Along x", _has_red), ("Against x", _has_blue)):
        page.get_by_role("button", name="Standard views").click()
        page.get_by_role("menuitem", name=view).click()
        eventually(partial(is_front, picture, 0), what=view)

    before = picture.canvas.get_attribute("data-camera")
    page.get_by_role("button", name="Fit").click()
    expect(picture.canvas).not_to_have_attribute("data-camera", str(before))
    fitted = str(picture.canvas.get_attribute("data-camera")).split()
    assert fitted[:4] == str(before).split()[:4]
    # The sphere around the box of all atoms, and a little more; the canvas is wider than high.
    assert float(fitted[4]) == pytest.approx(1.95 * (hypot(6, 4) / 2 + 1.5), rel=1e-3)
    orthographic = _greens(picture)
    page.get_by_role("button", name="Perspective").click()
    eventually(lambda: _greens(picture)[0] > 1.3 * _greens(picture)[1], what="a nearer atom that is larger")
    assert 0.8 < orthographic[0] / orthographic[1] < 1.25


def _greens(picture: Picture) -> tuple[int, int]:
    """How many pixels the larger and the smaller of the two green atoms cover."""
    pixels = _pixels(picture.canvas)
    green = (pixels[..., 1] > pixels[..., 0] + 40) & (pixels[..., 1] > pixels[..., 2] + 40)
    middle = green.shape[1] // 2
    left, right = int(green[:, :middle].sum()), int(green[:, middle:].sum())
    return max(left, right), max(min(left, right), 1)
