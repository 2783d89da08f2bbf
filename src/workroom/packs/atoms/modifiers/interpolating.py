"""Frames between two frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.periodic import shortest
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
        return scene.insert(
            self._between(first, last, each) for each in job.track(fractions, "interpolating")
        )

    def _between(self, first: Atoms, last: Atoms, fraction: float) -> Atoms:
        atoms = first.copy()
        way = last.positions - first.positions
        atoms.positions += fraction * (shortest(way, first) if self.mic else way)
        atoms.set_cell(first.cell.array + fraction * (last.cell.array - first.cell.array))
        return atoms
