"""Structures of every kind, for round trips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ase import Atoms
from ase.build import add_adsorbate, bulk, fcc111, graphene, molecule, nanotube
from ase.calculators.emt import EMT
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms, FixBondLengths, FixCartesian, FixedLine, FixedPlane, Hookean
from ase.spacegroup import crystal

TRICLINIC = [[4.0, 0.1, 0.2], [1.3, 5.0, -0.4], [-0.9, 0.7, 6.0]]
BCC, HCP, DIAMOND = ("Fe", "W", "Na"), ("Mg", "Ti", "Zn"), ("C", "Si", "Ge")


def triclinic(count: int = 20, seed: int = 1, symbol: str = "Cu") -> Atoms:
    source = np.random.default_rng(seed)
    atoms = Atoms([symbol] * count, cell=TRICLINIC, pbc=True)
    atoms.set_scaled_positions(source.random((count, 3)))
    return atoms


def is_same_frame(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two frames have the same keys and values, to the last bit."""
    return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)


def _is_same(one: Any, other: Any) -> bool:
    left, right = np.asarray(one), np.asarray(other)
    if left.dtype.hasobject:
        return bool(one == other)
    return (left.dtype, left.shape, left.tobytes()) == (right.dtype, right.shape, right.tobytes())


def structures() -> dict[str, Atoms]:
    """40 structures by name."""
    found = {
        name: molecule(name) for name in ("H2O", "CH4", "C6H6", "CH3CH2OH", "O2", "NH3", "CO2", "C60", "SO2")
    }
    found |= {f"{each} bcc": bulk(each, cubic=True) for each in BCC}
    found |= {f"{each} hcp": bulk(each) for each in HCP}
    found |= {f"{each} diamond": bulk(each) for each in DIAMOND}
    found |= {"salt": bulk("NaCl", "rocksalt", a=5.64), "slab": _slab(), "tube": nanotube(6, 0, length=2)}
    found |= {"graphene": graphene(vacuum=5.0), "triclinic": triclinic(), "empty": Atoms(), "one": Atoms("X")}
    found |= _with_constraints() | _with_results() | _with_arrays() | _with_info()
    return found


def _slab() -> Atoms:
    slab = fcc111("Al", (2, 2, 3), vacuum=8.0)
    add_adsorbate(slab, "H", 1.5, "ontop")
    return slab


def _with_constraints() -> dict[str, Atoms]:
    constraints: dict[str, Any] = {
        "fixed": FixAtoms([0, 2]),
        "bonds": FixBondLengths([[0, 1], [0, 2]]),
        "line": FixedLine(0, [1, 0, 0.25]),
        "plane": FixedPlane([1], [0, 0, 1]),
        "cartesian": FixCartesian([0], [True, False, True]),
        "hookean": Hookean(0, 1, rt=1.2, k=5.0),
    }
    found = {}
    for name, constraint in constraints.items():
        found[name] = molecule("H2O")
        found[name].set_constraint(constraint)
    many = bulk("Cu", cubic=True) * (20, 20, 20)
    many.set_constraint([FixAtoms(range(30_000)), FixCartesian([5], [True, True, False])])
    return found | {"many fixed": many}


def _with_results() -> dict[str, Atoms]:
    emt = bulk("Cu", cubic=True) * 2
    emt.rattle(0.1)
    emt.calc = EMT()
    emt.get_potential_energy()
    emt.get_stress()
    single = molecule("H2O")
    single.calc = SinglePointCalculator(
        single,
        energy=-1.5,
        forces=np.random.default_rng(3).random((3, 3)),
        stress=np.arange(6) / 7,
        dipole=[0.1, 0.2, 1 / 3],
        charges=[-0.8, 0.4, 0.4],
        magmoms=[0, 0, 1e-300],
    )
    stale = emt.copy()
    stale.calc = EMT()
    stale.get_potential_energy()
    stale.positions += 0.01
    return {"emt": emt, "single point": single, "moved since": stale}


def _with_arrays() -> dict[str, Atoms]:
    moving = bulk("Si", cubic=True)
    moving.set_velocities(np.random.default_rng(4).normal(size=(8, 3)))
    moving.set_initial_charges(np.linspace(-1, 1, 8))
    moving.set_initial_magnetic_moments(np.ones(8))
    moving.set_tags(range(8))
    moving.set_celldisp([0.5, 0.25, 1 / 3])
    odd = molecule("H2O")
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "u8", "f2", "f4", "c8", "c16", "?"):
        odd.set_array(f"as_{dtype.replace('?', 'bool')}", np.array([0, 1, 1]).astype(dtype))
    odd.set_array("names", np.array(["Sauerstoff", "H₁", "水素"]))
    odd.set_array("raw", np.array([b"a", b"bc", b""]))
    odd.set_array("tensor", np.random.default_rng(5).random((3, 2, 3, 3)))
    special = Atoms("H3", positions=[[np.nan, np.inf, -0.0], [5e-324, 1e308, 0.1], [1 / 3, 0, 0]])
    return {"moving": moving, "odd dtypes": odd, "special numbers": special}


def _with_info() -> dict[str, Atoms]:
    rich = molecule("CH4")
    rich.info = {
        "energy": -1.0,
        "count": 7,
        "converged": True,
        "nothing": None,
        "name": "Méthane ☃ 水",
        "": "no name",
        "array": np.arange(6).reshape(2, 3),
        "float32": np.float32(0.1),
        "int8": np.int8(-3),
        "z": 1 + 2j,
        "nested": {"a": [1, {"b": (1, 2, "x")}], "array": np.arange(3.0), "c": 1j, "bytes": b"\x00\xff"},
        "nan": float("nan"),
        "inside": [float("inf"), float("nan")],
        "large": 2**70,
        "raw": b"\x00a\x00",
        "dollar": {"$array": 1},
        "keys": {1: "one", (2, 3): "two"},
        5: "a number",
        ("a", 1): [1, 2],
        "x" * 200: "a long name",
        "new\nline": 1,
    }
    quartz = crystal("Si", [(0, 0, 0)], spacegroup=227, cellpar=[5.43] * 3 + [90] * 3)
    return {"rich info": rich, "space group": quartz}
