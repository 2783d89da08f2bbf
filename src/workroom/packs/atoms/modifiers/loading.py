"""Load a file of the room as frames."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from workroom import Extension, File, JobContext
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.formats.reading import format_of, read_frames

Known = Literal[
    "by name", "extxyz", "traj", "cif", "pdb", "poscar", "xdatcar", "lammps-data", "lammps-dump", "gro",
    "cube", "xsf", "json", "db", "h5md",
]  # fmt: skip

_PART: dict[str, Any] = {"row": "part", "advanced": True}


class LoadFile(Extension, category="modifiers", isolation="process", memory_mb=8192):
    """Append the structures of a file to the room's frames."""

    file: File
    format: Known = Field("by name", description="by name: from the file's name, such as .xyz or POSCAR")
    replace: bool = Field(False, description="delete the frames that the room has now")
    start: int = Field(0, ge=0, title="From", description="first is 0", json_schema_extra=_PART)
    stop: int | None = Field(
        None, ge=0, title="Before", description="empty: to the end", json_schema_extra=_PART
    )
    step: int = Field(1, ge=1, title="Step", description="n-th only", json_schema_extra=_PART)

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        path = self.file.path()
        format = format_of(path.name) if self.format == "by name" else self.format
        first = 0 if self.replace else len(room.frames)
        counted = _Counted()
        frames = counted.count(self._frames(path, format, job))
        if self.replace:
            room.frames[:] = frames
        else:
            room.frames.extend(frames)
        if not counted.number:
            raise ValueError(f"{path.name} has no structures to load")
        if self.replace:
            room.step = 0
        return {"format": format, "frames": counted.number, "first": first}

    def _frames(self, path: Any, format: str, job: JobContext) -> Iterator[dict[str, Any]]:
        def report(fraction: float) -> None:
            job.progress(fraction, f"{fraction:.0%} of {path.name}")

        found = read_frames(path, format, report)
        for atoms in islice(found, self.start, self.stop, self.step):
            job.check()
            yield to_frame(atoms)


class _Counted:
    def __init__(self) -> None:
        self.number = 0

    def count(self, frames: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for frame in frames:
            self.number += 1
            yield frame
