"""How far atoms move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.figures import draw, points_figure
from workroom.packs.atoms.periodic import shortest
from workroom.packs.atoms.reading import geometries

_SQUARE_ANGSTROM_PER_FS = 0.1  # cm²/s


class MSD(Extension, category="analysis"):
    """Plot the mean square displacement since the first frame, of the selected atoms or of all."""

    unwrap: bool = Field(True, description="follow atoms across periodic boundaries, frame by frame")
    remove_drift: bool = Field(
        True, title="Remove drift", description="subtract the motion of the centre of mass"
    )
    timestep: float = Field(
        0,
        ge=0,
        le=1e9,
        title="Time between frames",
        json_schema_extra={"unit": "fs"},
        description="for the diffusion coefficient; 0: unknown",
    )

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        numbers, values = [], []
        for number, value in self._displacements(room, job):
            numbers.append(number)
            values.append(value)
        times = [each * self.timestep for each in numbers] if self.timestep else numbers
        x_title = "time (fs)" if self.timestep else "frame"
        title, mode = "Mean square displacement", "lines+markers"
        figure = points_figure(title, x_title, "MSD (Å²)", times, values, numbers, mode=mode)
        draw(room, job, "MSD", figure)
        return {"figure": "MSD", "frames": len(values), "last": values[-1], **self._diffusion(times, values)}

    def _displacements(self, room: Any, job: JobContext) -> Iterator[tuple[int, float]]:
        moved = before = None
        numbers: Any = None
        selection = list(room.selection or [])
        for number, atoms in geometries(room, job):
            if moved is None or before is None:
                moved, numbers = np.zeros((len(atoms), 3)), atoms.numbers
            elif not np.array_equal(atoms.numbers, numbers):
                raise ValueError(f"frame {number} has other atoms than the first frame")
            else:
                step = atoms.positions - before
                moved += shortest(step, atoms) if self.unwrap else step
            before = atoms.positions
            yield number, self._mean_square(moved, atoms.get_masses(), selection)
        if moved is None:
            raise ValueError("the room has no frames")

    def _mean_square(self, moved: Any, masses: Any, selection: Any) -> float:
        if not len(moved):
            return 0.0
        drift = np.average(moved, axis=0, weights=masses) if self.remove_drift else 0
        chosen = [each for each in selection if each < len(moved)] or slice(None)
        return float(((moved - drift)[chosen] ** 2).sum(axis=1).mean())

    def _diffusion(self, times: Any, values: list[float]) -> dict[str, float]:
        """From the slope of the second half, in cm²/s."""
        half = len(times) // 2
        if not self.timestep or len(times) - half < 3:
            return {}
        slope = np.polyfit(times[half:], values[half:], 1)[0]
        return {"diffusion_cm2_s": float(slope / 6 * _SQUARE_ANGSTROM_PER_FS)}
