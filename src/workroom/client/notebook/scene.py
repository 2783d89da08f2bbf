"""A frame of atoms as spheres: atoms, bonds as rows of small ones, and the edges of the cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workroom.client.notebook.elements import COLOURS, RADII

Floats = NDArray[np.float64]
MAX_BONDED = 500  # atoms of a frame whose bonds are drawn
_BALL = 0.5  # of a covalent radius, beside bonds
_FILLED = 0.9  # without bonds
_BOND_RADIUS = 0.11  # Å
_BOND_LENGTH = 1.15  # of the sum of the radii, at most
_BEADS = 14
_EDGE_RADIUS = 0.05
_EDGE_BEADS = 80
_EDGE_COLOUR = "808080"


@dataclass(frozen=True)
class Spheres:
    centres: Floats
    radii: Floats
    colours: NDArray[np.int64]  # indices into the palette
    palette: tuple[str, ...]


def spheres_of(frame: Mapping[str, Any]) -> Spheres | None:
    """None if the frame has no atoms."""
    positions = np.asarray(frame.get("positions", ()), dtype=float)
    numbers = np.asarray(frame.get("numbers", ()))
    if positions.ndim != 2 or positions.shape[1] != 3 or len(positions) != numbers.size or not len(positions):
        return None
    seen, kinds = np.unique(_known(numbers), return_inverse=True)
    radii = np.array(RADII)[seen][kinds]
    has_bonds = len(positions) <= MAX_BONDED
    parts = [(positions, radii * (_BALL if has_bonds else _FILLED), kinds)]
    if has_bonds:
        parts.append(_bonds(positions, radii, kinds))
    parts.append(_edges(frame.get("cell"), len(seen)))
    centres, sizes, colours = (np.concatenate(part) for part in zip(*parts, strict=True))
    is_there = np.isfinite(centres).all(axis=1)
    palette = (*(COLOURS[number] for number in seen), _EDGE_COLOUR)
    return Spheres(centres[is_there], sizes[is_there], colours[is_there], palette)


def _known(numbers: NDArray[Any]) -> NDArray[np.int64]:
    whole = numbers.astype(np.int64)
    return np.where((whole >= 0) & (whole < len(RADII)), whole, 0)


def _bonds(
    positions: Floats, radii: Floats, kinds: NDArray[np.int64]
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Bonds within the cell, each half in the colour of its atom."""
    distances = np.linalg.norm(positions[:, None] - positions[None, :], axis=2)
    limits = _BOND_LENGTH * (radii[:, None] + radii[None, :])
    first, second = np.nonzero(np.triu((distances < limits) & (distances > 0.1), 1))
    along = (np.arange(_BEADS) + 0.5) / _BEADS
    beads = positions[first, None] + along[None, :, None] * (positions[second] - positions[first])[:, None]
    colours = np.where(along[None, :] < 0.5, kinds[first, None], kinds[second, None])
    return beads.reshape(-1, 3), np.full(beads.shape[0] * _BEADS, _BOND_RADIUS), colours.reshape(-1)


def _edges(cell: Any, colour: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The twelve edges of the cell, if there is one."""
    vectors = np.zeros((3, 3)) if cell is None else np.asarray(cell, dtype=float)
    if vectors.shape != (3, 3) or not vectors.any():
        return np.empty((0, 3)), np.empty(0), np.empty(0, dtype=np.int64)
    along = np.linspace(0, 1, _EDGE_BEADS)
    rows = []
    for axis in range(3):
        others = [other for other in range(3) if other != axis]
        for corner in product((0, 1), repeat=2):
            start = corner[0] * vectors[others[0]] + corner[1] * vectors[others[1]]
            rows.append(start + along[:, None] * vectors[axis])
    beads = np.concatenate(rows)
    return beads, np.full(len(beads), _EDGE_RADIUS), np.full(len(beads), colour)
