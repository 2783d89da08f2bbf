"""Liquid water for the pictures of the view: molecules that moved for 0.8 ps.

The flexible SPC/Fw model (Wu, Tepper and Voth, 2006), with damped and shifted Coulomb forces up to a cutoff.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ase import Atoms, units
from ase.build import molecule
from scipy.special import erfc
from vesin import NeighborList

KCAL = units.kcal / units.mol
BOND, BOND_STRENGTH = 1.012, 1059.162 * KCAL
ANGLE, ANGLE_STRENGTH = np.radians(113.24), 75.9 * KCAL
CHARGES = (-0.82, 0.41, 0.41)
SIGMA, EPSILON = 3.165, 0.1554 * KCAL
COULOMB = 14.399645  # eV Å
CUTOFF, DAMPING = 9.0, 0.2
VOLUME = 29.9  # Å³ of one molecule
KELVIN = 300.0
STEP = units.fs
MAX_MOVE = 0.02  # Å, while the molecules still make room for each other


def water(copies: int = 2, count: int = 417) -> Atoms:
    """A periodic cube that is made once and repeated: by default 10,008 atoms."""
    random = np.random.default_rng(3)
    atoms = crowded(count, random)
    masses = atoms.get_masses()[:, None]
    for _ in range(150):
        force = forces(atoms)
        atoms.positions += np.clip(force * 0.01, -MAX_MOVE, MAX_MOVE)
    velocities = random.normal(size=(len(atoms), 3)) * np.sqrt(units.kB * KELVIN / masses)
    force = forces(atoms)
    for _ in range(800):
        velocities += 0.5 * STEP * force / masses
        atoms.positions += STEP * velocities
        force = forces(atoms)
        velocities += 0.5 * STEP * force / masses
        now = (masses * velocities**2).sum() / (3 * len(atoms) * units.kB)
        velocities *= np.sqrt(1 + 0.02 * (KELVIN / now - 1))
    return atoms * copies


def crowded(count: int, random: np.random.Generator) -> Atoms:
    """Molecules at random orientations on a grid with gaps."""
    edge = (count * VOLUME) ** (1 / 3)
    side = int(np.ceil(count ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)
    places = grid[random.permutation(len(grid))[:count]] * edge / side
    one = molecule("H2O").positions
    turns = np.linalg.qr(random.normal(size=(count, 3, 3)))[0]
    positions = places[:, None] + (one - one[0]) @ turns
    return Atoms("OHH" * count, positions.reshape(-1, 3), cell=[edge] * 3, pbc=True)


def forces(atoms: Atoms) -> Any:
    """In eV/Å."""
    found = between(atoms)
    found += within(atoms.positions.reshape(-1, 3, 3)).reshape(-1, 3)
    return found


def between(atoms: Atoms) -> Any:
    """Of molecules on each other."""
    neighbours = NeighborList(cutoff=CUTOFF, full_list=False)
    i, j, r, d = neighbours.compute(atoms.positions, atoms.cell.array, atoms.pbc, "ijdD")
    i, j = i.view(np.intp), j.view(np.intp)
    apart = i // 3 != j // 3
    i, j, r, d = i[apart], j[apart], r[apart], d[apart]
    charges = np.tile(CHARGES, len(atoms) // 3)
    strength = COULOMB * charges[i] * charges[j] * (screened(r) - screened(CUTOFF))
    is_oxygen = (i % 3 == 0) & (j % 3 == 0)
    ratio = (SIGMA / r[is_oxygen]) ** 6
    strength[is_oxygen] += 24 * EPSILON * (2 * ratio**2 - ratio) / r[is_oxygen]
    pull = d * (strength / r)[:, None]
    return np.stack(
        [
            np.bincount(j, pull[:, axis], len(atoms)) - np.bincount(i, pull[:, axis], len(atoms))
            for axis in range(3)
        ],
        axis=1,
    )


def screened(r: Any) -> Any:
    """The force between two charges of 1, damped by a Gaussian."""
    return erfc(DAMPING * r) / r**2 + 2 * DAMPING / np.sqrt(np.pi) * np.exp(-((DAMPING * r) ** 2)) / r


def within(molecules: Any) -> Any:
    """Of the two bonds of each molecule and the angle between them."""
    bonds = molecules[:, 1:] - molecules[:, :1]
    lengths = np.linalg.norm(bonds, axis=2, keepdims=True)
    units_ = bonds / lengths
    cosine = (units_[:, 0] * units_[:, 1]).sum(axis=1)[:, None]
    sine = np.sqrt(np.maximum(1 - cosine**2, 1e-6))
    turn = ANGLE_STRENGTH * (np.arccos(np.clip(cosine, -1, 1)) - ANGLE) / sine
    on_hydrogens = -BOND_STRENGTH * (lengths - BOND) * units_
    for one, other in ((0, 1), (1, 0)):
        on_hydrogens[:, one] += turn * (units_[:, other] - cosine * units_[:, one]) / lengths[:, one]
    return np.concatenate([-on_hydrogens.sum(axis=1, keepdims=True), on_hydrogens], axis=1)
