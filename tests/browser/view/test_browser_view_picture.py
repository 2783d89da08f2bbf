"""The picture: what is drawn where, and in which colour."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from support.browser import MakePage, choose, come_in
from support.view_page import CAMERA, Picture, atoms, open_tab, open_view
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

_LIGHT = (0xF1, 0xF3, 0xF5)
_DARK = (0x1A, 0x1B, 0x1E)
_APART = atoms([8, 7, 17], [[0, 0, 0], [3, 0, 0], [0, 3, 0]])


def _red(colour: tuple[int, int, int]) -> bool:
    return colour[0] > 150 and colour[1] < 90 and colour[2] < 90


def _blue(colour: tuple[int, int, int]) -> bool:
    return colour[2] > 130 and colour[0] < 110


def _green(colour: tuple[int, int, int]) -> bool:
    return colour[1] > 130 and colour[0] < 110 and colour[2] < 110


def _grey(colour: tuple[int, int, int]) -> bool:
    return max(colour) - min(colour) < 12 and 30 < max(colour) < 200


def _at_camera(
    page: Page, server: ServerProcess, lab: Room, room: str, target: tuple[float, float, float] = (0, 0, 0)
) -> Picture:
    lab.camera = CAMERA | {"target": target}
    canvas = open_view(page, server.url, room)
    expect(canvas).to_have_attribute("data-camera", "0.000 0.000 0.000 1.000 10.000")
    return Picture(canvas, x=target[0], y=target[1])


def test_an_atom_is_drawn_where_its_projection_says_in_the_colour_of_its_element(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(_APART)

    picture = _at_camera(page, server, lab, room)

    assert _red(picture.colour(0, 0))
    assert _blue(picture.colour(3, 0))
    assert _green(picture.colour(0, 3))
    assert picture.colour(1.5, 1.5) == _LIGHT


def test_a_bond_across_a_boundary_is_drawn_as_two_halves(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(atoms([6, 7], [[0.6, 5, 5], [9.2, 5, 5]], cell=10))

    picture = _at_camera(page, server, lab, room, target=(5, 5, 5))

    expect(picture.canvas).to_have_attribute("data-bonds", "1")
    assert _grey(picture.colour(0.14, 5))
    assert _blue(picture.colour(9.7, 5))
    assert picture.colour(5, 5) == _LIGHT


def test_the_atom_under_the_pointer_is_the_one_that_is_drawn_there(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    places = np.random.default_rng(1).permutation([[x, y] for x in (-3, -1, 1, 3) for y in (-3, -1, 1, 3)])
    lab.frames.append(atoms([18] * 16, [[x, y, (x * y) % 2] for x, y in places.tolist()]))
    picture = _at_camera(page, server, lab, room)

    for index, (x, y) in enumerate(places.tolist()):
        picture.hover(x, y)
        expect(page.get_by_text(f"Ar {index} ({x:.3f}, {y:.3f}")).to_be_visible()
    picture.hover(0, 0)
    expect(page.get_by_text("16 atoms")).to_be_visible()


def test_the_front_atom_is_drawn_and_picked(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    lab.frames.append(atoms([7, 8, 7], [[0, 0, -3], [0, 0, 3], [0, 0, 0]]))

    picture = _at_camera(page, server, lab, room)
    picture.hover(0, 0)

    assert _red(picture.colour(0, 0))
    expect(page.get_by_text("O 1 (")).to_be_visible()


def test_atoms_are_coloured_by_an_array_or_an_expression_with_a_colour_bar(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    forces = np.array([[0, 0, 0], [0, 3, 4], [0, 0, 1.0]])
    lab.frames.append(_APART | {"calc.forces": forces})
    picture = _at_camera(page, server, lab, room)

    choose(page, "Colour by", "|calc.forces|")
    expect(page.get_by_role("img", name="Colours: calc.forces from 0 to 5")).to_be_visible()
    assert picture.colour(0, 0)[0] < 110  # dark violet
    assert min(picture.colour(3, 0)[:2]) > 130  # yellow

    choose(page, "Colour by", "Expression…")
    page.get_by_label("Expression").fill("y * 2 + forces.y")
    expect(page.get_by_role("img", name="Colours: y * 2 + forces.y from 0 to 6")).to_be_visible()
    page.get_by_label("Expression").fill("alert(1)")
    expect(page.get_by_role("alert")).to_contain_text("There is no function alert")


def test_arrows_show_vectors(page: Page, server: ServerProcess, lab: Room, room: str) -> None:
    lab.frames.append(atoms([7], [[0, 0, 0]]) | {"calc.forces": np.array([[2.0, 0, 0]])})
    picture = _at_camera(page, server, lab, room)
    assert picture.colour(1, 0) == _LIGHT

    choose(page, "Arrows", "calc.forces")
    page.get_by_label("Length of an arrow").fill("1.5")

    expect(picture.canvas).to_have_attribute("data-arrows", "1")
    assert _red(picture.colour(1, 0)) or picture.colour(1, 0)[0] > 140
    assert picture.colour(3.5, 0) == _LIGHT
    assert picture.colour(2.75, 0.1) != _LIGHT, "the head is wide up to the tip"
    assert picture.colour(1, 0.17) == _LIGHT, "the shaft is narrow"


def test_geometries_are_drawn_and_follow_their_documents(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(atoms([7], [[0, 4, 0]]))
    lab.geometries["pair"] = [
        {"type": "arrow", "start": [-4, 0, 0], "end": [0, 0, 0], "radius": 0.3, "color": "#d00000"},
        {"type": "sphere", "center": [3, 3, 0], "radius": 0.8, "color": "#00a000"},
    ]
    lab.geometries["path"] = {
        "type": "curve",
        "points": [[-4, -3, 0], [0, -2, 0], [4, -3, 0]],
        "radius": 0.3,
        "color": "#0000d0",
    }
    picture = _at_camera(page, server, lab, room)

    expect(picture.canvas).to_have_attribute("data-geometries", "3")
    assert _red(picture.colour(-2, 0))
    assert _green(picture.colour(3, 3))
    assert _blue(picture.colour(0, -2))
    assert picture.colour(2, 0) == _LIGHT

    lab.geometries["pair"] = {"type": "box", "center": [3, 0, 0], "size": [2, 2, 2], "color": "#d00000"}
    lab.geometries["wall"] = {
        "type": "plane",
        "center": [-3, 3, 0],
        "normal": [0, 0, 1],
        "size": 2,
        "color": "#0000d0",
    }
    lab.geometries["broken"] = {"type": "box", "center": [0, 0, 0]}
    del lab.geometries["path"]

    expect(page.get_by_text("Geometry “broken” is not drawn: size must be three numbers")).to_be_visible()
    expect(picture.canvas).to_have_attribute("data-geometries", "2")
    assert picture.colour(-2, 0) == _LIGHT == picture.colour(0, -2)
    box, wall = picture.colour(3, 0), picture.colour(-3, 3)
    assert box[0] > box[2] + 20  # both are transparent
    assert wall[2] > wall[0] + 40

    page.get_by_label("Geometries").uncheck(force=True)
    expect(picture.canvas).to_have_attribute("data-geometries", "0")
    assert picture.colour(3, 0) == _LIGHT


def test_a_distance_across_a_boundary_is_that_to_the_nearest_image(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(atoms([18, 18], [[0.6, 5, 5], [9.2, 5, 5]], cell=10))
    picture = _at_camera(page, server, lab, room, target=(5, 5, 5))
    open_tab(page, "Selection")

    picture.click(0.6, 5)
    picture.click(9.2, 5, modifiers=["Shift"])

    status = page.get_by_role("tabpanel").get_by_role("status")
    expect(status).to_have_text("2 atoms selected. Distance 1.400 Å across the boundary")


_CONTEXT = "document.querySelector('[data-testid=canvas] canvas').getContext('webgl2')"


def test_100_000_atoms_are_drawn_and_turned_without_losing_the_context(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    side = np.arange(47)[:, None] * 3.0
    grid = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)[:100_000]
    lab.frames.append({"numbers": np.full(len(grid), 18), "positions": grid})
    canvas = open_view(page, server.url, room)
    expect(page.get_by_text("100,000 atoms")).to_be_visible()
    expect(canvas).to_have_attribute("data-bonds", re.compile(r"\d+"))
    before = canvas.screenshot()

    Picture(canvas).drag((-3, 0), (1, 2))

    expect(canvas).not_to_have_attribute("data-camera", re.compile(r"^0\.000 0\.000 0\.000 1\.000"))
    after = np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB"), dtype=int)
    changed = np.abs(after - np.asarray(Image.open(io.BytesIO(before)).convert("RGB"), dtype=int)).max(axis=2)
    assert (changed > 30).mean() > 0.2
    assert not page.evaluate(f"{_CONTEXT}.isContextLost()")


def test_a_lost_context_is_announced_and_the_picture_comes_back(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(_APART)
    lab.geometries["arrow"] = {
        "type": "arrow",
        "start": [-4, -3, 0],
        "end": [-1, -3, 0],
        "radius": 0.3,
        "color": "#d00000",
    }
    picture = _at_camera(page, server, lab, room)
    expect(picture.canvas).to_have_attribute("data-geometries", "1")
    page.evaluate(
        f"() => {{ window.lose = {_CONTEXT}.getExtension('WEBGL_lose_context'); lose.loseContext() }}"
    )
    sentence = page.get_by_text("The graphics card is busy: the picture comes back when it can.")
    expect(sentence).to_be_visible()

    page.evaluate("() => lose.restoreContext()")

    expect(sentence).to_have_count(0)
    page.wait_for_function(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
    )
    assert _red(picture.colour(0, 0))
    assert _blue(picture.colour(3, 0))
    assert _red(picture.colour(-3, -3))


def test_the_background_follows_the_theme(
    make_page: MakePage, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(_APART)
    page = make_page(color_scheme="dark")
    page.add_init_script("localStorage.setItem('mantine-color-scheme-value', 'dark')")

    picture = _at_camera(page, server, lab, room)

    assert picture.colour(1.5, 1.5) == _DARK
    assert _red(picture.colour(0, 0))


def test_a_picture_is_saved_as_png(
    page: Page, server: ServerProcess, lab: Room, room: str, tmp_path: Path
) -> None:
    lab.frames.append(_APART)
    _at_camera(page, server, lab, room)

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()

    assert download.value.suggested_filename == "frame-0.png"
    download.value.save_as(tmp_path / "picture.png")
    image = np.asarray(Image.open(io.BytesIO((tmp_path / "picture.png").read_bytes())).convert("RGB"))
    height, width = image.shape[:2]
    red, green, blue = (int(each) for each in image[height // 2, width // 2])
    assert _red((red, green, blue))


def test_without_webgl_the_page_says_so_and_lists_the_positions(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(_APART)
    page.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        "  return kind === 'webgl2' ? null : get.call(this, kind, ...rest) }"
    )

    come_in(page, server.url, "ada", room)
    page.get_by_role("link", name="View", exact=True).click()

    expect(page.get_by_text("This browser cannot draw the atoms")).to_be_visible()
    rows = page.get_by_role("table", name="Positions").locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text(re.compile(r"1N3\.0000\.0000\.000"))


def test_a_room_with_atoms_opens_with_its_view_and_its_tools_are_one_click_away(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.extend([_APART, _APART])
    come_in(page, server.url, "ada", room)
    expect(page.get_by_test_id("canvas")).to_have_attribute("data-atoms", "3")

    page.get_by_role("link", name="Tools", exact=True).click()
    expect(page.get_by_text("2 frames, live")).to_be_visible()
    page.get_by_role("link", name="See the atoms").click()
    expect(page.get_by_test_id("canvas")).to_have_attribute("data-atoms", "3")


def test_a_room_without_frames_has_no_link_until_the_first_one_comes(
    page: Page, server: ServerProcess, lab: Room, room: str
) -> None:
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    come_in(page, server.url, "ada", room)
    expect(page.get_by_role("link", name="Tools", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="View", exact=True)).to_have_count(0)

    lab.frames.append(_APART)

    expect(page.get_by_role("link", name="View", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="See the atoms")).to_be_visible()
    expect(page.get_by_test_id("canvas")).to_have_count(0)  # the page stays what it was
    assert not any("ViewPage" in each for each in scripts)  # and has loaded nothing that draws

    page.get_by_role("link", name="See the atoms").click()
    expect(page.get_by_test_id("canvas")).to_have_attribute("data-atoms", "3")
    assert any("ViewPage" in each for each in scripts)


def test_on_a_phone_nothing_is_wider_than_the_screen(
    make_page: MakePage, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.extend([_APART, _APART])
    page = make_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    come_in(page, server.url, "ada", room)
    page.goto(f"{server.url}/rooms/{room}/view")

    expect(page.get_by_test_id("canvas")).to_have_attribute("data-frame", "0")
    people = page.get_by_role("button", name="1 person is here")
    expect(people).to_be_in_viewport(ratio=1)
    people.tap()
    expect(page.get_by_role("dialog").get_by_text("ada")).to_be_visible()
    page.keyboard.press("Escape")
    for tab in ("Selection", "Plots", "Tools", "Display"):
        open_tab(page, tab)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []


def test_fingers_select_turn_and_zoom(
    make_page: MakePage, server: ServerProcess, lab: Room, room: str
) -> None:
    lab.frames.append(_APART)
    page = make_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    picture = _at_camera(page, server, lab, room)

    page.touchscreen.tap(*_on_screen(picture, 0, 3))
    eventually(lambda: lab.selection == [2], what="the atom that was tapped")

    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    (x, y), front = _on_screen(picture, 0, 0), "0.000 0.000 0.000 1.000"
    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 40, y), (x + 40, y))
    touch("touchMove", (x - 80, y), (x + 80, y))
    touch("touchEnd")
    expect(picture.canvas).to_have_attribute("data-camera", re.compile(rf"^{front} 2\.\d+$"))
    touch("touchStart", (x, y))
    touch("touchMove", (x + 30, y))
    touch("touchMove", (x + 60, y))
    touch("touchEnd")
    expect(picture.canvas).not_to_have_attribute("data-camera", re.compile(rf"^{front}"))
    assert page.evaluate("scrollY") == 0


def _on_screen(picture: Picture, x: float, y: float) -> tuple[float, float]:
    box, at = picture.canvas.bounding_box(), picture.place(x, y)
    assert box is not None
    return box["x"] + at[0], box["y"] + at[1]
