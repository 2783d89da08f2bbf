"""The picture of a frame: atoms where the camera sees them, small, and never a reason to fail."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from workroom.client.notebook.elements import COLOURS, RADII
from workroom.client.notebook.snapshot import HEIGHT, WIDTH, draw_snapshot

PAGE = Path(__file__).parents[3] / "web/src/features/view/engine/elements.ts"
CAMERA = {"target": [0, 0, 0], "rotation": [0, 0, 0, 1], "height": 10, "isPerspective": False}
SMALL = 60_000


def frame(numbers: list[int], positions: list[list[float]], **more: Any) -> dict[str, Any]:
    return {"numbers": np.array(numbers), "positions": np.array(positions, dtype=float), **more}


def picture_of(shown: dict[str, Any], camera: Any = None) -> Any:
    """Red, green, blue and opacity of each pixel."""
    png = draw_snapshot(shown, camera)
    assert png is not None
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))


def pixel(picture: Any, x: float, y: float) -> list[int]:
    """At a point of the scene, with the camera above."""
    scale = HEIGHT / 10
    return [int(each) for each in picture[round(HEIGHT / 2 - y * scale), round(WIDTH / 2 + x * scale)]]


def test_atoms_are_where_the_camera_sees_them() -> None:
    picture = picture_of(frame([8, 7], [[-3, 0, 0], [3, 2, 0]]), CAMERA)

    red, green, blue, opacity = pixel(picture, -3, 0)
    assert red > 2 * max(green, blue)
    assert opacity == 255
    red, green, blue, _ = pixel(picture, 3, 2)
    assert blue > 1.5 * max(red, green)
    assert pixel(picture, 0, 0)[3] == 0


def test_what_is_in_front_covers_what_is_behind() -> None:
    """Also if the camera is turned: here by half a turn around y."""
    shown = frame([8, 7], [[0, 0, 4], [0, 0, -4]])
    turned = {**CAMERA, "rotation": [0, 1, 0, 0]}

    assert pixel(picture_of(shown, CAMERA), 0, 0)[0] > 100 > pixel(picture_of(shown, CAMERA), 0, 0)[2]
    assert pixel(picture_of(shown, turned), 0, 0)[2] > 100 > pixel(picture_of(shown, turned), 0, 0)[0]


def test_bonds_have_the_colours_of_their_atoms() -> None:
    picture = picture_of(frame([6, 8], [[-0.6, 0, 0], [0.6, 0, 0]]), {**CAMERA, "height": 3.0})

    middle = picture[HEIGHT // 2]
    left, right = middle[WIDTH // 2 - 6], middle[WIDTH // 2 + 6]
    assert left[3] == right[3] == 255
    assert abs(int(left[0]) - int(left[2])) < 10
    assert right[0] > 2 * right[2]


def test_without_a_camera_everything_is_shown() -> None:
    picture = picture_of(frame([8, 8], [[0, 0, 0], [50, 20, 0]], cell=np.eye(3) * 50))

    drawn = picture[..., 3] > 0
    assert drawn.any(axis=0).nonzero()[0].max() < WIDTH - 1
    assert drawn.any(axis=1).nonzero()[0].max() < HEIGHT - 1
    assert drawn.sum() > 300


@pytest.mark.parametrize("count", [1, 3000, 100_000])
def test_a_picture_is_small(count: int) -> None:
    random = np.random.default_rng(0)
    positions = random.random((count, 3)) * count ** (1 / 3) * 3
    png = draw_snapshot({"numbers": random.integers(1, 90, count), "positions": positions})

    assert png is not None
    assert len(png) < 2 * SMALL if count > 1 else len(png) < SMALL


@pytest.mark.parametrize(
    "camera",
    [
        "nonsense",
        {},
        {**CAMERA, "height": 0},
        {**CAMERA, "rotation": [0, 0, 0, 0]},
        {**CAMERA, "target": [1]},
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_camera_that_is_none_is_ignored(camera: Any) -> None:
    shown = frame([8], [[1, 2, 3]])

    assert draw_snapshot(shown, camera) == draw_snapshot(shown)


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"positions": np.zeros((0, 3)), "numbers": np.zeros(0)},
        {"positions": np.zeros((2, 3)), "numbers": np.zeros(1)},
        {"positions": np.zeros(3), "numbers": np.zeros(1)},
        {"positions": np.full((1, 3), np.nan), "numbers": np.ones(1)},
    ],
)
def test_without_atoms_there_is_no_picture(shown: dict[str, Any]) -> None:
    assert draw_snapshot(shown) is None


def test_unknown_elements_and_atoms_without_a_place_are_no_reason_to_fail() -> None:
    assert draw_snapshot(frame([-1, 500, 8], [[0, 0, 0], [1, 1, 1], [np.nan, 0, 0]])) is not None


def test_elements_look_as_on_the_page() -> None:
    def words(name: str) -> list[str]:
        lines = re.search(rf"const {name} =\n(.*?);", PAGE.read_text(), re.DOTALL)
        assert lines is not None
        return " ".join(re.findall(r'"([^"]*)"', lines[1])).split()

    assert words("COLOURS") == list(COLOURS)
    assert [float(each) for each in words("COVALENT")] == list(RADII)
