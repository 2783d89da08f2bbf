"""Move atoms to where the forces on them vanish."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.calculators import CHOICES, EMT, Choice
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.figures import line_figure
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

_SHOW_SECONDS = 0.5
_WRITE_SECONDS = 10.0  # others see the positions meanwhile, but no stored frame
_PIECE_ATOMS = 100_000


class Relax(Extension, category="modifiers"):
    """Relax the current frame until the largest force is small. Fixed atoms stay where they are."""

    calculator: Choice = Field(default_factory=EMT, description=CHOICES)
    fmax: float = Field(
        0.05,
        gt=0,
        le=100,
        title="Force limit",
        json_schema_extra={"unit": "eV/Å"},
        description="stop when the force on each atom is smaller",
    )
    steps: int = Field(200, ge=1, le=100_000, title="Step limit")
    optimizer: Literal["BFGS", "LBFGS", "FIRE"] = "LBFGS"
    relax_cell: bool = Field(
        False, title="Relax the cell", description="change the cell too; needs a calculator with stress"
    )
    keep_path: bool = Field(
        False,
        title="Keep the path",
        description="insert each step after the current frame, instead of replacing the frame",
    )

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        scene = Scene(room)
        atoms = scene.atoms
        atoms.calc = self.calculator.make(atoms)
        energies: list[float] = []
        kept = (_Path if self.keep_path else _Result)(scene, atoms)
        report = _Report(scene.index, atoms, job, energies, self.steps)

        def step() -> None:
            job.check()
            energies.append(float(atoms.get_potential_energy()))
            kept.update()
            report.update()

        is_converged = self._relax(atoms, step)
        job.show(report.figure(), kind="plotly")
        changed = kept.finish()
        return changed | {"energy": energies[-1], "steps": len(energies) - 1, "converged": bool(is_converged)}

    def _relax(self, atoms: Atoms, step: Any) -> bool:
        import ase.optimize
        from ase.filters import FrechetCellFilter

        if self.relax_cell:
            _check_cell(atoms)
        target = FrechetCellFilter(atoms) if self.relax_cell else atoms
        optimizer = getattr(ase.optimize, self.optimizer)(target, logfile=None)
        optimizer.attach(step)
        return bool(optimizer.run(fmax=self.fmax, steps=self.steps))


class _Result:
    """Replaces the frame: now and then while the atoms move, and at the end."""

    def __init__(self, scene: Scene, atoms: Atoms) -> None:
        self._scene, self._atoms, self._index = scene, atoms, scene.index
        self._written = time.monotonic()

    def update(self) -> None:
        if time.monotonic() - self._written > _WRITE_SECONDS:
            self._scene.room.frames[self._index] = to_frame(self._atoms)
            self._written = time.monotonic()

    def finish(self) -> dict[str, Any]:
        self._scene.room.frames[self._index] = to_frame(self._atoms)
        return {"frame": self._index, "atoms": len(self._atoms)}


class _Path:
    """Inserts each step but the first after the frame, in pieces that fit in memory."""

    def __init__(self, scene: Scene, atoms: Atoms) -> None:
        self._room, self._atoms, self._first = scene.room, atoms, scene.index + 1
        self._count = 0
        self._waiting: list[dict[str, Any]] = []
        self._started = False

    def update(self) -> None:
        if self._started:
            self._waiting.append(to_frame(_frozen(self._atoms)))
        self._started = True
        if len(self._waiting) * max(1, len(self._atoms)) >= _PIECE_ATOMS:
            self._flush()

    def finish(self) -> dict[str, Any]:
        self._flush()
        self._room.step = self._first - 1 + self._count
        return {"frames": self._count, "first": self._first}

    def _flush(self) -> None:
        if self._waiting:
            at = self._first + self._count
            self._room.frames[at:at] = self._waiting
            self._count, self._waiting = self._count + len(self._waiting), []


class _Report:
    """Shows the energies and the atoms while they change."""

    def __init__(self, index: int, atoms: Atoms, job: JobContext, energies: list[float], steps: int) -> None:
        self._index, self._atoms, self._job = index, atoms, job
        self._energies, self._steps = energies, steps
        self._shown = time.monotonic()

    def update(self) -> None:
        done, now = len(self._energies) - 1, time.monotonic()
        self._job.preview(self._index, self._atoms.positions)
        self._job.progress(done / self._steps, f"step {done}: {self._energies[-1]:.4f} eV")
        if now - self._shown > _SHOW_SECONDS:
            self._shown = now
            self._job.show(self.figure(), kind="plotly")

    def figure(self) -> dict[str, Any]:
        return line_figure("Relaxation", "step", "energy (eV)", range(len(self._energies)), self._energies)


def _check_cell(atoms: Atoms) -> None:
    if atoms.cell.rank < 3:
        raise ValueError("the frame has no cell that could be relaxed")
    if "stress" not in atoms.calc.implemented_properties:
        raise ValueError("this calculator has no stress: it cannot relax the cell")


def _frozen(atoms: Atoms) -> Atoms:
    """A copy with the results, which a copy of ASE leaves out."""
    from ase.calculators.singlepoint import SinglePointCalculator

    copy = atoms.copy()
    copy.calc = SinglePointCalculator(copy, energy=atoms.get_potential_energy(), forces=atoms.get_forces())
    return copy
