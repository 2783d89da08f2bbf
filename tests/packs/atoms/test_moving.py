"""Modifiers that move atoms, in cells of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ase.build import bulk, molecule
from ase.constraints import FixAtoms

from support.atoms_room import ListRoom, run
from support.structures import triclinic
from workroom.packs.atoms.modifiers.moving import Center, Rattle, Rotate, Translate, Wrap


def spread(pbc: Any = True) -> Any:
    """Atoms far outside of a triclinic cell."""
    atoms = triclinic()
    atoms.positions += np.random.default_rng(2).normal(scale=20, size=(20, 3))
    atoms.pbc = pbc
    return atoms


@pytest.mark.parametrize("pbc", [True, [True, False, True], False])
def test_wrapping_is_that_of_ase(pbc: Any) -> None:
    atoms = spread(pbc)
    room = ListRoom.of(atoms)

    run(Wrap(), room)

    atoms.wrap()
    assert np.array_equal(room.atoms.positions, atoms.positions)


def test_only_the_selected_atoms_are_wrapped() -> None:
    atoms = spread()
    room = ListRoom.of(atoms, atoms, selection=[3])

    run(Wrap(all_frames=True), room)

    for frame in room.frames:
        moved = (frame["positions"] != atoms.positions).any(axis=1)
        assert np.flatnonzero(moved).tolist() == [3]


def test_centring_puts_the_selection_in_the_middle_of_a_triclinic_cell() -> None:
    atoms = triclinic()
    room = ListRoom.of(atoms, selection=[4])

    run(Center(wrap=False), room)

    middle = atoms.cell.array.sum(axis=0) / 2
    assert np.allclose(room.atoms.positions[4], middle)
    assert np.allclose(room.atoms.positions - room.atoms.positions[4], atoms.positions - atoms.positions[4])


def test_centring_keeps_a_molecule_across_a_boundary_whole() -> None:
    water = molecule("H2O", cell=[10, 10, 10], pbc=True)
    water.wrap()
    room = ListRoom.of(water, selection=[0, 1])
    assert np.ptp(water.positions, axis=0).max() > 5

    run(Center(), room)

    assert np.ptp(room.atoms.positions, axis=0).max() < 2
    mass_centre = np.average(room.atoms.positions[:2], axis=0, weights=water.get_masses()[:2])
    assert np.allclose(mass_centre, [5, 5, 5])


@pytest.mark.parametrize("coordinates", ["cartesian", "fractional"])
def test_translating_shifts_by_a_vector(coordinates: Any) -> None:
    atoms = triclinic()
    room = ListRoom.of(atoms, selection=[1, 5])

    run(Translate(x=0.25, y=-1, z=0.5, coordinates=coordinates), room)

    vector = np.array([0.25, -1, 0.5])
    shift = vector if coordinates == "cartesian" else vector @ atoms.cell.array
    assert np.allclose((room.atoms.positions - atoms.positions)[[1, 5]], shift)
    assert np.allclose(np.delete(room.atoms.positions - atoms.positions, [1, 5], axis=0), 0)


@pytest.mark.parametrize("about", ["centre of the atoms", "centre of the cell", "origin"])
def test_rotating_is_that_of_a_rotation_matrix(about: Any) -> None:
    atoms = triclinic()
    room = ListRoom.of(atoms)

    run(Rotate(angle=30, axis=(1, 2, -0.5), about=about), room)

    axis = np.array([1, 2, -0.5]) / np.linalg.norm([1, 2, -0.5])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(np.pi / 6) * cross + (1 - np.cos(np.pi / 6)) * cross @ cross
    centres = {"origin": np.zeros(3), "centre of the cell": atoms.cell.array.sum(axis=0) / 2}
    centre = centres.get(about, atoms.positions.mean(axis=0))
    assert np.allclose(room.atoms.positions, (atoms.positions - centre) @ turn.T + centre)
    assert np.array_equal(room.atoms.cell.array, atoms.cell.array)


def test_an_axis_without_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="the axis needs a direction"):
        run(Rotate(axis=(0, 0, 0)), ListRoom.of(bulk("Cu")))


def test_rattling_is_that_of_ase_and_leaves_fixed_atoms() -> None:
    atoms = triclinic()
    atoms.set_constraint(FixAtoms([0, 1]))
    room = ListRoom.of(atoms)

    run(Rattle(stdev=0.2, seed=7), room)

    expected = atoms.copy()
    expected.rattle(0.2, seed=7)
    assert np.allclose(room.atoms.positions, expected.positions)
    assert np.array_equal(room.atoms.positions[:2], atoms.positions[:2])
