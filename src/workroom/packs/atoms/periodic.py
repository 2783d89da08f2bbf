"""Distances in periodic cells: minimum image everywhere, in cells of any shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ase import Atoms

Array = np.ndarray[Any, np.dtype[Any]]


def periodic(atoms: Atoms) -> Array:
    """The directions in which atoms repeat: a cell without a vector there repeats nothing."""
    found: Array = atoms.pbc & atoms.cell.any(axis=1)
    return found


def shortest(vectors: Array, atoms: Atoms) -> Array:
    """The shortest of all periodic images of each vector."""
    if not atoms.pbc.any() or not len(vectors):
        return np.asarray(vectors, float)
    from ase.geometry import find_mic

    found: Array = find_mic(vectors, atoms.cell, atoms.pbc)[0]
    return found


def together(atoms: Atoms, chosen: Array) -> Array:
    """Positions of some atoms, each as the image nearest to the first: molecules stay whole."""
    positions = atoms.positions[chosen]
    if not len(chosen) or len(chosen) == len(atoms):
        return np.asarray(positions)
    return np.asarray(positions[0] + shortest(positions - positions[0], atoms))
