"""Writes files of structures, one frame at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ase import Atoms

WritableFormat = Literal["extxyz", "traj", "cif", "pdb"]
SUFFIXES: dict[WritableFormat, str] = {"extxyz": ".extxyz", "traj": ".traj", "cif": ".cif", "pdb": ".pdb"}


def write_frames(path: Path, frames: Iterable[Atoms], format: WritableFormat) -> int:
    """Write structures to a file, and return how many there were."""
    return _WRITERS[format](path, frames)


def _write_traj(path: Path, frames: Iterable[Atoms]) -> int:
    from ase.io.trajectory import TrajectoryWriter

    count = 0
    with TrajectoryWriter(str(path), "w") as file:
        for count, atoms in enumerate(frames, start=1):  # noqa: B007 - the last count is returned
            file.write(atoms)
    return count


def _write_extxyz(path: Path, frames: Iterable[Atoms]) -> int:
    from ase.io import write

    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, atoms in enumerate(frames, start=1):  # noqa: B007
            write(file, atoms, format="extxyz")
    return count


def _write_cif(path: Path, frames: Iterable[Atoms]) -> int:
    """In one call: ASE numbers the blocks of a call, and the names of blocks must differ."""
    from ase.io.cif import write_cif

    counted = _Counted(frames)
    with path.open("wb") as file:
        write_cif(file, counted)
    return counted.number


class _Counted:
    def __init__(self, frames: Iterable[Atoms]) -> None:
        self._frames, self.number = frames, 0

    def __iter__(self) -> Iterator[Atoms]:
        for atoms in self._frames:
            self.number += 1
            yield atoms


def _write_pdb(path: Path, frames: Iterable[Atoms]) -> int:
    """Each frame is a model; ASE numbers those of one call only, and reads END as one more frame."""
    import io

    from ase.io import write

    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, atoms in enumerate(frames, start=1):
            text = io.StringIO()
            write(text, atoms, format="proteindatabank")
            lines = [
                line for line in text.getvalue().splitlines(keepends=True) if not line.startswith("END\n")
            ]
            file.writelines(f"MODEL {count:8d}\n" if line.startswith("MODEL") else line for line in lines)
    return count


_WRITERS: dict[WritableFormat, Callable[[Path, Iterable[Atoms]], int]] = {
    "extxyz": _write_extxyz,
    "traj": _write_traj,
    "cif": _write_cif,
    "pdb": _write_pdb,
}
