"""Atoms become frames and return without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest
from ase import Atoms
from ase.build import bulk
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixBondLengths
from ase.spacegroup import Spacegroup

from support.atoms_room import ListRoom
from support.structures import structures
from workroom.packs.atoms import atoms_of, to_atoms, to_frame

ALL = structures()
PLAIN = (np.bool_, np.int64, np.float64, np.str_)


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, in type and value; NaN is equal to itself, and np.float64(1) to 1.0."""
    one, other = (each.item() if isinstance(each, PLAIN) else each for each in (one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray | np.generic):
        left, right = np.asarray(one), np.asarray(other)
        return (left.dtype, left.shape, left.tobytes()) == (right.dtype, right.shape, right.tobytes())
    if isinstance(one, Spacegroup):
        return bool(one == other)
    return type(one) is type(other) and (one == other or repr(one) == repr(other) == "nan")


def results(atoms: Atoms) -> dict[str, Any]:
    calc = atoms.calc
    return {} if calc is None or calc.check_state(atoms) else dict(calc.results)


def test_there_are_forty_structures() -> None:
    assert len(ALL) == 40


@pytest.mark.parametrize("name", ALL)
def test_a_structure_returns_equal_to_the_last_bit(name: str) -> None:
    atoms = ALL[name]
    found = to_atoms(to_frame(atoms))

    assert same(dict(sorted(found.arrays.items())), dict(sorted(atoms.arrays.items())))
    assert same(np.array(found.cell), np.array(atoms.cell))
    assert same(np.array(found.pbc), np.array(atoms.pbc))
    assert same(found.get_celldisp(), atoms.get_celldisp())
    assert found.info.keys() == atoms.info.keys()
    assert same({key: found.info[key] for key in atoms.info}, dict(atoms.info))
    assert [each.todict() for each in found.constraints] == [each.todict() for each in atoms.constraints]
    assert same(results(found), results(atoms))


def test_results_of_other_positions_are_not_kept() -> None:
    assert not any(key.startswith("calc") for key in to_frame(ALL["moved since"]))


def test_a_calculator_answers_for_the_stored_positions() -> None:
    found = to_atoms(to_frame(ALL["emt"]))

    assert isinstance(found.calc, SinglePointCalculator)
    assert found.calc.name == "emt"
    assert found.get_potential_energy() == ALL["emt"].get_potential_energy()


def test_json_of_a_frame_stays_small_with_many_fixed_atoms() -> None:
    frame = to_frame(ALL["many fixed"])

    assert len(frame["constraints.0.indices"]) == 30_000
    assert frame["constraints"][0]["kwargs"] == {}


def test_json_of_a_frame_stays_small_with_many_bonds_that_are_fixed() -> None:
    pairs = np.arange(40_000).reshape(-1, 2)
    atoms = Atoms("H40000", constraint=FixBondLengths(pairs, bondlengths=np.arange(20_000) / 7))
    frame = to_frame(atoms)

    assert np.array_equal(frame["constraints.0.pairs"], pairs)
    assert len(orjson.dumps(frame["constraints"])) < 1000
    assert to_atoms(frame).constraints[0].todict() == atoms.constraints[0].todict()


def test_what_a_frame_cannot_hold_is_named() -> None:
    atoms = Atoms("H", info={"model": object()})
    with pytest.raises(TypeError, match=r"info\['model'\] contains a object"):
        to_frame(atoms)

    atoms = Atoms("H")
    atoms.arrays["things"] = np.array([object()])
    with pytest.raises(TypeError, match=r"arrays\['things'\] is an array of objects"):
        to_frame(atoms)


def test_a_frame_without_atoms_is_refused() -> None:
    with pytest.raises(ValueError, match="has no atoms"):
        to_atoms({"temperature": 300.0})


def test_frames_read_and_write_as_atoms() -> None:
    room = ListRoom.of(*(bulk("Cu", a=3.6 + number / 10) for number in range(4)), step=2)
    frames = atoms_of(room)

    frames.append(bulk("Ag"))
    frames.insert(0, bulk("Al"))
    frames[1:3] = [bulk("Ni")]
    del frames[0]

    assert [str(each.symbols) for each in frames] == ["Ni", "Cu", "Cu", "Ag"]
    assert frames.current.cell[0, 1] == 3.9 / 2
    frames.current = bulk("Pt")
    assert str(frames[2].symbols) == "Pt"
    assert [str(each.symbols) for each in frames[-2:]] == ["Pt", "Ag"]
