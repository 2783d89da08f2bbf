"""Save frames as a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.formats.writing import SUFFIXES, WritableFormat, write_frames
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms


class ExportFile(Extension, category="analysis"):
    """Save frames as a file to download."""

    format: WritableFormat = "extxyz"
    frames: Literal["all", "current"] = Field("all", json_schema_extra={"row": "part"})
    atoms: Literal["all", "selected"] = Field("all", json_schema_extra={"row": "part"})
    name: str = Field("frames", min_length=1, max_length=100, pattern=r"^[\w][\w .-]*$", title="File name")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="workroom-") as folder:
            path = Path(folder) / "frames"
            count = write_frames(path, self._chosen(room, job), self.format)
            name = f"{self.name.removesuffix(SUFFIXES[self.format])}{SUFFIXES[self.format]}"
            saved = job.save(name, path)
        return {"file": name, "frames": count, "bytes": saved["size"]}

    def _chosen(self, room: Any, job: JobContext) -> Iterator[Atoms]:
        scene = Scene(room)
        index = scene.index
        found = scene.read(job, *((index, index + 1) if self.frames == "current" else ()))
        for atoms in found:
            if self.atoms == "all":
                yield atoms
            else:
                yield _part(atoms, scene.selected(atoms, at_least=1))


def _part(atoms: Atoms, chosen: Any) -> Atoms:
    """Some of the atoms, with the results of the calculator for each of them."""
    import numpy as np
    from ase.calculators.singlepoint import SinglePointCalculator

    part = atoms[chosen]
    results = getattr(atoms.calc, "results", {})
    per_atom = {
        name: value[chosen] for name, value in results.items() if np.shape(value)[:1] == (len(atoms),)
    }
    if per_atom:
        part.calc = SinglePointCalculator(part)
        part.calc.results.update(per_atom)
    return part
