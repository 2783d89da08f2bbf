"""Reads H5MD files (https://www.nongnu.org/h5md): the particles of one group. Needs `workroom[h5md]`.

Values with an attribute `unit` become those of ASE, and times fs; without one they are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ase import Atoms

_POWER = re.compile(r"(?P<symbol>[^\d+-]+|1)(?P<power>[+-]?\d+)?")


def read_h5md(path: Path, report: Callable[[float], None]) -> Iterator[Atoms]:
    """The frames of the first group of particles; species are atomic numbers."""
    from workroom.packs.atoms.formats.splitting import FileRefused

    try:
        import h5py
    except ModuleNotFoundError as error:
        raise FileRefused("H5MD needs h5py, which is not installed where this job runs") from error
    with h5py.File(path, "r") as file:
        groups = file.get("particles")
        if groups is None or not len(groups):
            raise FileRefused("it has no group 'particles'")
        group = groups[next(iter(groups))]
        if "position" not in group:
            raise FileRefused(f"{group.name} has no 'position'")
        count = len(group["position/value"])
        for index in range(count):
            yield _frame(group, index)
            report((index + 1) / count)


def _frame(group: Any, index: int) -> Atoms:
    from ase import Atoms

    positions = np.array(_at(group["position/value"], index), dtype=float)
    cell, pbc = _box(group.get("box"), index)
    numbers = _element(group, "species", index)
    atoms = Atoms(
        np.zeros(len(positions), dtype=int) if numbers is None else numbers, positions, cell=cell, pbc=pbc
    )
    for name, array in (("velocity", "velocities"), ("force", "forces"), ("mass", "masses")):
        value = _element(group, name, index)
        if value is not None:
            _set(atoms, array, np.array(value, dtype=float))
    if "time" in group["position"]:
        atoms.info["time"] = float(_time(group["position/time"], index))
    return atoms


def _set(atoms: Atoms, name: str, value: Any) -> None:
    if name == "forces":
        from ase.calculators.singlepoint import SinglePointCalculator

        atoms.calc = SinglePointCalculator(atoms, forces=value)
    elif name == "velocities":
        atoms.set_velocities(value)
    else:
        atoms.set_masses(value)


def _element(group: Any, name: str, index: int) -> Any:
    """An element of H5MD: a fixed dataset, or a group with a value for each step."""
    found = group.get(name)
    if found is None:
        return None
    return _at(found["value"], index) if hasattr(found, "keys") else _converted(found, found[()])


def _at(dataset: Any, index: int) -> Any:
    return _converted(dataset, dataset[min(index, len(dataset) - 1)])


def _time(dataset: Any, index: int) -> Any:
    """A time for each frame, or the same interval between all."""
    from ase.units import fs

    fixed = None if dataset.shape else dataset.attrs.get("offset", 0) + dataset[()] * index
    time = _at(dataset, index) if fixed is None else _converted(dataset, fixed)
    return time / fs if "unit" in dataset.attrs else time


def _converted(dataset: Any, value: Any) -> Any:
    """In ASE's units."""
    unit = dataset.attrs.get("unit")
    if unit is None:
        return value
    return value * _factor(unit.decode() if isinstance(unit, bytes) else str(unit), dataset.name)


def _factor(unit: str, name: str) -> float:
    """Of a unit as H5MD writes it: `Angstrom ps-1`, `kJ mol-1 nm-1`."""
    from ase import units

    from workroom.packs.atoms.formats.splitting import FileRefused

    known = {
        "nm": units.nm,
        "pm": 0.01,
        "m": units.m,
        "ps": 1000 * units.fs,
        "fs": units.fs,
        "ns": 1e6 * units.fs,
    }
    known |= {
        "s": units.second,
        "kJ": units.kJ,
        "kcal": units.kcal,
        "eV": units.eV,
        "mol": units.mol,
        "K": 1.0,
    }
    known |= dict.fromkeys(("Angstrom", "angstrom", "A", "Å", "u", "amu", "Da", "1"), 1.0)
    factor = 1.0
    for part in unit.split():
        found = _POWER.fullmatch(part)
        if found is None or found["symbol"] not in known:
            raise FileRefused(f"the unit '{unit[:40]}' of {name} is not known")
        factor *= known[found["symbol"]] ** int(found["power"] or 1)
    return factor


def _box(box: Any, index: int) -> tuple[Any, Any]:
    if box is None or "edges" not in box:
        return None, None
    boundary = box.attrs.get("boundary", ["none"] * 3)
    pbc = [each in (b"periodic", "periodic") for each in np.atleast_1d(boundary)]
    edges = np.array(_element(box, "edges", index), dtype=float)
    return (np.diag(edges) if edges.ndim == 1 else edges), (pbc * 3)[:3]
