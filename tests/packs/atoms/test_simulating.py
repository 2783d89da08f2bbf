"""Relaxation and dynamics."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import orjson
import pytest
from ase.build import bulk, molecule
from ase.calculators.emt import EMT
from ase.constraints import FixAtoms
from ase.md.langevin import Langevin
from ase.units import fs

from support.atoms_room import ListFiles, ListRoom, a_job, run
from workroom import JobCancelled
from workroom.packs.atoms import calculators
from workroom.packs.atoms.calculators import SETTING, LennardJones, Morse, Named
from workroom.packs.atoms.modifiers.dynamics import MolecularDynamics
from workroom.packs.atoms.modifiers.relaxing import Relax


def rattled() -> Any:
    atoms = bulk("Cu", cubic=True) * 2
    atoms.rattle(0.15, seed=1)
    return atoms


def test_relaxing_ends_with_small_forces_and_keeps_the_other_frames() -> None:
    files = ListFiles()
    room = ListRoom.of(rattled(), rattled(), rattled(), step=1)

    result = run(Relax(fmax=0.01), room, a_job(files))

    assert result["converged"] is True
    assert np.linalg.norm(room.atoms.get_forces(), axis=1).max() < 0.01
    assert result["energy"] == room.atoms.get_potential_energy()
    assert np.array_equal(room.frames[2]["positions"], rattled().positions)
    kind, body = files.shown[-1]
    energies = orjson.loads(body)["data"][0]["y"]
    assert kind == "plotly"
    assert files.previews[0] == (1, rattled().positions.astype("<f4").tobytes())
    assert energies[-1] == result["energy"] < energies[0]


def test_relaxing_leaves_fixed_atoms_and_stops_after_its_steps() -> None:
    atoms = rattled()
    atoms.set_constraint(FixAtoms([0, 5]))
    room = ListRoom.of(atoms)

    result = run(Relax(fmax=1e-6, steps=3, optimizer="BFGS"), room)

    assert (result["converged"], result["steps"]) == (False, 3)
    assert np.array_equal(room.atoms.positions[[0, 5]], atoms.positions[[0, 5]])


def test_relaxing_the_cell_finds_the_lattice_constant() -> None:
    room = ListRoom.of(bulk("Cu", a=3.8))
    run(Relax(relax_cell=True, fmax=1e-4), room)
    assert room.atoms.cell.lengths()[0] * np.sqrt(2) == pytest.approx(3.59, abs=0.005)


def test_the_path_of_a_relaxation_is_inserted_after_the_frame() -> None:
    room = ListRoom.of(rattled(), molecule("H2"))

    result = run(Relax(keep_path=True), room)

    energies = [frame["calc.energy"] for frame in room.frames[1:-1]]
    assert len(energies) == result["steps"] == result["frames"]
    assert energies[-1] == result["energy"]
    assert np.array_equal(room.frames[0]["positions"], rattled().positions)


def test_elements_that_a_calculator_cannot_treat_are_refused() -> None:
    with pytest.raises(ValueError, match="EMT cannot treat Cl, Na"):
        run(Relax(), ListRoom.of(bulk("NaCl", "rocksalt", a=5.6)))


@pytest.mark.parametrize(
    ("choice", "distance"),
    [(LennardJones(epsilon=0.01, sigma=3.4), 3.4 * 2 ** (1 / 6)), (Morse(epsilon=1, r0=2.2), 2.2)],
)
def test_a_dimer_relaxes_to_the_minimum_of_its_potential(choice: Any, distance: float) -> None:
    dimer = molecule("H2")
    dimer.positions = [[0, 0, 0], [distance * 1.1, 0, 0]]
    room = ListRoom.of(dimer)

    run(Relax(calculator=choice, fmax=1e-5, optimizer="BFGS"), room)

    assert room.atoms.get_distance(0, 1) == pytest.approx(distance, abs=0.01)


def test_the_deployer_names_calculators(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no calculator 'soft': WORKROOM_PACK_ATOMS_CALCULATORS names none"):
        Named(name="soft").make(molecule("H2"))

    monkeypatch.setenv(SETTING, "soft = ase.calculators.emt:EMT, other=a:b")

    assert list(calculators.named_calculators()) == ["soft", "other"]
    assert isinstance(Named(name="soft").make(molecule("H2")), EMT)
    with pytest.raises(ValueError, match="there are soft, other"):
        Named(name="hard").make(molecule("H2"))


def test_dynamics_append_the_frames_of_ase() -> None:
    start = rattled()
    start.set_momenta(np.random.default_rng(5).normal(size=(32, 3)))
    room = ListRoom.of(start, molecule("H2"))

    result = run(MolecularDynamics(steps=20, every=5, temperature=400, seed=9), room)

    atoms = start.copy()
    atoms.calc = EMT()
    source = np.random.RandomState(9)
    dynamics = Langevin(atoms, 2 * fs, temperature_K=400, friction=0.01 / fs, fixcm=False, rng=source)
    dynamics.run(20)
    assert result["frames"] == 4
    assert [frame.get("info.time") for frame in room.frames] == [None, None, 10, 20, 30, 40]
    assert np.allclose(room.frames[-1]["positions"], atoms.positions, atol=1e-9)
    assert room.frames[-1]["calc.energy"] == pytest.approx(atoms.get_potential_energy())


def test_constant_energy_is_constant() -> None:
    room = ListRoom.of(rattled())
    run(MolecularDynamics(ensemble="NVE", steps=50, every=10, timestep=1), room)
    room.step = 1
    first = room.atoms.get_kinetic_energy() + room.atoms.get_potential_energy()
    room.step = 5
    last = room.atoms.get_kinetic_energy() + room.atoms.get_potential_energy()
    assert first == pytest.approx(last, abs=0.01)


@pytest.mark.parametrize("extension", [MolecularDynamics(steps=10**7), Relax(fmax=1e-9, steps=10**5)])
def test_cancelling_ends_it_within_a_step(extension: Any) -> None:
    job, started = a_job(), time.monotonic()
    job.progress = lambda *_, **__: job.cancel()  # type: ignore[method-assign]
    with pytest.raises(JobCancelled):
        run(extension, ListRoom.of(rattled()), job)
    assert time.monotonic() - started < 60
