"""Which places of a periodic cube are taken."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
_MAX_CELLS = 100  # along an edge
_OFFSETS = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


class Occupancy:
    """Points in cells that are at least `distance` wide: only those of 27 cells can be too close to another.

    A search among all points before would take the square of their number.
    """

    def __init__(self, edge: float, distance: float, count: int) -> None:
        self._edge, self._distance = edge, distance
        self._across = int(np.clip(edge // distance, 1, _MAX_CELLS))
        self._points = np.empty((count, 3))
        self._count = 0
        self._heads = np.full(self._across**3, -1, dtype=np.int64)  # the last point of each cell
        self._next = np.full(count, -1, dtype=np.int64)  # the point before it in the same cell

    def add(self, points: Array) -> None:
        for point, cell in zip(points, self._cells(self._coordinates(points)), strict=True):
            self._points[self._count] = point
            self._next[self._count] = self._heads[cell]
            self._heads[cell] = self._count
            self._count += 1

    def is_free(self, points: Array) -> bool:
        """Whether no point that was added is closer than the distance to one of these."""
        around = (self._coordinates(points)[:, None, :] + _OFFSETS) % self._across
        found = np.repeat(np.arange(len(points)), len(_OFFSETS))
        others = self._heads[self._cells(around.reshape(-1, 3))]
        while len(others):
            found, others = found[others >= 0], others[others >= 0]
            gaps = points[found] - self._points[others]
            gaps -= self._edge * np.round(gaps / self._edge)
            if (np.einsum("ij,ij->i", gaps, gaps) < self._distance**2).any():
                return False
            others = self._next[others]
        return True

    def _coordinates(self, points: Array) -> Array:
        """Of the cell of each point."""
        inside = np.asarray(points) / self._edge % 1.0
        return np.minimum((inside * self._across).astype(np.int64), self._across - 1)

    def _cells(self, coordinates: Array) -> Array:
        x, y, z = coordinates.T
        return np.asarray((x * self._across + y) * self._across + z)
