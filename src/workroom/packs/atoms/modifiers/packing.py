"""Fill a box with molecules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from workroom import Extension, JobContext
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.modifiers.occupancy import Occupancy
from workroom.packs.atoms.molecules import molecule

if TYPE_CHECKING:
    from ase import Atoms

MAX_ATOMS = 100_000
_TRIES = 500  # positions that are tried for one molecule
_GRAMS = 1.66053906660  # g/cm³ of one unit of mass per Å³


class Ingredient(BaseModel):
    molecule: str = Field("H2O", min_length=1, max_length=200, examples=["H2O", "CH3CH2OH", "C6H6"])
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
        kinds = [molecule(each.molecule, self.notation) for each in self.molecules]
        counts = [each.count for each in self.molecules]
        total = sum(len(kind) * count for kind, count in zip(kinds, counts, strict=True))
        if total > MAX_ATOMS:
            raise ValueError(f"that makes {total:,} atoms; at most {MAX_ATOMS:,} are packed")
        box = self._packed(kinds, counts, job)
        room.frames.append(to_frame(box))
        room.step = len(room.frames) - 1
        return {"frame": room.step, "atoms": len(box), "edge": float(box.cell[0, 0])}

    def _packed(self, kinds: list[Atoms], counts: list[int], job: JobContext) -> Atoms:
        from ase import Atoms

        mass = sum(kind.get_masses().sum() * count for kind, count in zip(kinds, counts, strict=True))
        edge = float((mass * _GRAMS / self.density) ** (1 / 3))
        parts = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
        places = self._places([part.positions for part in parts], edge, job)
        numbers = np.concatenate([part.numbers for part in parts])
        box = Atoms(numbers, np.concatenate(places), cell=[edge] * 3, pbc=True)
        box.wrap()
        return box

    def _places(self, parts: list[Any], edge: float, job: JobContext) -> list[Any]:
        """The positions of each molecule. The largest are placed first, while there is room."""
        source = np.random.default_rng(self.seed)
        taken = Occupancy(edge, self.distance, sum(map(len, parts)))
        order = sorted(range(len(parts)), key=lambda each: -len(parts[each]))
        places: list[Any] = [None] * len(parts)
        for done, each in enumerate(job.track(order, "placing molecules")):
            found = _place(parts[each], taken, edge, source)
            if found is None:
                raise ValueError(
                    f"only {done} of {len(parts)} molecules fit: lower the density or the distance"
                )
            taken.add(found)
            places[each] = found
        return places


def _place(positions: Any, taken: Occupancy, edge: float, source: np.random.Generator) -> Any:
    for _ in range(_TRIES):
        trial = positions @ _rotation(source).T + source.uniform(0, edge, 3)
        if taken.is_free(trial):
            return trial
    return None


def _rotation(source: np.random.Generator) -> Any:
    """A rotation matrix, uniformly distributed: the Q of a normal matrix, made proper."""
    matrix, upper = np.linalg.qr(source.normal(size=(3, 3)))
    matrix *= np.sign(np.diag(upper))
    return matrix if np.linalg.det(matrix) > 0 else -matrix
