"""Structures for the pictures of the view, all made by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from ase import Atoms, units
from ase.build import add_adsorbate, bulk, fcc111, molecule
from ase.calculators.emt import EMT
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution
from ase.md.verlet import VelocityVerlet

WATER_SPACING = 3.1  # Å
HELIX = (-57.0, -47.0, 180.0)  # degrees: phi, psi, omega


def frame_of(atoms: Atoms, **more: Any) -> dict[str, Any]:
    return {
        "numbers": atoms.numbers,
        "positions": atoms.positions.copy(),
        "cell": atoms.cell.array,
        "pbc": atoms.pbc,
        **more,
    }


def ball() -> list[dict[str, Any]]:
    return [frame_of(molecule("C60"))]


def salt() -> list[dict[str, Any]]:
    return [frame_of(bulk("NaCl", "rocksalt", a=5.64, cubic=True) * (3, 3, 3))]


def oxygen_on_copper(count: int = 24) -> tuple[list[dict[str, Any]], list[float]]:
    """Oxygen that swings above the middle of a slab: frames with forces, and their energies."""
    slab = fcc111("Cu", (4, 4, 3), vacuum=5)
    add_adsorbate(slab, "O", 1.3, "fcc", offset=(1, 1))
    slab.pbc = True
    slab.calc = EMT()
    MaxwellBoltzmannDistribution(slab, temperature_K=400, rng=np.random.default_rng(2))
    run = VelocityVerlet(slab, 4 * units.fs)
    frames, energies = [], []
    for _ in range(count):
        energies.append(float(slab.get_potential_energy()))
        frames.append(frame_of(slab, **{"calc.forces": slab.get_forces()}))
        run.run(2)
    return frames, energies


def liquid(atoms: int = 10_000) -> list[dict[str, Any]]:
    """Water at random orientations on a grid."""
    count = atoms // 3
    side = int(np.ceil(count ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:count] * WATER_SPACING
    random, one = np.random.default_rng(1), molecule("H2O")
    turned = np.array([one.positions @ _random_rotation(random) for _ in range(count)])
    positions = (turned + places[:, None] + random.normal(0, 0.2, (count, 1, 3))).reshape(-1, 3)
    box = np.eye(3) * side * WATER_SPACING
    return [frame_of(Atoms(np.tile(one.numbers, count), positions, cell=box, pbc=True))]


def helix(residues: int = 24) -> list[dict[str, Any]]:
    """An alpha helix of alanine: the backbone, its oxygens and the first carbons of the side chains."""
    phi, psi, omega = HELIX
    chain = [np.array([0.0, 0, 0]), np.array([1.46, 0, 0]), np.array([2.0, 1.42, 0])]
    for _ in range(residues - 1):
        for length, angle, torsion in ((1.33, 116.2, psi), (1.46, 121.7, omega), (1.52, 111.0, phi)):
            chain.append(_next(chain[-3], chain[-2], chain[-1], length, angle, torsion))
    numbers, positions = [7, 6, 6] * residues, list(chain)
    for residue in range(residues):
        nitrogen, alpha, carbon = chain[3 * residue : 3 * residue + 3]
        numbers += [8, 6]
        positions.append(_next(nitrogen, alpha, carbon, 1.23, 120.5, psi + 180))
        positions.append(_next(carbon, nitrogen, alpha, 1.53, 110.5, 122.5))
    return [frame_of(Atoms(numbers, positions))]


def _next(a: Any, b: Any, c: Any, length: float, angle: float, torsion: float) -> Any:
    """The place of an atom from its bond length, bond angle and torsion."""
    theta, chi = np.radians(angle), np.radians(torsion)
    along = (c - b) / np.linalg.norm(c - b)
    normal = np.cross(b - a, along)
    normal /= np.linalg.norm(normal)
    local = length * np.array(
        [-np.cos(theta), np.sin(theta) * np.cos(chi), np.sin(theta) * np.sin(chi)]
    )
    return c + local @ np.array([along, np.cross(normal, along), normal])


def _random_rotation(random: np.random.Generator) -> Any:
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return turned


def energy_figure(energies: list[float]) -> dict[str, Any]:
    frames = list(range(len(energies)))
    trace = {
        "type": "scatter",
        "name": "energy",
        "mode": "lines+markers",
        "x": frames,
        "y": energies,
        "customdata": [[number] for number in frames],
    }
    axes = {"xaxis": {"title": {"text": "frame"}}, "yaxis": {"title": {"text": "energy (eV)"}}}
    return {"data": [trace], "layout": {**axes, "showlegend": False}}
