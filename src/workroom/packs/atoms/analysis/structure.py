"""How atoms are arranged around each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.elements import Element, number_of
from workroom.packs.atoms.figures import bars_figure, draw, frame_figure, line_figure
from workroom.packs.atoms.neighbours import Pairs, bonds, pairs_within
from workroom.packs.atoms.periodic import periodic
from workroom.packs.atoms.reading import geometries
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

Frames = Literal["current", "all"]
_ANY = "empty: every element"
_CHUNK = 100_000  # pairs
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
        total, count, examples = np.zeros(self.bins), 0, _Examples(edges)
        for number, atoms in geometries(room, job, **_frames(room, self.frames)):
            of, around = self._masks(atoms)
            pairs = self._pairs(atoms, of, around)
            counts = self._counts(pairs, of, around, edges)
            total += counts * atoms.get_volume() / (of.sum() * around.sum()) / shells
            examples.note(number, counts, pairs)
            count += 1
        radii, g = (edges[1:] + edges[:-1]) / 2, total / max(1, count)
        name = f"{self.first or 'all'}-{self.second or 'all'}"
        figure = line_figure(f"RDF {name}", "r (Å)", "g(r)", radii, g, examples.of_bins())
        draw(room, job, "RDF", figure)
        return {"figure": "RDF", "frames": count, "peak": float(radii[g.argmax()])}

    def _masks(self, atoms: Atoms) -> tuple[Any, Any]:
        if not periodic(atoms).all():
            raise ValueError("an RDF needs a cell that is periodic in all directions")
        of, around = _mask(atoms, self.first), _mask(atoms, self.second)
        if not of.any() or not around.any():
            raise ValueError("a frame has no atoms of these elements")
        return of, around

    def _pairs(self, atoms: Atoms, of: Any, around: Any) -> Pairs:
        """Those of the two elements, each once."""
        found = pairs_within(atoms, self.cutoff, twice=False)
        if self.first is None and self.second is None:
            return found
        is_counted = (of[found.i] & around[found.j]) | (of[found.j] & around[found.i])
        return Pairs(found.i[is_counted], found.j[is_counted], found.distance[is_counted])

    def _counts(self, pairs: Pairs, of: Any, around: Any, edges: Any) -> Any:
        """Neighbours in each bin, of all first atoms together."""
        i, j, distances = pairs
        if self.first is None and self.second is None:
            return 2 * _binned(distances, edges)
        return _binned(distances[of[i] & around[j]], edges) + _binned(distances[of[j] & around[i]], edges)


class _Examples:
    """For each bin the frame with the most pairs in it, and the two atoms of one of them."""

    def __init__(self, edges: Any) -> None:
        self._width = edges[1] - edges[0]
        self._most = np.zeros(len(edges) - 1, dtype=int)
        self._points = np.full((len(edges) - 1, 3), -1, dtype=int)

    def note(self, frame: int, counts: Any, pairs: Pairs) -> None:
        is_more = counts > self._most
        if not is_more.any():
            return
        self._most[is_more] = counts[is_more]
        chosen = self._one_in_each(pairs.distance)[is_more]
        atoms = np.where(chosen[:, None] < 0, -1, np.stack([pairs.i[chosen], pairs.j[chosen]], axis=1))
        self._points[is_more, 0] = frame
        self._points[is_more, 1:] = atoms

    def of_bins(self) -> list[list[int]]:
        """A frame and its atoms, or nothing for a bin that is always empty."""
        return [
            [] if frame < 0 else [frame, *sorted({each for each in atoms if each >= 0})]
            for frame, *atoms in self._points.tolist()
        ]

    def _one_in_each(self, distances: Any) -> Any:
        chosen = np.full(len(self._most), -1, dtype=int)
        for start in range(0, len(distances), _CHUNK):
            part = distances[start : start + _CHUNK]
            bins = np.minimum((part / self._width).astype(np.int32), len(chosen) - 1)
            chosen[bins] = np.arange(start, start + len(part))
        return chosen


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
