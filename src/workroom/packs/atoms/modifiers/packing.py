"""Fill a box with molecules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from workroom import Extension, JobContext
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.molecules import molecule

if TYPE_CHECKING:
    from ase import Atoms

MAX_ATOMS = 20_000
_TRIES = 500  # positions that are tried for one molecule
_GRAMS = 1.66053906660  # g/cm³ of one unit of mass per Å³


class Ingredient(BaseModel):
    molecule: str = Field("H2O", min_length=1, max_length=1000)
    count: int = Field(10, ge=1, le=MAX_ATOMS)


class PackBox(Extension, category="modifiers"):
    """Append a frame: a periodic cube with molecules at random places, none too close to another."""

    molecules: list[Ingredient] = Field(
        default_factory=lambda: [Ingredient(molecule="H2O", count=32)], min_length=1, max_length=20
    )
    notation: Literal["name", "SMILES"] = Field("name", description="SMILES need RDKit on the server")
    density: float = Field(0.8, gt=0, le=25, json_schema_extra={"unit": "g/cm³"})
    distance: float = Field(
        1.8,
        ge=0.5,
        le=10,
        json_schema_extra={"unit": "Å"},
        description="smallest distance between atoms of two molecules",
    )
    seed: int = Field(42, ge=0, le=2**32 - 1, description="the same seed gives the same box")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        parts = [molecule(each.molecule, self.notation) for each in self.molecules for _ in range(each.count)]
        total = sum(map(len, parts))
        if total > MAX_ATOMS:
            raise ValueError(f"that makes {total:,} atoms; at most {MAX_ATOMS:,} are packed")
        mass = sum(part.get_masses().sum() for part in parts)
        edge = float((mass * _GRAMS / self.density) ** (1 / 3))
        box = self._packed(parts, edge, job)
        room.frames.append(to_frame(box))
        room.step = len(room.frames) - 1
        return {"frame": room.step, "atoms": len(box), "edge": edge}

    def _packed(self, parts: list[Atoms], edge: float, job: JobContext) -> Atoms:
        from ase import Atoms

        placed = np.concatenate(list(self._places(parts, edge, job)))
        numbers = np.concatenate([part.numbers for part in parts])
        box = Atoms(numbers, placed, cell=[edge] * 3, pbc=True)
        box.wrap()
        return box

    def _places(self, parts: list[Atoms], edge: float, job: JobContext) -> Iterator[Any]:
        """The positions of each molecule; the largest molecules should come first."""
        source = np.random.default_rng(self.seed)
        before = np.empty((0, 3))
        for number, part in enumerate(job.track(parts, "placing molecules")):
            found = _place(part.positions, before, edge, self.distance, source)
            if found is None:
                raise ValueError(
                    f"only {number} of {len(parts)} molecules fit: lower the density or the distance"
                )
            before = np.concatenate([before, found])
            yield found


def _place(molecule: Any, before: Any, edge: float, distance: float, source: np.random.Generator) -> Any:
    for _ in range(_TRIES):
        trial = molecule @ _rotation(source).T + source.uniform(0, edge, 3)
        if not len(before):
            return trial
        gaps = trial[:, None, :] - before[None, :, :]
        gaps -= edge * np.round(gaps / edge)
        if (np.einsum("ijk,ijk->ij", gaps, gaps) >= distance**2).all():
            return trial
    return None


def _rotation(source: np.random.Generator) -> Any:
    """A rotation matrix, uniformly distributed: the Q of a normal matrix, made proper."""
    matrix, upper = np.linalg.qr(source.normal(size=(3, 3)))
    matrix *= np.sign(np.diag(upper))
    return matrix if np.linalg.det(matrix) > 0 else -matrix
