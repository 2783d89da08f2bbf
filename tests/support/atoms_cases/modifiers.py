"""Modifiers. Where a calculator is slow, a small crystal that is repeated must do as the small one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ase.io
import numpy as np
from ase import Atoms, units
from ase.build import molecule
from ase.calculators.emt import EMT
from ase.md.verlet import VelocityVerlet
from ase.optimize import LBFGS
from scipy.spatial import cKDTree

from support.atoms_cases.crystal import (
    CELL,
    Case,
    crystal,
    execute,
    half,
    outside,
    rest,
    with_results,
)
from support.atoms_room import ListRoom
from workroom.packs.atoms.convert import to_atoms, to_frame

UNITS = {1: ((1, 1, 1), (1, 1, 1)), 1_000: ((5, 5, 4), (2, 5, 1)), 100_000: ((5, 5, 4), (10, 10, 10))}


def changed(name: str, atoms: Atoms, selection: list[int], **values: Any) -> Atoms:
    """What becomes of the current frame; those before and after it stay."""
    others = Atoms("H"), Atoms("He")
    room = ListRoom.of(others[0], atoms, others[1], step=1, selection=selection)
    execute(name, room, values)
    assert [to_atoms(room.frames[each]) for each in (0, 2)] == list(others)
    assert room.step == 1
    return room.atoms


def appended(name: str, start: list[Atoms], **values: Any) -> Atoms:
    """The frame that a tool appends."""
    room = ListRoom.of(*start)
    execute(name, room, values)
    assert len(room.frames) == len(start) + 1
    return to_atoms(room.frames[-1])


def delete(size: int, _: Path) -> None:
    atoms = outside(size)
    assert changed("Delete", atoms, half(size)) == atoms[rest(size, half(size))]


def duplicate(size: int, _: Path) -> None:
    atoms, chosen = outside(size), half(size)
    found = changed("Duplicate", atoms, chosen, x=1, y=-2, z=0.5, symbol="Ag")
    assert found[:size] == atoms
    assert np.array_equal(found.positions[size:], atoms.positions[chosen] + [1, -2, 0.5])
    assert set(found.get_chemical_symbols()[size:]) == {"Ag"}


def change_type(size: int, _: Path) -> None:
    atoms, chosen = outside(size), half(size)
    found = changed("ChangeType", atoms, chosen, symbol="Pt")
    atoms.numbers[chosen] = 78
    assert found == atoms


def wrap(size: int, _: Path) -> None:
    """Each atom returns to where it is in the crystal."""
    found = changed("Wrap", outside(size), [])
    expected = outside(size)
    expected.wrap()
    assert np.array_equal(found.positions, expected.positions)
    assert np.allclose(found.positions, crystal(size).positions, atol=1e-6)


def center(size: int, _: Path) -> None:
    atoms, last = outside(size), size - 1
    found = changed("Center", atoms, [last])
    middle = atoms.cell.array.sum(axis=0) / 2
    atoms.positions += middle - atoms.positions[last]
    atoms.wrap()
    assert np.allclose(found.positions[last], middle)
    assert np.allclose(found.positions, atoms.positions)


def supercell(size: int, _: Path) -> None:
    assert changed("Supercell", outside(size), [], a=1, b=2, c=3) == outside(size).repeat((1, 2, 3))


def translate(size: int, _: Path) -> None:
    atoms, chosen = outside(size), half(size)
    found = changed("Translate", atoms, chosen, x=0.5, y=-1, z=2, coordinates="fractional")
    shift = np.array([0.5, -1, 2]) @ atoms.cell.array
    assert np.allclose(found.positions[chosen], atoms.positions[chosen] + shift)
    others = rest(size, chosen)
    assert np.array_equal(found.positions[others], atoms.positions[others])


def rotate(size: int, _: Path) -> None:
    atoms = outside(size)
    found = changed("Rotate", atoms, [], angle=40, axis=(1, -2, 0.5))
    atoms.rotate(40, (1, -2, 0.5), center=atoms.positions.mean(axis=0))
    assert np.allclose(found.positions, atoms.positions)


def rattle(size: int, _: Path) -> None:
    atoms = outside(size)
    found = changed("Rattle", atoms, [], stdev=0.1, seed=3)
    atoms.rattle(0.1, seed=3)
    assert np.allclose(found.positions, atoms.positions)


def fix_atoms(size: int, _: Path) -> None:
    found = changed("FixAtoms", outside(size), half(size))
    assert found.constraints[0].index.tolist() == half(size)
    assert np.array_equal(found.positions, outside(size).positions)


def remove_atoms(size: int, _: Path) -> None:
    frames = with_results(size)
    room = ListRoom.of(*frames, step=1)
    assert execute("RemoveAtoms", room) == {"removed": 1, "frames": 2}
    assert [to_atoms(frame) for frame in room.frames] == [frames[0], frames[2]]


def add_molecule(size: int, _: Path) -> None:
    atoms, added = outside(size), molecule("CH3CH2OH")
    found = changed("AddMolecule", atoms, [], molecule="CH3CH2OH")
    added.positions += atoms.cell.array.sum(axis=0) / 2 - added.positions.mean(axis=0)
    assert found[:size] == atoms
    assert np.allclose(found.positions[size:], added.positions)
    assert np.array_equal(found.numbers[size:], added.numbers)


def pack_box(size: int, _: Path) -> None:
    """Water and helium: as many as wanted, as dense as wanted, and none too close to another."""
    waters = size // 3
    kinds = [("H2O", waters), ("He", size - 3 * waters)]
    molecules = [{"molecule": name, "count": count} for name, count in kinds if count]
    box = appended("PackBox", [Atoms("H")], molecules=molecules, density=0.6, distance=1.7)
    assert len(box) == size
    mass = box.get_masses().sum() * 1.66053906660
    assert np.isclose(mass / box.get_volume(), 0.6)
    edge = box.cell.lengths()[0]
    assert np.allclose(box.cell.array, np.eye(3) * edge)
    close = cKDTree(box.positions % edge % edge, boxsize=edge).query_pairs(1.7, output_type="ndarray")
    of = np.append(np.repeat(np.arange(waters), 3), np.arange(waters, waters + size - 3 * waters))
    assert (of[close[:, 0]] == of[close[:, 1]]).all()
    assert len(close) == 3 * waters


def new_canvas(size: int, _: Path) -> None:
    found = appended("NewCanvas", [outside(size)], cell=11)
    assert found == Atoms(cell=[11, 11, 11], pbc=True)


def empty(size: int, _: Path) -> None:
    assert appended("Empty", [outside(size)]) == Atoms()


def interpolate(size: int, _: Path) -> None:
    """The atoms drift; their images do not matter."""
    drift = np.random.default_rng(5).uniform(-0.4, 0.4, (size, 3))
    first, last = outside(size), crystal(size)
    last.positions += drift
    room = ListRoom.of(first, last, Atoms("He"))
    execute("Interpolate", room, {"steps": 3})
    assert len(room.frames) == 6
    for number in (1, 2, 3):
        assert np.allclose(room.frames[number]["positions"], first.positions + drift * number / 4)
    assert to_atoms(room.frames[5]) == Atoms("He")


def load_file(size: int, folder: Path) -> None:
    ase.io.write(folder / "crystal.extxyz", with_results(size))
    room = ListRoom.of(Atoms("H"))
    execute("LoadFile", room, {"file": "crystal.extxyz"}, folder)
    expected = [to_frame(atoms) for atoms in ase.io.read(folder / "crystal.extxyz", index=":")]
    assert len(expected) == 3
    for one, other in zip(list(room.frames)[1:], expected, strict=True):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[key], other[key]) for key in one)


def rattled(size: int) -> tuple[Atoms, tuple[int, int, int]]:
    """A small crystal with momenta, and how often it is repeated."""
    sides, times = UNITS[size]
    atoms = Atoms("Cu", cell=CELL, pbc=True).repeat(sides)
    atoms.rattle(0.1, seed=4)
    atoms.set_momenta(np.random.default_rng(6).normal(scale=3, size=(len(atoms), 3)))
    return atoms, times


def relax(size: int, _: Path) -> None:
    small, times = rattled(size)
    found = changed("Relax", small.repeat(times), [], steps=2, fmax=1e-9)
    small.calc = EMT()
    LBFGS(small, logfile=None).run(fmax=1e-9, steps=2)
    assert np.allclose(found.positions, small.repeat(times).positions, atol=1e-8)
    assert np.isclose(found.get_potential_energy(), small.get_potential_energy() * np.prod(times))


def molecular_dynamics(size: int, _: Path) -> None:
    small, times = rattled(size)
    values = {"steps": 2, "every": 2, "timestep": 3, "ensemble": "NVE"}
    found = appended("MolecularDynamics", [small.repeat(times)], **values)
    small.calc = EMT()
    VelocityVerlet(small, 3 * units.fs).run(2)
    assert np.allclose(found.positions, small.repeat(times).positions, atol=1e-8)
    assert np.allclose(found.get_momenta(), np.tile(small.get_momenta(), (int(np.prod(times)), 1)), atol=1e-8)
    assert np.isclose(found.get_potential_energy(), small.get_potential_energy() * np.prod(times))


CASES: dict[str, Case] = {
    "Delete": delete,
    "Duplicate": duplicate,
    "ChangeType": change_type,
    "Wrap": wrap,
    "Center": center,
    "Supercell": supercell,
    "Translate": translate,
    "Rotate": rotate,
    "Rattle": rattle,
    "FixAtoms": fix_atoms,
    "RemoveAtoms": remove_atoms,
    "AddMolecule": add_molecule,
    "PackBox": pack_box,
    "NewCanvas": new_canvas,
    "Empty": empty,
    "Interpolate": interpolate,
    "LoadFile": load_file,
    "Relax": relax,
    "MolecularDynamics": molecular_dynamics,
}
