"""Properties of frames against their numbers, or against each other."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.figures import draw, frame_figure, points_figure
from workroom.packs.atoms.reading import frames_with, reduced

Reduction = Literal["mean", "max", "min", "sum"]
_KEYS = ["calc.energy", "calc.forces", "info.time", "arrays.momenta"]
_REDUCE = "how an array becomes one number; of vectors, the lengths count"


class Properties1D(Extension, category="analysis"):
    """Plot a property of each frame: a key such as `calc.energy`, `calc.forces` or `info.NAME`."""

    value: str = Field("calc.energy", min_length=1, max_length=128, title="Property", examples=_KEYS)
    reduce: Reduction = Field("max", description=_REDUCE)

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        numbers, (values,) = _read(room, job, [self.value], self.reduce)
        draw(room, job, "Properties1D", frame_figure(self.value, self.value, numbers, values))
        return {"figure": "Properties1D", "frames": len(numbers)}


class Properties2D(Extension, category="analysis"):
    """Plot a property of each frame against another, coloured by a third."""

    x: str = Field("info.time", min_length=1, max_length=128, title="x", examples=_KEYS)
    y: str = Field("calc.energy", min_length=1, max_length=128, title="y", examples=_KEYS)
    colour: str | None = Field(
        None, max_length=128, description="empty: by the number of the frame", examples=_KEYS
    )
    reduce: Reduction = Field("max", description=_REDUCE)

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        keys = [self.x, self.y, *([self.colour] if self.colour else [])]
        numbers, values = _read(room, job, keys, self.reduce)
        colour = values[2] if self.colour else numbers
        title = f"{self.y} over {self.x}"
        figure = points_figure(title, self.x, self.y, values[0], values[1], numbers, colour=colour)
        draw(room, job, "Properties2D", figure)
        return {"figure": "Properties2D", "frames": len(numbers)}


class Energy(Extension, category="analysis"):
    """Plot the potential energy of each frame."""

    per_atom: bool = Field(False, title="Per atom", description="divide by the number of atoms")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        keys = ["calc.energy", "info.energy", *(["numbers"] if self.per_atom else [])]
        numbers, values = [], []
        for number, frame in frames_with(room, keys, job):
            energy = reduced(frame.get("calc.energy", frame.get("info.energy")), "sum")
            numbers.append(number)
            values.append(energy / max(1, len(frame.get("numbers", ()))) if self.per_atom else energy)
        _refuse_nothing(values, ["calc.energy"])
        unit = "eV/atom" if self.per_atom else "eV"
        draw(room, job, "Energy", frame_figure("Energy", f"energy ({unit})", numbers, values))
        return {"figure": "Energy", "frames": len(values), "min": float(np.nanmin(values))}


def _read(room: Any, job: JobContext, keys: list[str], how: str) -> tuple[list[int], list[list[float]]]:
    numbers: list[int] = []
    columns: list[list[float]] = [[] for _ in keys]
    for number, frame in frames_with(room, keys, job):
        numbers.append(number)
        for key, column in zip(keys, columns, strict=True):
            column.append(reduced(frame.get(key), how))
    for key, column in zip(keys, columns, strict=True):
        _refuse_nothing(column, [key])
    return numbers, columns


def _refuse_nothing(values: list[float], keys: list[str]) -> None:
    if not np.isfinite(values).any():
        raise ValueError(f"no frame has a number for '{keys[0]}'")
