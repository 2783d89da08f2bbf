"""A tool with a model that is loaded once per process. Start it twice: both processes serve it."""

import os
from typing import Any

from ase.calculators.emt import EMT
from pydantic import Field

from workroom import Extension, Room

model = EMT()  # or a machine-learned potential: loaded here, before the first job


class Evaluate(Extension, category="analysis"):
    """Compute the energy and the forces of the current frame."""

    scale: float = Field(1.0, gt=0, le=2, description="of the cell")

    def run(self, room: Room) -> dict[str, Any]:
        atoms = room.atoms
        atoms.set_cell(atoms.cell * self.scale, scale_atoms=True)
        atoms.calc = model
        return {"energy": atoms.get_potential_energy(), "process": os.getpid()}


if __name__ == "__main__":
    room = Room("models")
    room.register(Evaluate)
    room.wait()
