"""Move atoms to where the forces on them vanish."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.calculators import EMT, Choice
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.figures import line_figure
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

_SHOW_SECONDS = 0.5
_WRITE_SECONDS = 2.0


class Relax(Extension, category="modifiers"):
    """Relax the current frame until the largest force is small. Fixed atoms stay where they are."""

    calculator: Choice = Field(default_factory=EMT)
    fmax: float = Field(
        0.05,
        gt=0,
        le=100,
        title="Largest force",
        json_schema_extra={"unit": "eV/Å"},
        description="stop below it",
    )
    steps: int = Field(200, ge=1, le=100_000, title="Most steps")
    optimizer: Literal["BFGS", "LBFGS", "FIRE"] = "LBFGS"
    relax_cell: bool = Field(False, description="let the cell change too; needs a calculator with stress")
    keep_path: bool = Field(
        False, description="insert the steps after the current frame, instead of replacing it"
    )

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        scene = Scene(room)
        atoms = scene.atoms
        atoms.calc = self.calculator.make(atoms)
        energies: list[float] = []
        path: list[Atoms] = []
        report = _Report(scene, atoms, job, energies, self.steps, writes=not self.keep_path)

        def step() -> None:
            job.check()
            energies.append(float(atoms.get_potential_energy()))
            if self.keep_path:
                path.append(_frozen(atoms))
            report.update()

        is_converged = self._relax(atoms, step)
        job.show(report.figure(), kind="plotly")
        changed = scene.insert(path[1:]) if self.keep_path else scene.replace(atoms)
        return changed | {"energy": energies[-1], "steps": len(energies) - 1, "converged": bool(is_converged)}

    def _relax(self, atoms: Atoms, step: Any) -> bool:
        import ase.optimize
        from ase.filters import FrechetCellFilter

        target = FrechetCellFilter(atoms) if self.relax_cell else atoms
        optimizer = getattr(ase.optimize, self.optimizer)(target, logfile=None)
        optimizer.attach(step)
        return bool(optimizer.run(fmax=self.fmax, steps=self.steps))


class _Report:
    """Shows the energies and the atoms while they change, a few times a second at most."""

    def __init__(
        self, scene: Scene, atoms: Atoms, job: JobContext, energies: list[float], steps: int, *, writes: bool
    ) -> None:
        self._scene, self._atoms, self._job, self._energies = scene, atoms, job, energies
        self._steps, self._writes, self._index = steps, writes, scene.index
        self._shown = self._written = time.monotonic()

    def update(self) -> None:
        done, now = len(self._energies) - 1, time.monotonic()
        self._job.progress(done / self._steps, f"step {done}: {self._energies[-1]:.4f} eV")
        if now - self._shown > _SHOW_SECONDS:
            self._shown = now
            self._job.show(self.figure(), kind="plotly")
        if self._writes and now - self._written > _WRITE_SECONDS:
            self._written = now
            self._scene.room.frames[self._index] = to_frame(self._atoms)

    def figure(self) -> dict[str, Any]:
        return line_figure("Relaxation", "step", "energy (eV)", range(len(self._energies)), self._energies)


def _frozen(atoms: Atoms) -> Atoms:
    """A copy with the results, which a copy of ASE leaves out."""
    from ase.calculators.singlepoint import SinglePointCalculator

    copy = atoms.copy()
    copy.calc = SinglePointCalculator(copy, energy=atoms.get_potential_energy(), forces=atoms.get_forces())
    return copy
