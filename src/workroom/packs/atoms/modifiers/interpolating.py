"""Frames between two frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.periodic import Array, shortest
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms


class Interpolate(Extension, category="modifiers"):
    """Insert frames between the current frame and the next, along straight lines by the shortest way."""

    steps: int = Field(9, ge=1, le=1000, title="Frames", description="how many frames to insert")
    mic: bool = Field(True, title="Minimum image", description="cross periodic boundaries if that is shorter")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        scene = Scene(room)
        index = scene.index
        if index + 1 >= len(scene.frames):
            raise ValueError("the current frame is the last one: go to the frame before it")
        first, last = scene.frames[index], scene.frames[index + 1]
        if not np.array_equal(first.numbers, last.numbers):
            raise ValueError(f"frames {index} and {index + 1} have different atoms")
        fractions = np.arange(1, self.steps + 1) / (self.steps + 1)
        way = last.positions - first.positions
        if self.mic:
            way = shortest(way, first)
        cells = last.cell.array - first.cell.array
        return scene.insert(
            _moved(first, each * way, each * cells) for each in job.track(fractions, "interpolating")
        )


def _moved(atoms: Atoms, way: Array, cell: Array) -> Atoms:
    """A copy of the atoms, of which the constraints hold none back."""
    moved = atoms.copy()
    moved.positions += way
    moved.set_cell(atoms.cell.array + cell)
    return moved
