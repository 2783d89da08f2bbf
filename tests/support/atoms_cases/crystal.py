"""A triclinic crystal with one atom per lattice point: all of its distances are those of lattice vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from ase import Atoms
from ase.build import bulk
from ase.calculators.singlepoint import SinglePointCalculator

from support.atoms_room import ListFiles, ListRoom, a_job, run
from workroom.packs.atoms.pack import extensions
from workroom.runtime.files import FETCH

Case = Callable[[int, Path], None]
SIDES = {1: (1, 1, 1), 1_000: (10, 10, 10), 100_000: (50, 50, 40)}
STRAIN = np.array([[1.02, 0.03, 0.0], [0.0, 0.99, 0.02], [0.01, 0.0, 1.03]])
CELL = bulk("Cu").cell.array @ STRAIN
BOND = 3.1  # Å: more than the distance of the twelve nearest atoms, less than that of the next
FRAMES = 3


def crystal(size: int, cell: Any = CELL) -> Atoms:
    """Copper, of which each third atom is gold."""
    atoms = Atoms("Cu", cell=cell, pbc=True).repeat(SIDES[size])
    atoms.numbers[1::3] = 79
    return atoms


def outside(size: int) -> Atoms:
    """The same crystal; its atoms are up to two cells away from where they were."""
    atoms = crystal(size)
    atoms.positions += np.random.default_rng(2).integers(-2, 3, (size, 3)) @ atoms.cell.array
    return atoms


def with_results(size: int) -> list[Atoms]:
    """Frames with times, energies and forces."""
    found = []
    for number in range(FRAMES):
        atoms = outside(size)
        atoms.info["time"] = 2.5 * number
        forces = np.random.default_rng(number).normal(scale=1.5, size=(size, 3))
        atoms.calc = SinglePointCalculator(atoms, energy=-3.0 * number * size, forces=forces)
        found.append(atoms)
    return found


def half(size: int) -> list[int]:
    """Each second atom."""
    return list(range(0, size, 2))


def rest(size: int, chosen: Iterable[int]) -> list[int]:
    found: list[int] = np.setdiff1d(np.arange(size), np.asarray(list(chosen), dtype=int)).tolist()
    return found


def vectors(cutoff: float) -> np.ndarray[Any, Any]:
    """All lattice vectors up to this length but zero, in multiples of the cell's."""
    most = range(-8, 9)
    every = np.array([each for each in product(most, most, most) if any(each)])
    found: np.ndarray[Any, Any] = every[np.linalg.norm(every @ CELL, axis=1) <= cutoff]
    return found


def neighbours(size: int, chosen: Iterable[int], steps: np.ndarray[Any, Any]) -> set[int]:
    """The atoms that are one of these lattice vectors away from a chosen one."""
    places = np.array(np.unravel_index(np.asarray(list(chosen), dtype=int), SIDES[size])).T
    around = (places[:, None] + steps[None]) % np.array(SIDES[size])
    found = np.ravel_multi_index(tuple(around.reshape(-1, 3).T), SIDES[size])
    return set(np.unique(found).tolist())


def execute(
    name: str, room: ListRoom, values: dict[str, Any] | None = None, folder: Path | None = None
) -> Any:
    """Run a tool as a worker would; the files that it saves are left in the folder."""
    files = ListFiles(folder)
    job = a_job(files)
    found = next(each for each in extensions() if each.extension_name == name)
    result = run(found.model_validate(values or {}, context={FETCH: job.fetch}), room, job)
    job.close()
    for saved, content in files.saved.items():
        assert folder is not None
        (folder / saved).write_bytes(content)
    return result
