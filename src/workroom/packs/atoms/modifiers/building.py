"""Build larger structures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.modifiers.moving import AllFrames
from workroom.packs.atoms.molecules import molecule
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

MAX_ATOMS = 1_000_000  # of a structure that is built here
_TIMES: dict[str, Any] = {"row": "times"}


class Supercell(Extension, category="modifiers"):
    """Repeat the current frame so many times along the vectors of its cell."""

    a: int = Field(2, ge=1, le=50, title="Along a", json_schema_extra=_TIMES)
    b: int = Field(2, ge=1, le=50, title="Along b", json_schema_extra=_TIMES)
    c: int = Field(2, ge=1, le=50, title="Along c", json_schema_extra=_TIMES)
    all_frames: AllFrames = False

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        return Scene(room).change(self._repeated, job, all_frames=self.all_frames)

    def _repeated(self, atoms: Atoms) -> Atoms:
        times = np.array([self.a, self.b, self.c])
        missing = [
            name
            for name, count, length in zip("abc", times, atoms.cell.lengths(), strict=True)
            if count > 1 and not length
        ]
        if missing:
            raise ValueError(f"the cell has no vector {', '.join(missing)}: give the frame a cell first")
        if len(atoms) * times.prod() > MAX_ATOMS:
            raise ValueError(
                f"that makes {len(atoms) * times.prod():,} atoms; at most {MAX_ATOMS:,} are built"
            )
        return atoms.repeat(tuple(times))


class AddMolecule(Extension, category="modifiers"):
    """Add a molecule to the current frame, and select it."""

    molecule: str = Field(
        "H2O",
        min_length=1,
        max_length=200,
        description="the name of an element or of a molecule in ASE's G2 set; or SMILES",
        examples=["H2O", "CH3CH2OH", "C6H6"],
    )
    notation: Literal["name", "SMILES"] = Field("name", description="SMILES need RDKit on the server")
    place: Literal["centre of the cell", "centre of the atoms", "position"] = "centre of the cell"
    position: tuple[float, float, float] = Field(
        (0.0, 0.0, 0.0),
        description="x, y, z of the molecule's centre, if the place is “position”",
        json_schema_extra={"unit": "Å"},
    )

    def run(self, room: Any) -> dict[str, Any]:
        scene = Scene(room)
        added = molecule(self.molecule, self.notation)
        if not len(scene.frames):
            room.frames.append(to_frame(added))
            return scene.select(range(len(added))) | {"frame": 0, "atoms": len(added)}
        atoms = scene.atoms
        added.positions += self._centre(atoms) - added.positions.mean(axis=0)
        changed = scene.replace(atoms + added)
        scene.select(range(len(atoms), len(atoms) + len(added)))
        return changed

    def _centre(self, atoms: Atoms) -> Any:
        if self.place == "position":
            return np.array(self.position)
        if self.place == "centre of the cell":
            return atoms.cell.array.sum(axis=0) / 2
        return atoms.positions.mean(axis=0) if len(atoms) else np.zeros(3)
