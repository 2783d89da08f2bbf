"""How atoms are arranged around each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.elements import Element, number_of
from workroom.packs.atoms.figures import bars_figure, draw, frame_figure, line_figure
from workroom.packs.atoms.neighbours import bonds, pairs_within
from workroom.packs.atoms.periodic import periodic
from workroom.packs.atoms.reading import geometries
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

Frames = Literal["current", "all"]
_ANY = "empty: every element"
_ROW: dict[str, Any] = {"row": "elements"}


class RDF(Extension, category="analysis"):
    """Plot the radial distribution function g(r): how much denser atoms are at a distance than on average."""

    first: Element | None = Field(None, title="First element", description=_ANY, json_schema_extra=_ROW)
    second: Element | None = Field(None, title="Second element", description=_ANY, json_schema_extra=_ROW)
    cutoff: float = Field(8.0, gt=0, le=50, json_schema_extra={"unit": "Å"})
    bins: int = Field(200, ge=2, le=5000)
    frames: Frames = Field("all", description="averaged over all frames, or the current one")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        edges = np.linspace(0, self.cutoff, self.bins + 1)
        shells = 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
        total, count = np.zeros(self.bins), 0
        for _, atoms in geometries(room, job, **_frames(room, self.frames)):
            total += self._histogram(atoms, edges) / shells
            count += 1
        radii, g = (edges[1:] + edges[:-1]) / 2, total / max(1, count)
        name = f"{self.first or 'all'}-{self.second or 'all'}"
        draw(room, job, "RDF", line_figure(f"RDF {name}", "r (Å)", "g(r)", radii, g))
        return {"figure": "RDF", "frames": count, "peak": float(radii[g.argmax()])}

    def _histogram(self, atoms: Atoms, edges: Any) -> Any:
        """Pairs per distance, for a first atom and a mean density of 1."""
        if not periodic(atoms).all():
            raise ValueError("an RDF needs a cell that is periodic in all directions")
        of, around = _mask(atoms, self.first), _mask(atoms, self.second)
        if not of.any() or not around.any():
            raise ValueError("a frame has no atoms of these elements")
        i, j, distances = pairs_within(atoms, self.cutoff, twice=False)
        density = around.sum() / atoms.get_volume()
        if self.first is None and self.second is None:
            return 2 * _binned(distances, edges) / (of.sum() * density)
        counted = _binned(distances[of[i] & around[j]], edges) + _binned(distances[of[j] & around[i]], edges)
        return counted / (of.sum() * density)


class Coordination(Extension, category="analysis"):
    """Count the neighbours of atoms: of each in the current frame, or their mean over all frames."""

    first: Element | None = Field(None, title="Atoms of", description=_ANY, json_schema_extra=_ROW)
    second: Element | None = Field(None, title="Neighbours of", description=_ANY, json_schema_extra=_ROW)
    cutoff: float = Field(
        0.0, ge=0, le=20, json_schema_extra={"unit": "Å"}, description="0: bonds, from the covalent radii"
    )
    frames: Frames = "current"

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        numbers, means, counts = [], [], np.empty(0, dtype=int)
        for number, atoms in geometries(room, job, **_frames(room, self.frames)):
            counts = self._counts(atoms)
            numbers.append(number)
            means.append(float(counts.mean()) if len(counts) else float("nan"))
        draw(room, job, "Coordination", self._figure(numbers, means, counts))
        return {"figure": "Coordination", "mean": float(np.nanmean(means)), "frames": len(means)}

    def _counts(self, atoms: Atoms) -> Any:
        found = pairs_within(atoms, self.cutoff) if self.cutoff else bonds(atoms)
        is_counted = _mask(atoms, self.second)[found.j]
        counts = np.bincount(found.i[is_counted], minlength=len(atoms))
        return counts[_mask(atoms, self.first)]

    def _figure(self, numbers: list[int], means: list[float], counts: Any) -> dict[str, Any]:
        if self.frames == "all":
            return frame_figure("Coordination", "mean coordination number", numbers, means)
        heights = np.bincount(counts) if len(counts) else np.zeros(1, dtype=int)
        bars = {"atoms": (list(range(len(heights))), heights.tolist())}
        return bars_figure(f"Coordination in frame {numbers[0]}", "neighbours", "atoms", bars)


def _binned(distances: Any, edges: Any) -> Any:
    """Equal bins, which NumPy counts faster if it knows."""
    return np.histogram(distances, len(edges) - 1, (edges[0], edges[-1]))[0]


def _mask(atoms: Atoms, symbol: str | None) -> Any:
    return np.ones(len(atoms), dtype=bool) if symbol is None else atoms.numbers == number_of(symbol)


def _frames(room: Any, which: Frames) -> dict[str, int]:
    index = Scene(room).index
    return {"start": index, "stop": index + 1} if which == "current" else {}
