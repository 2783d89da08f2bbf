"""Selections, across periodic boundaries too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.singlepoint import SinglePointCalculator
from ase.neighborlist import neighbor_list

from support.atoms_room import ListRoom, run
from support.structures import structures, triclinic
from workroom.packs.atoms.neighbours import pairs_within
from workroom.packs.atoms.selections.by_property import ByProperty
from workroom.packs.atoms.selections.choosing import (
    All,
    ByElement,
    IdenticalSpecies,
    Invert,
    NoneSelection,
    Random,
    Range,
)
from workroom.packs.atoms.selections.neighbouring import ConnectedParticles, Neighbours, WithinDistance


def chosen(extension: Any, atoms: Any, selection: tuple[int, ...] = ()) -> list[int]:
    room = ListRoom.of(atoms, selection=selection)
    result = run(extension, room)
    assert result == {"selected": len(room.selection)}
    return room.selection


def test_all_none_and_the_rest() -> None:
    ethanol = molecule("CH3CH2OH")
    assert chosen(All(), ethanol) == list(range(9))
    assert chosen(NoneSelection(), ethanol, (1, 2)) == []
    assert chosen(Invert(), ethanol, (0, 3, 8, 99)) == [1, 2, 4, 5, 6, 7]
    assert NoneSelection.extension_name == "None"


def test_a_range_is_a_slice_of_the_atoms() -> None:
    ethanol = molecule("CH3CH2OH")
    assert chosen(Range(start=2, end=99, step=3), ethanol) == [2, 5, 8]
    assert chosen(Range(start=-2, end=None), ethanol) == [7, 8]


def test_a_seed_selects_the_same_atoms() -> None:
    first = chosen(Random(count=5, seed=3), bulk("Cu") * 4)
    assert first == chosen(Random(count=5, seed=3), bulk("Cu") * 4)
    assert len(set(first)) == 5
    with pytest.raises(ValueError, match="only 3 atoms"):
        chosen(Random(count=4), molecule("H2O"))


def test_elements_by_name_or_as_those_selected() -> None:
    ethanol = molecule("CH3CH2OH")
    assert chosen(ByElement(elements=["C", "O"]), ethanol) == [0, 1, 2]
    assert chosen(IdenticalSpecies(), ethanol, (0, 2)) == [0, 1, 2]


@pytest.mark.parametrize("name", ["triclinic", "slab", "graphene", "C6H6", "tube", "Mg hcp", "one", "empty"])
def test_pairs_are_those_of_ase(name: str) -> None:
    atoms = structures()[name]

    found = pairs_within(atoms, 3.1)

    i, j, distance = neighbor_list("ijd", atoms, 3.1)
    order, expected = np.lexsort((found.distance, found.j, found.i)), np.lexsort((distance, j, i))
    assert np.array_equal(found.i[order], i[expected])
    assert np.array_equal(found.j[order], j[expected])
    assert np.allclose(np.sort(found.distance), np.sort(distance))


def two_waters() -> Any:
    """Two molecules, one of them cut by the boundary of the cell."""
    near, far = molecule("H2O"), molecule("H2O")
    far.positions += (5, 5, 5)
    both = near + far
    both.set_cell([10, 10, 10])
    both.pbc = True
    both.wrap()
    return both


def test_connected_particles_are_whole_molecules() -> None:
    assert chosen(ConnectedParticles(), two_waters(), (1,)) == [0, 1, 2]
    assert chosen(ConnectedParticles(), two_waters(), (0, 4)) == [0, 1, 2, 3, 4, 5]


def test_neighbours_of_an_order() -> None:
    butane = molecule("trans-butane")
    assert chosen(Neighbours(order=1), two_waters(), (1,)) == [0, 1]
    assert chosen(Neighbours(order=2), two_waters(), (1,)) == [0, 1, 2]
    assert len(chosen(Neighbours(order=9), butane, (0,))) == len(butane)


def test_first_neighbours_in_a_crystal_of_one_atom_per_cell() -> None:
    atoms = bulk("Cu") * (4, 4, 4)
    assert len(chosen(Neighbours(), atoms, (0,))) == 13


@pytest.mark.parametrize("distance", [2.0, 3.7, 6.0])
def test_atoms_within_a_distance_are_those_of_the_minimum_image(distance: float) -> None:
    atoms = triclinic(40)
    expected = np.flatnonzero(atoms.get_distances(7, range(40), mic=True) <= distance)
    assert chosen(WithinDistance(distance=distance), atoms, (7,)) == expected.tolist()
    without = chosen(WithinDistance(distance=distance, keep=False), atoms, (7,))
    assert without == [each for each in expected.tolist() if each != 7]


def with_forces() -> Any:
    atoms = molecule("H2O")
    atoms.calc = SinglePointCalculator(atoms, forces=[[3, 0, 0], [0, 0, -1], [0.5, 2, 0]])
    atoms.set_tags([1, 2, 3])
    return atoms


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("forces > 2", [0, 2]),
        ("forces.x >= 0.5 and forces.y == 0", [0]),
        ('symbol == "H"', [1, 2]),
        ("not (number == 8) or z > 0", [0, 1, 2]),
        ("1 < tags <= 3", [1, 2]),
        ("abs(forces.z) * 2 > 1.5", [1]),
        ("x**2 + y**2 + z**2 < 0.1", [0]),
        ("mass > 10", [0]),
        ("index % 2 == 0", [0, 2]),
        ("9**9**9 > 1", [0, 1, 2]),
        ("sqrt(-1.0) > 0", []),
    ],
)
def test_conditions_select_atoms(condition: str, expected: list[int]) -> None:
    assert chosen(ByProperty(condition=condition), with_forces()) == expected


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ("forces >", "is not a condition"),
        ("forces", "that is a number, not a condition"),
        ("speed > 1", "the atoms have no 'speed': there are .*forces"),
        ("__import__('os').system('true')", "is not understood"),
        ("().__class__", "the atoms have no"),
        ("[x for x in y]", "is not understood here"),
        ("(lambda: 1)() > 0", "is not understood"),
        ("open('/etc/passwd') == 1", "is not understood"),
        ("forces.real > 1", "the atoms have no 'forces.real'"),
        ("x @ y > 1", "is not understood here"),
        ("x in y", "is not understood here"),
        ("symbol > 3", "mixes values"),
        ("'a' * 9**9 == 1", "mixes values"),
        ("(" * 240 + "x" + ")" * 240 + " > 0", "is not a condition"),
        ("None", "is not understood here"),
        ("'%99999999d' % 5 == symbol", "mixes values"),
        ("-" * 490 + "x > 1", "nested too deeply"),
    ],
)
def test_conditions_that_are_not_understood_are_refused(condition: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        chosen(ByProperty(condition=condition), with_forces())


@pytest.mark.parametrize("condition", ["positions > 2", "x < 1", 'symbol == "O"'])
def test_a_condition_selects_nothing_of_a_frame_without_atoms(condition: str) -> None:
    assert chosen(ByProperty(condition=condition), Atoms()) == []


@pytest.mark.parametrize("pbc", [(True, True, True), (True, False, False)])
def test_atoms_do_not_repeat_where_the_cell_has_no_vector(pbc: tuple[bool, ...]) -> None:
    water = molecule("H2O", pbc=pbc)

    assert len(pairs_within(water, 3.0).i) == 6
    assert chosen(Neighbours(), water, (0,)) == [0, 1, 2]
