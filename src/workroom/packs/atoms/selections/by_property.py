"""Select atoms by a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from workroom import Extension
from workroom.packs.atoms.expressions import MAX_LENGTH, mask
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms


class ByProperty(Extension, category="selections"):
    """Select the atoms that satisfy a condition.

    There are `x`, `y`, `z`, `symbol`, `number`, `mass`, `index`, `velocities`, `forces` and whatever else the
    frame has for each atom. A vector stands for its length, and `forces.x` for a part of it.
    """

    condition: str = Field(
        "forces > 2",
        min_length=1,
        max_length=MAX_LENGTH,
        examples=["forces > 2", 'z < 5 and symbol == "O"', "abs(forces.x) >= 0.1", "number != 1"],
    )

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        return scene.select(np.flatnonzero(mask(self.condition, atom_properties(atoms), len(atoms))))


def atom_properties(atoms: Atoms) -> dict[str, Any]:
    """What the frame has for each atom, by name."""
    count = len(atoms)
    results = getattr(atoms.calc, "results", {})
    found = {name: value for name, value in results.items() if np.ndim(value) and len(value) == count}
    found |= {name: value for name, value in atoms.arrays.items() if name != "numbers"}
    if "momenta" in atoms.arrays:
        found["velocities"] = atoms.get_velocities()
    x, y, z = atoms.positions.T
    return found | {
        "x": x,
        "y": y,
        "z": z,
        "symbol": np.array(atoms.get_chemical_symbols(), dtype=str),
        "number": atoms.numbers,
        "mass": atoms.get_masses(),
        "index": np.arange(count),
    }
