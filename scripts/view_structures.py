"""Structures for the pictures of the view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from ase import Atoms, units
from ase.build import add_adsorbate, bulk, fcc111, molecule
from ase.calculators.emt import EMT
from ase.io import read
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution
from ase.md.verlet import VelocityVerlet

from view_water import water

CRAMBIN = Path(__file__).with_name("structures") / "crambin.pdb"


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


def liquid() -> list[dict[str, Any]]:
    return [frame_of(water())]


def protein() -> list[dict[str, Any]]:
    """Crambin, as it was seen with X-rays."""
    return [frame_of(read(CRAMBIN))]


def spiral(radius: float, pitch: float, turns: int) -> list[list[float]]:
    """Points of a curve around the z axis."""
    angles = np.linspace(0, 2 * np.pi * turns, 16 * turns + 1)
    heights = pitch * (angles / (2 * np.pi) - turns / 2)
    points: list[list[float]] = np.stack([radius * np.cos(angles), radius * np.sin(angles), heights], axis=1).tolist()
    return points


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
