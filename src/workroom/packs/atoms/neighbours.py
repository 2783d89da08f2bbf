"""Pairs of neighbours in cells of any shape, by vesin; and the bonds that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workroom.packs.atoms.periodic import periodic, shortest

if TYPE_CHECKING:
    from ase import Atoms

Array = np.ndarray[Any, np.dtype[Any]]
MAX_PAIRS = 20_000_000  # that are held in memory, at up to 50 bytes each
_SPACING = 3.0  # Å between atoms that are next to each other, about
BOND_SCALE = 1.2  # atoms closer than this times the sum of their covalent radii are bonded


class Pairs(NamedTuple):
    """Each pair twice, as i-j and j-i. A periodic image of an atom itself counts as its neighbour."""

    i: Array
    j: Array
    distance: Array


def pairs_within(atoms: Atoms, cutoff: float, *, twice: bool = True) -> Pairs:
    """All pairs up to this distance. Without `twice`, each is there once, which takes half the memory.

    Raises ValueError if there are too many to hold.
    """
    if not len(atoms):
        none = np.empty(0, dtype=np.intp)
        return Pairs(none, none, np.empty(0))
    from vesin import NeighborList

    _refuse_too_many(atoms, cutoff, MAX_PAIRS if twice else 2 * MAX_PAIRS)
    neighbours = NeighborList(cutoff=float(cutoff), full_list=twice)
    i, j, distance = neighbours.compute(_positions(atoms), _box(atoms), periodic(atoms), "ijd")
    return Pairs(i.view(np.intp), j.view(np.intp), distance)


def near(atoms: Atoms, chosen: Array, distance: float) -> Array:
    """Which atoms are this near to one of the chosen ones, as a mask; some of the chosen ones may be."""
    found: Array = np.zeros(len(atoms), dtype=bool)
    if expected_pairs(atoms, distance) <= MAX_PAIRS:
        pairs = pairs_within(atoms, distance)
        is_chosen = np.zeros(len(atoms), dtype=bool)
        is_chosen[chosen] = True
        found[pairs.j[is_chosen[pairs.i]]] = True
        return found
    if len(chosen) * len(atoms) > MAX_PAIRS:
        _refuse_too_many(atoms, distance, MAX_PAIRS)
    for each in chosen:
        gaps = shortest(atoms.positions - atoms.positions[each], atoms)
        found |= np.einsum("ij,ij->i", gaps, gaps) <= distance**2
    return found


def expected_pairs(atoms: Atoms, cutoff: float) -> float:
    """About how many pairs there are, each counted twice, if the atoms are spread evenly."""
    count = len(atoms)
    around = count / _volume(atoms, cutoff) * 4 / 3 * np.pi * cutoff**3
    return float(count * (around if periodic(atoms).any() else min(count, around)))


def _volume(atoms: Atoms, cutoff: float) -> float:
    """Of the cell or, where it is not periodic in all directions, of a box around the atoms."""
    if periodic(atoms).all():
        return float(atoms.get_volume())
    return float(np.prod(np.ptp(atoms.positions, axis=0) + min(cutoff, _SPACING)))


def _refuse_too_many(atoms: Atoms, cutoff: float, most: int) -> None:
    expected = expected_pairs(atoms, cutoff)
    if expected > most:
        shorter = np.floor(cutoff * (most / expected) ** (1 / 3) * 10) / 10
        raise ValueError(
            f"there are about {expected / 1e6:,.0f} million pairs of atoms within {cutoff:g} Å, "
            f"more than fit in memory: choose at most {shorter:g} Å"
        )


def bonds(atoms: Atoms, scale: float = BOND_SCALE) -> Pairs:
    """Pairs that are closer than their covalent radii suggest, times `scale`; also to an image of itself."""
    from ase.data import covalent_radii

    radii = covalent_radii[atoms.numbers]
    if not len(atoms):
        return pairs_within(atoms, 1.0)
    found = pairs_within(atoms, 2 * scale * radii.max())
    is_bond = found.distance < scale * (radii[found.i] + radii[found.j])
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
