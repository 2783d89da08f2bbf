"""Reads a few keys of many frames, of which few are in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ase import Atoms

    from workroom import JobContext

GEOMETRY = ("numbers", "positions", "cell", "pbc")


def frames_with(
    room: Any, keys: Sequence[str], job: JobContext, *, start: int = 0, stop: int | None = None, step: int = 1
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The numbers of the frames and their values of these keys, with progress."""
    numbers = range(len(room.frames))[start:stop:step]
    found = room.frames.iterate(slice(numbers.start, numbers.stop, numbers.step), keys=list(keys))
    numbered = zip(numbers, found, strict=False)  # somebody may delete frames meanwhile
    return job.track(numbered, "reading frames", total=len(numbers))


def geometries(room: Any, job: JobContext, **chosen: Any) -> Iterator[tuple[int, Atoms]]:
    """Frames as Atoms with nothing but numbers, positions and cell."""
    from ase import Atoms

    for number, frame in frames_with(room, GEOMETRY, job, **chosen):
        if "positions" not in frame:
            raise ValueError(f"frame {number} has no atoms")
        yield (
            number,
            Atoms(frame["numbers"], frame["positions"], cell=frame.get("cell"), pbc=frame.get("pbc")),
        )


def reduced(value: Any, how: str) -> float:
    """One number for a value: arrays are reduced, of vectors by their lengths. NaN if there is none."""
    if value is None or isinstance(value, str | dict):
        return float("nan")
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or not array.size:
        return float("nan")
    if array.ndim == 2 and array.shape[1] == 3:
        array = np.linalg.norm(array, axis=1)
    return float(getattr(array, how)())
