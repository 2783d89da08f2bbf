"""Molecular dynamics that appends its frames while it runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.calculators import CHOICES, EMT, Choice
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.figures import line_figure
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

_FLUSH_SECONDS = 0.5


class MolecularDynamics(Extension, category="modifiers", keep_on_failure=True):
    """Run dynamics from the current frame, and append frames to the room's; a cancelled run keeps them."""

    calculator: Choice = Field(default_factory=EMT, description=CHOICES)
    ensemble: Literal["NVE", "Langevin"] = Field(
        "Langevin", description="NVE: constant energy; Langevin: a thermostat"
    )
    temperature: float = Field(
        300,
        ge=0,
        le=100_000,
        json_schema_extra={"unit": "K"},
        description="of the thermostat, and of the start if the frame has no velocities",
    )
    timestep: float = Field(2.0, gt=0, le=100, json_schema_extra={"unit": "fs"})
    steps: int = Field(500, ge=1, le=10_000_000)
    every: int = Field(
        10, ge=1, le=100_000, title="Steps per frame", description="append a frame every so many steps"
    )
    friction: float = Field(
        0.01,
        gt=0,
        le=10,
        json_schema_extra={"unit": "1/fs", "advanced": True},
        description="of the thermostat",
    )
    seed: int = Field(
        42,
        ge=0,
        le=2**32 - 1,
        json_schema_extra={"advanced": True},
        description="the same seed gives the same run",
    )
    wrap: bool = Field(False, description="move atoms into the cell in each frame")

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        atoms = Scene(room).atoms
        atoms.calc = self.calculator.make(atoms)
        source = np.random.RandomState(self.seed)
        if "momenta" not in atoms.arrays:
            _heat(atoms, self.temperature, source)
        record = _Record(room, atoms, job, self)
        dynamics = self._dynamics(atoms, source)
        dynamics.attach(job.check, interval=1)
        dynamics.attach(record.append, interval=self.every)
        dynamics.run(self.steps)
        record.flush()
        return {"frames": record.count, "temperature": float(atoms.get_temperature())}

    def _dynamics(self, atoms: Atoms, source: np.random.RandomState) -> Any:
        from ase.units import fs

        if self.ensemble == "NVE":
            from ase.md.verlet import VelocityVerlet

            return VelocityVerlet(atoms, timestep=self.timestep * fs)
        from ase.md.langevin import Langevin

        return Langevin(
            atoms,
            timestep=self.timestep * fs,
            temperature_K=self.temperature,
            friction=self.friction / fs,
            fixcm=False,
            rng=source,
        )


class _Record:
    """Appends frames in small groups, and plots the energy."""

    def __init__(self, room: Any, atoms: Atoms, job: JobContext, values: MolecularDynamics) -> None:
        self._room, self._atoms, self._job, self._values = room, atoms, job, values
        self._waiting: list[dict[str, Any]] = []
        self._times: list[float] = []
        self._energies: list[float] = []
        self._flushed = time.monotonic()
        self._started = False

    @property
    def count(self) -> int:
        return len(self._times)

    def append(self) -> None:
        if not self._started:  # ASE calls observers before the first step too
            self._started = True
            return
        done = (self.count + 1) * self._values.every
        self._times.append(done * self._values.timestep)
        self._energies.append(float(self._atoms.get_total_energy()))
        self._waiting.append(to_frame(self._snapshot()))
        self._job.progress(done / self._values.steps, f"{self._times[-1]:g} fs")
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            self._room.frames.extend(self._waiting)
            self._waiting = []
            self._job.show(self._figure(), kind="plotly")
        self._flushed = time.monotonic()

    def _snapshot(self) -> Atoms:
        from ase.calculators.singlepoint import SinglePointCalculator

        copy = self._atoms.copy()
        copy.info["time"] = self._times[-1]
        if self._values.wrap:
            copy.wrap()
        energy, forces = self._atoms.get_potential_energy(), self._atoms.get_forces()
        copy.calc = SinglePointCalculator(copy, energy=energy, forces=forces)
        return copy

    def _figure(self) -> dict[str, Any]:
        return line_figure("Dynamics", "time (fs)", "total energy (eV)", self._times, self._energies)


def _heat(atoms: Atoms, temperature: float, source: np.random.RandomState) -> None:
    """Momenta of a Maxwell-Boltzmann distribution; free atoms do not drift."""
    from ase.units import kB

    masses = atoms.get_masses()[:, None]
    momenta = source.standard_normal((len(atoms), 3)) * np.sqrt(masses * kB * temperature)
    if not atoms.constraints and len(atoms) > 1:
        momenta -= masses * momenta.sum(axis=0) / masses.sum()
    atoms.set_momenta(momenta)
