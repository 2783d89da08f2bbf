"""Fills the demo's studio with a dozen pictures of the local provider."""

from __future__ import annotations

from typing import Any

from workroom import Room
from workroom.packs.media.pack import pack
from workroom.packs.media.records import CONTENT, GENERATIONS

ROOM = "studio"
_WIDE, _TALL, _SQUARE = (768, 512), (512, 704), (512, 512)
_PROMPTS = (
    ("a river seen from the air, flow", _WIDE),
    ("frost on a window, branches", _TALL),
    ("stained glass at noon, voronoi", _SQUARE),
    ("coral under the microscope, reaction", _WIDE),
    ("wind over a wheat field, flow", _SQUARE),
    ("a garden after the rain, branches", _WIDE),
    ("cracked earth, voronoi", _TALL),
    ("the skin of a puffer fish, reaction", _SQUARE),
    ("smoke in a dark room, flow", _TALL),
    ("an old oak in winter, branches", _SQUARE),
    ("a city of paper lanterns, voronoi", _WIDE),
    ("lichen on slate, reaction", _SQUARE),
)


def is_available() -> bool:
    """Whether the packages of the pack are installed."""
    return bool(pack.extensions)


def fill(url: str) -> None:
    """Order the pictures, unless the room has some already."""
    with Room(ROOM, url, user="demo") as room:
        if next(room.records(CONTENT).find(), None) or next(room.records(GENERATIONS).find(), None):
            return
        for seed, (prompt, (width, height)) in enumerate(_PROMPTS, 1):
            params: dict[str, Any] = {"prompt": prompt, "width": width, "height": height, "seed": seed}
            room.submit_named("media", "Generate", {"provider": "local", "params": params})
