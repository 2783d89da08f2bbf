"""Reads H5MD files (https://www.nongnu.org/h5md): the particles of one group. Needs `workroom[h5md]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ase import Atoms


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

    positions = np.array(group["position/value"][index], dtype=float)
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
        atoms.info["time"] = float(_at(group["position/time"], index))
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
    return _at(found["value"], index) if hasattr(found, "keys") else found[()]


def _at(dataset: Any, index: int) -> Any:
    if dataset.shape:
        return dataset[min(index, len(dataset) - 1)]
    return dataset.attrs.get("offset", 0) + dataset[()] * index  # the same interval between all frames


def _box(box: Any, index: int) -> tuple[Any, Any]:
    if box is None or "edges" not in box:
        return None, None
    boundary = box.attrs.get("boundary", ["none"] * 3)
    pbc = [each in (b"periodic", "periodic") for each in np.atleast_1d(boundary)]
    edges = np.array(_element(box, "edges", index), dtype=float)
    return (np.diag(edges) if edges.ndim == 1 else edges), (pbc * 3)[:3]
