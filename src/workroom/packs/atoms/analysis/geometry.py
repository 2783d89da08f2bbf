"""Distances and angles of the selected atoms over all frames, with the minimum image."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from workroom import Extension, JobContext
from workroom.packs.atoms.figures import draw, frame_figure
from workroom.packs.atoms.reading import geometries

if TYPE_CHECKING:
    from ase import Atoms


class Distance(Extension, category="analysis"):
    """Plot the distance of the two selected atoms over all frames."""

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        def distance(atoms: Atoms, a: int, b: int) -> float:
            return float(atoms.get_distance(a, b, mic=True))

        return _plot(room, job, "Distance", "distance (Å)", 2, distance)


class Angle(Extension, category="analysis"):
    """Plot the angle at the second of the three selected atoms over all frames."""

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        def angle(atoms: Atoms, a: int, b: int, c: int) -> float:
            return float(atoms.get_angle(a, b, c, mic=True))

        return _plot(room, job, "Angle", "angle (°)", 3, angle)


class DihedralAngle(Extension, category="analysis"):
    """Plot the dihedral angle of the four selected atoms over all frames, from -180° to 180°."""

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        def dihedral(atoms: Atoms, a: int, b: int, c: int, d: int) -> float:
            return (float(atoms.get_dihedral(a, b, c, d, mic=True)) + 180) % 360 - 180

        return _plot(room, job, "DihedralAngle", "dihedral angle (°)", 4, dihedral)


def _plot(
    room: Any, job: JobContext, name: str, title: str, count: int, measure: Callable[..., float]
) -> dict[str, Any]:
    chosen = [int(each) for each in room.selection or []]
    if len(chosen) != count:
        are = "is" if len(chosen) == 1 else "are"
        raise ValueError(f"select exactly {count} atoms, in order; {len(chosen)} {are} selected")
    numbers, values = [], []
    for number, atoms in geometries(room, job):
        numbers.append(number)
        values.append(measure(atoms, *chosen) if max(chosen) < len(atoms) else float("nan"))
    atoms_text = "-".join(map(str, chosen))
    draw(room, job, name, frame_figure(f"{name} {atoms_text}", title, numbers, values))
    return {"figure": name, "frames": len(values), **_summary(values)}


def _summary(values: list[float]) -> dict[str, float]:
    known = np.array(values)[np.isfinite(values)]
    if not len(known):
        return {}
    return {"mean": float(known.mean()), "min": float(known.min()), "max": float(known.max())}
