"""A small picture of a frame, drawn without graphics: spheres with a depth buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workroom.client.notebook.png import MAX_COLOURS, encode_png
from workroom.client.notebook.scene import Floats, Spheres, spheres_of

WIDTH, HEIGHT = 480, 320
MAX_ATOMS = 200_000
_LIGHT = np.array([-0.35, 0.5, 0.79])
_DARKEST = 0.35
_MAX_SHADES = 12
_MIN_PIXELS = 0.55  # the radius of a sphere, so that none falls between the pixels
_AT_ONCE = 2_000_000  # pixels of spheres


@dataclass(frozen=True)
class _Drawn:
    """Spheres in pixels: x to the right, y up, z towards the viewer."""

    centres: Floats
    radii: Floats
    colours: NDArray[np.int64]


def draw_snapshot(frame: Mapping[str, Any], camera: Any = None) -> bytes | None:
    """A PNG of the frame as the camera of the room sees it; None if there are no atoms to draw."""
    spheres = spheres_of(frame)
    if spheres is None or not len(spheres.centres):
        return None
    shades = min(_MAX_SHADES, (MAX_COLOURS - 1) // len(spheres.palette))
    pixels = _rasterize(_project(spheres, camera), shades)
    return encode_png(pixels, [b"\xff\xff\xff", *_shaded(spheres.palette, shades)])


def _project(spheres: Spheres, camera: Any) -> _Drawn:
    rotation, target, height = _camera(camera, spheres)
    seen = (spheres.centres - target) @ rotation
    scale = HEIGHT / height
    centres = seen * scale + np.array([WIDTH / 2, HEIGHT / 2, 0])
    return _Drawn(centres, np.maximum(spheres.radii * scale, _MIN_PIXELS), spheres.colours)


def _camera(camera: Any, spheres: Spheres) -> tuple[Floats, Floats, float]:
    """The camera of the room, or one that shows everything."""
    try:
        turned = _matrix(np.array(camera["rotation"], dtype=float))
        target, height = np.array(camera["target"], dtype=float).reshape(3), float(camera["height"])
        if height > 0 and np.isfinite([*target, height, *turned.flat]).all():
            return turned, target, height
    except (TypeError, KeyError, ValueError):
        pass  # whatever somebody wrote into the document
    low, high = spheres.centres.min(axis=0), spheres.centres.max(axis=0)
    size = high - low + 2 * spheres.radii.max()
    return np.eye(3), (low + high) / 2, float(max(size[1], size[0] * HEIGHT / WIDTH)) * 1.05


def _matrix(quaternion: Floats) -> Floats:
    """The rotation of a quaternion x, y, z, w."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _rasterize(drawn: _Drawn, shades: int) -> NDArray[np.uint8]:
    depths = np.full(WIDTH * HEIGHT, -np.inf)
    pixels = np.zeros(WIDTH * HEIGHT, dtype=np.uint8)
    reaches = np.minimum(np.ceil(drawn.radii).astype(int), max(WIDTH, HEIGHT))
    for reach in np.unique(reaches):
        members = np.flatnonzero(reaches == reach)
        size = max(_AT_ONCE // (2 * reach + 1) ** 2, 1)
        for start in range(0, len(members), size):
            _draw(drawn, members[start : start + size], int(reach), shades, depths, pixels)
    return pixels.reshape(HEIGHT, WIDTH)[::-1]


def _draw(
    drawn: _Drawn,
    members: NDArray[np.int64],
    reach: int,
    shades: int,
    depths: Floats,
    pixels: NDArray[np.uint8],
) -> None:
    """Draw spheres that reach equally far, where they are in front of what is drawn already."""
    centres, radii = drawn.centres[members], drawn.radii[members, None]
    steps = np.arange(-reach, reach + 1)
    offsets = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    places = np.floor(centres[:, None, :2]) + offsets
    aside = (places + 0.5 - centres[:, None, :2]) / radii[..., None]
    inside = 1 - (aside**2).sum(axis=2)
    x, y = places[..., 0], places[..., 1]
    shown = (inside > 0) & (x >= 0) & (x < WIDTH) & (y >= 0) & (y < HEIGHT)
    up = np.sqrt(np.where(shown, inside, 0))
    light = np.clip(aside @ _LIGHT[:2] + up * _LIGHT[2], 0, 0.999)
    found = 1 + drawn.colours[members, None] * shades + (light * shades).astype(int)
    at = (y * WIDTH + x)[shown].astype(int)
    heights = (centres[:, None, 2] + up * radii)[shown]
    order = np.argsort(heights)  # the last assignment to a pixel counts
    at, heights, found = at[order], heights[order], found[shown][order]
    front = heights >= depths[at]
    depths[at[front]] = heights[front]
    pixels[at[front]] = found[front]


def _shaded(palette: tuple[str, ...], shades: int) -> list[bytes]:
    colours = []
    for colour in palette:
        full = np.array(list(bytes.fromhex(colour)), dtype=float)
        for shade in range(shades):
            strength = _DARKEST + (1 - _DARKEST) * (shade + 1) / shades
            colours.append(bytes((full * strength).astype(np.uint8).tolist()))
    return colours
