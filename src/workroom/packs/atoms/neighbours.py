"""Pairs of neighbours in cells of any shape, by vesin; and the bonds that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ase import Atoms

Array = np.ndarray[Any, np.dtype[Any]]
BOND_SCALE = 1.2  # atoms closer than this times the sum of their covalent radii are bonded


class Pairs(NamedTuple):
    """Each pair twice, as i-j and j-i. A periodic image of an atom itself counts as its neighbour."""

    i: Array
    j: Array
    distance: Array


def pairs_within(atoms: Atoms, cutoff: float) -> Pairs:
    if not len(atoms):
        none = np.empty(0, dtype=np.intp)
        return Pairs(none, none, np.empty(0))
    from vesin import NeighborList

    neighbours = NeighborList(cutoff=float(cutoff), full_list=True)
    found = neighbours.compute(_positions(atoms), _box(atoms), atoms.pbc, "ijd")
    return Pairs(found[0].astype(np.intp), found[1].astype(np.intp), found[2])


def bonds(atoms: Atoms, scale: float = BOND_SCALE) -> Pairs:
    """Pairs that are closer than their covalent radii suggest, times `scale`."""
    from ase.data import covalent_radii

    radii = covalent_radii[atoms.numbers]
    if not len(atoms):
        return pairs_within(atoms, 1.0)
    found = pairs_within(atoms, 2 * scale * radii.max())
    is_bond = (found.distance < scale * (radii[found.i] + radii[found.j])) & (found.i != found.j)
    return Pairs(found.i[is_bond], found.j[is_bond], found.distance[is_bond])


def components(atoms: Atoms, pairs: Pairs) -> Array:
    """A number for each atom, the same for those that are connected."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(atoms)
    graph = coo_matrix((np.ones(len(pairs.i), dtype=bool), (pairs.i, pairs.j)), shape=(count, count))
    labels: Array = connected_components(graph, directed=False)[1]
    return labels


def reachable(pairs: Pairs, start: Array, order: int, count: int) -> Array:
    """The atoms that are at most `order` bonds away from those of `start`, as a mask."""
    reached = np.zeros(count, dtype=bool)
    reached[start] = True
    for _ in range(order):
        before = reached.sum()
        reached[pairs.j[reached[pairs.i]]] = True
        if reached.sum() == before:
            break
    return reached


def _positions(atoms: Atoms) -> Array:
    return np.ascontiguousarray(atoms.positions, dtype=float)


def _box(atoms: Atoms) -> Array:
    """Directions without a vector get one, which nothing is repeated along."""
    return np.ascontiguousarray(atoms.cell.complete().array, dtype=float)
