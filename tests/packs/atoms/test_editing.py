"""Modifiers that add, change and remove atoms and frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ase.build import bulk, molecule
from ase.constraints import FixAtoms as Fixed
from ase.constraints import FixBondLengths

from support.atoms_room import ListRoom, run
from support.structures import triclinic
from workroom.packs.atoms.modifiers.building import AddMolecule, Supercell
from workroom.packs.atoms.modifiers.editing import (
    ChangeType,
    Delete,
    Duplicate,
    Empty,
    FixAtoms,
    NewCanvas,
    RemoveAtoms,
)
from workroom.packs.atoms.modifiers.interpolating import Interpolate
from workroom.packs.atoms.modifiers.packing import Ingredient, PackBox
from workroom.packs.atoms.neighbours import bonds, components, pairs_within


def test_deleting_removes_the_selected_atoms_of_the_current_frame_alone() -> None:
    water = molecule("H2O")
    water.set_constraint(Fixed([0, 2]))
    room = ListRoom.of(water, water, water, step=1, selection=[0, 1])

    assert run(Delete(), room) == {"frame": 1, "atoms": 1}

    assert [len(frame["numbers"]) for frame in room.frames] == [3, 1, 3]
    assert np.array_equal(room.atoms.positions, water.positions[2:])
    assert room.atoms.constraints[0].index.tolist() == [0]
    assert room.selection == []


def test_deleting_needs_a_selection() -> None:
    with pytest.raises(ValueError, match="select at least an atom"):
        run(Delete(), ListRoom.of(molecule("H2O"), selection=[7]))


def test_a_modifier_without_frames_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="no frames yet"):
        run(Delete(), ListRoom())


def test_duplicates_are_shifted_and_selected() -> None:
    water = molecule("H2O")
    room = ListRoom.of(water, selection=[1, 2])

    run(Duplicate(x=1, y=2, z=3, symbol="F"), room)

    assert room.atoms.get_chemical_formula() == "H2F2O"
    assert np.array_equal(room.atoms.positions[3:], water.positions[1:] + np.array([1, 2, 3]))
    assert room.selection == [3, 4]


def test_the_type_of_selected_atoms_changes() -> None:
    room = ListRoom.of(molecule("CH4"), selection=[1, 3])
    run(ChangeType(symbol="Cl"), room)
    assert room.atoms.get_chemical_symbols() == ["C", "Cl", "H", "Cl", "H"]


def test_fixing_adds_to_or_replaces_what_is_fixed_and_keeps_other_constraints() -> None:
    water = molecule("H2O")
    water.set_constraint([FixBondLengths([[0, 1]]), Fixed([1])])
    room = ListRoom.of(water, water, selection=[2])

    run(FixAtoms(mode="add", all_frames=True), room)
    assert [type(each).__name__ for each in room.atoms.constraints] == ["FixBondLengths", "FixAtoms"]
    assert room.atoms.constraints[1].index.tolist() == [1, 2]
    assert len(room.frames[1]["constraints"]) == 2

    run(FixAtoms(), room)
    assert room.atoms.constraints[1].index.tolist() == [2]

    room.selection = []
    run(FixAtoms(), room)
    assert len(room.atoms.constraints) == 1


def test_removing_the_last_frame_goes_to_the_one_before() -> None:
    room = ListRoom.of(molecule("H2"), molecule("O2"), step=1)
    run(RemoveAtoms(), room)
    assert (len(room.frames), room.step) == (1, 0)


def test_a_new_canvas_is_empty_and_bookmarked() -> None:
    room = ListRoom.of(molecule("H2"), selection=[0])

    run(NewCanvas(cell=12), room)
    run(Empty(), room)

    assert (room.step, room.selection, room.bookmarks) == (1, [], {1: "New canvas"})
    assert len(room.atoms) == 0
    assert room.atoms.cell.lengths().tolist() == [12] * 3
    assert len(room.frames) == 3


@pytest.mark.parametrize(
    "atoms", [bulk("Cu", cubic=True), triclinic(), bulk("Si")], ids=["cubic", "tri", "fcc"]
)
def test_a_supercell_is_that_of_ase(atoms: Any) -> None:
    room = ListRoom.of(atoms, atoms, step=1)

    run(Supercell(a=2, b=1, c=3), room)

    expected = atoms.repeat((2, 1, 3))
    assert np.array_equal(room.atoms.positions, expected.positions)
    assert np.array_equal(room.atoms.cell.array, expected.cell.array)
    assert len(room.frames[0]["numbers"]) == len(atoms)


def test_a_supercell_needs_a_cell_and_a_limit() -> None:
    with pytest.raises(ValueError, match="no vector a, b"):
        run(Supercell(a=2, b=2, c=1), ListRoom.of(molecule("H2O")))
    with pytest.raises(ValueError, match="8,000,000 atoms; at most 1,000,000"):
        run(Supercell(a=50, b=50, c=50), ListRoom.of(bulk("Cu") * 4))


def test_a_supercell_of_all_frames() -> None:
    room = ListRoom.of(*[bulk("Cu")] * 130)
    assert run(Supercell(all_frames=True), room) == {"frames": 130}
    assert {len(frame["numbers"]) for frame in room.frames} == {8}


def test_a_molecule_is_added_at_the_centre_of_a_triclinic_cell() -> None:
    crystal = triclinic()
    room = ListRoom.of(crystal)

    run(AddMolecule(molecule="CH3CH2OH"), room)

    added = room.atoms.positions[len(crystal) :]
    assert np.allclose(added.mean(axis=0), crystal.cell.array.sum(axis=0) / 2)
    assert room.selection == list(range(20, 29))


def test_a_molecule_is_added_to_an_empty_room() -> None:
    room = ListRoom()
    run(AddMolecule(molecule="H2O"), room)
    assert room.atoms.get_chemical_formula() == "H2O"


@pytest.mark.parametrize("name", ["H", "He", "Au", "Si"])
def test_an_atom_of_any_element_is_added(name: str) -> None:
    room = ListRoom.of(molecule("CH4", cell=[10, 10, 10]))
    run(AddMolecule(molecule=name), room)
    assert room.atoms.get_chemical_symbols()[5:] == [name]
    assert room.atoms.positions[5].tolist() == [5, 5, 5]


def test_unknown_molecules_are_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match="no molecule 'CH3CH2OHH': did you mean CH3CH2OH"):
        run(AddMolecule(molecule="CH3CH2OHH"), ListRoom())


def test_a_packed_box_has_the_density_and_no_contacts() -> None:
    room = ListRoom()
    mixture = [Ingredient(molecule="H2O", count=20), Ingredient(molecule="CH4", count=5)]

    run(PackBox(molecules=mixture, density=0.5, distance=2.0), room)

    box = room.atoms
    grams = box.get_masses().sum() * 1.66053906660e-24
    assert grams / (box.get_volume() * 1e-24) == pytest.approx(0.5)
    parts = components(box, bonds(box))
    close = pairs_within(box, 2.0)
    assert len(set(parts)) == 25
    assert (parts[close.i] == parts[close.j]).all()


def test_a_box_that_is_too_dense_is_refused() -> None:
    with pytest.raises(ValueError, match="of 200 molecules fit"):
        run(PackBox(molecules=[Ingredient(count=200)], density=5, distance=3), ListRoom())


def test_interpolation_takes_the_shortest_way_through_a_triclinic_cell() -> None:
    first = triclinic()
    last = first.copy()
    last.set_scaled_positions(first.get_scaled_positions() + np.array([0.9, 0.05, 0]))
    last.wrap()
    room = ListRoom.of(first, last, molecule("H2"))

    run(Interpolate(steps=3), room)

    expected = first.get_scaled_positions() + np.array([-0.1, 0.05, 0]) / 2
    middle = room.frames[2]["positions"]
    assert len(room.frames) == 6
    assert np.allclose(middle, expected @ first.cell.array)
    assert room.step == 3


def test_frames_with_different_atoms_are_not_interpolated() -> None:
    with pytest.raises(ValueError, match="different atoms"):
        run(Interpolate(), ListRoom.of(molecule("H2"), molecule("O2")))
