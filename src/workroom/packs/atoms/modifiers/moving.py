"""Move atoms: the selected ones, or all if nothing is selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.periodic import together
from workroom.packs.atoms.scene import Indices, Scene

if TYPE_CHECKING:
    from ase import Atoms

AllFrames = Annotated[
    bool, Field(title="All frames", description="in every frame, not only in the current one")
]
_LENGTH: dict[str, Any] = {"unit": "Å"}


class _Move(Extension, category="modifiers"):
    """Each subclass has the field `all_frames`, as its last one."""

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        scene = Scene(room)

        def move(atoms: Atoms) -> Atoms:
            self.move(atoms, scene.selected_or_all(atoms))
            return atoms

        return scene.change(move, job, all_frames=getattr(self, "all_frames", False))

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        raise NotImplementedError


class Wrap(_Move):
    """Move atoms into the cell, along its periodic directions."""

    all_frames: AllFrames = False

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        part = atoms[chosen]
        part.wrap()
        atoms.positions[chosen] = part.positions


class Center(_Move):
    """Move all atoms so that the selected ones are at the centre of the cell, or at 0 without a cell."""

    weight: Literal["mass", "equal"] = Field(
        "mass", description="mass: the centre of mass; equal: the mean position"
    )
    wrap: bool = Field(True, description="move the atoms into the cell afterwards")
    all_frames: AllFrames = False

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        weights = atoms.get_masses()[chosen] if self.weight == "mass" else np.ones(len(chosen))
        if not len(chosen):
            return
        centre = np.average(together(atoms, chosen), axis=0, weights=weights)
        atoms.positions += atoms.cell.array.sum(axis=0) / 2 - centre
        if self.wrap:
            atoms.wrap()


class Translate(_Move):
    """Shift atoms by a vector."""

    x: float = Field(1, ge=-10_000, le=10_000, title="x", json_schema_extra={"row": "vector"})
    y: float = Field(0, ge=-10_000, le=10_000, title="y", json_schema_extra={"row": "vector"})
    z: float = Field(0, ge=-10_000, le=10_000, title="z", json_schema_extra={"row": "vector"})
    coordinates: Literal["cartesian", "fractional"] = Field(
        "cartesian", description="cartesian: in Å; fractional: in multiples of the cell's vectors a, b, c"
    )
    wrap: bool = Field(False, description="move the atoms into the cell afterwards")
    all_frames: AllFrames = False

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        vector = np.array([self.x, self.y, self.z])
        atoms.positions[chosen] += vector if self.coordinates == "cartesian" else vector @ atoms.cell.array
        if self.wrap:
            atoms.wrap()


class Rotate(_Move):
    """Rotate atoms about an axis through their centre."""

    angle: float = Field(90, ge=-360, le=360, json_schema_extra={"unit": "°"})
    axis: tuple[float, float, float] = Field((0.0, 0.0, 1.0), description="its direction: x, y, z")
    about: Literal["centre of the atoms", "centre of the cell", "origin"] = "centre of the atoms"
    all_frames: AllFrames = False

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        if not any(self.axis):
            raise ValueError("the axis needs a direction: not all of x, y and z may be 0")
        part = atoms[chosen]
        part.positions = together(atoms, chosen)
        part.rotate(self.angle, self.axis, center=self._centre(part))
        atoms.positions[chosen] = part.positions

    def _centre(self, part: Atoms) -> Sequence[float]:
        if self.about == "origin":
            return (0.0, 0.0, 0.0)
        if self.about == "centre of the cell":
            return tuple(part.cell.array.sum(axis=0) / 2)
        return tuple(part.positions.mean(axis=0)) if len(part) else (0.0, 0.0, 0.0)


class Rattle(_Move):
    """Displace atoms at random, with a normal distribution. Fixed atoms stay."""

    stdev: float = Field(
        0.05, gt=0, le=10, title="Standard deviation", json_schema_extra=_LENGTH, description="per direction"
    )
    seed: int = Field(42, ge=0, le=2**32 - 1, description="the same seed gives the same result")
    all_frames: AllFrames = False

    def move(self, atoms: Atoms, chosen: Indices) -> None:
        noise = np.random.RandomState(self.seed).normal(scale=self.stdev, size=(len(chosen), 3))
        moved = atoms.get_positions()
        moved[chosen] += noise
        atoms.set_positions(moved)
