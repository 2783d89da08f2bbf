"""Selections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from support.atoms_cases.crystal import (
    BOND,
    CELL,
    SIDES,
    Case,
    crystal,
    execute,
    half,
    neighbours,
    outside,
    rest,
    vectors,
    with_results,
)
from support.atoms_room import ListRoom


def selected(name: str, atoms: Any, selection: list[int], **values: Any) -> list[int]:
    room = ListRoom.of(atoms, selection=selection)
    assert execute(name, room, values) == {"selected": len(room.selection)}
    return room.selection


def all_atoms(size: int, _: Path) -> None:
    assert selected("All", outside(size), []) == list(range(size))


def no_atoms(size: int, _: Path) -> None:
    assert selected("None", outside(size), half(size)) == []


def invert(size: int, _: Path) -> None:
    assert selected("Invert", outside(size), half(size)) == rest(size, half(size))


def a_range(size: int, _: Path) -> None:
    assert selected("Range", outside(size), []) == list(range(size))[:5]
    assert selected("Range", outside(size), [], start=-7, end=None, step=3) == list(range(size))[-7::3]


def random(size: int, _: Path) -> None:
    count = (size + 1) // 2
    expected = np.random.default_rng(42).choice(size, count, replace=False)
    assert selected("Random", outside(size), [], count=count) == sorted(expected.tolist())


def by_element(size: int, _: Path) -> None:
    assert selected("ByElement", outside(size), [], elements=["Au"]) == list(range(1, size, 3))


def identical_species(size: int, _: Path) -> None:
    copper = [each for each in range(size) if each % 3 != 1]
    assert selected("IdenticalSpecies", outside(size), [0]) == copper


def connected_particles(size: int, _: Path) -> None:
    """Layers, each far away from the next."""
    layers = crystal(size, CELL * [[1], [1], [3]])
    expected = [each for each in range(size) if each % SIDES[size][2] == 0]
    assert selected("ConnectedParticles", layers, [0]) == expected


def bonded_neighbours(size: int, _: Path) -> None:
    bonds = vectors(BOND)
    assert len(bonds) == 12
    two = (bonds[:, None] + bonds[None]).reshape(-1, 3)
    expected = neighbours(size, [size // 2], np.concatenate([bonds, two]))
    assert selected("Neighbours", outside(size), [size // 2], order=2) == sorted(expected)


def within_distance(size: int, _: Path) -> None:
    chosen = list(range(0, size, 50))
    around = neighbours(size, chosen, vectors(4.0))
    assert selected("WithinDistance", outside(size), chosen, distance=4.0) == sorted({*around, *chosen})
    others = around - set(chosen)
    assert selected("WithinDistance", outside(size), chosen, distance=4.0, keep=False) == sorted(others)


def by_property(size: int, _: Path) -> None:
    atoms = with_results(size)[0]
    forces = atoms.get_forces()
    strong = np.flatnonzero(np.linalg.norm(forces, axis=1) > 2)
    assert selected("ByProperty", atoms, [], condition="forces > 2") == strong.tolist()
    both = np.flatnonzero((forces[:, 0] < 0) & (atoms.numbers == 79))
    assert selected("ByProperty", atoms, [], condition='forces.x < 0 and symbol == "Au"') == both.tolist()


CASES: dict[str, Case] = {
    "All": all_atoms,
    "None": no_atoms,
    "Invert": invert,
    "Range": a_range,
    "Random": random,
    "ByElement": by_element,
    "IdenticalSpecies": identical_species,
    "ConnectedParticles": connected_particles,
    "Neighbours": bonded_neighbours,
    "WithinDistance": within_distance,
    "ByProperty": by_property,
}
