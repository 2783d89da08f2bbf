"""Tools that may take long report their progress, and end when they are cancelled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ase.io
import pytest
from ase.build import bulk
from ase.calculators.singlepoint import SinglePointCalculator

from support.atoms_room import ListFiles, ListRoom, a_job, run
from workroom import Extension, JobCancelled, JobContext
from workroom.packs.atoms.pack import extensions
from workroom.runtime.context import ProgressSink
from workroom.runtime.files import FETCH

FRAMES = 3
SELECTED = {"Distance": 2, "Angle": 3, "DihedralAngle": 4}
EVERYWHERE = ("Wrap", "Center", "Translate", "Rotate", "Rattle", "Supercell", "FixAtoms")
VALUES: dict[str, dict[str, Any]] = {
    "Relax": {"steps": 2, "fmax": 1e-9},
    "MolecularDynamics": {"steps": 4, "every": 1},
    "PackBox": {},
    "Interpolate": {},
    "LoadFile": {"file": "a.xyz"},
    "ExportFile": {},
    "Properties1D": {},
    "Properties2D": {"x": "calc.energy"},
    "Energy": {},
    "RDF": {"cutoff": 4},
    "Coordination": {"frames": "all"},
    "MSD": {},
    **{name: {} for name in SELECTED},
    **{name: {"all_frames": True} for name in EVERYWHERE},
}
QUICK = {
    *("Delete", "Duplicate", "ChangeType", "RemoveAtoms", "NewCanvas", "Empty", "AddMolecule"),
    *("All", "None", "Invert", "Range", "Random", "ByElement", "IdenticalSpecies"),
    *("ConnectedParticles", "Neighbours", "WithinDistance", "ByProperty"),
}


def copper() -> Any:
    atoms = bulk("Cu", cubic=True)
    atoms.rattle(0.1, seed=1)
    atoms.calc = SinglePointCalculator(atoms, energy=1.0, forces=atoms.positions)
    return atoms


@pytest.fixture
def prepared(tmp_path: Path) -> Callable[[str, ProgressSink], tuple[Extension, ListRoom, JobContext]]:
    ase.io.write(tmp_path / "a.xyz", [copper()] * FRAMES)

    def prepare(name: str, report: ProgressSink) -> tuple[Extension, ListRoom, JobContext]:
        job = a_job(ListFiles(tmp_path), report)
        kind = next(each for each in extensions() if each.extension_name == name)
        room = ListRoom.of(*[copper()] * FRAMES, selection=range(SELECTED.get(name, 1)))
        return kind.model_validate(VALUES[name], context={FETCH: job.fetch}), room, job

    return prepare


def test_each_tool_is_long_or_quick() -> None:
    """The quick ones look at one frame once: a tenth of a second at 100,000 atoms."""
    assert {each.extension_name for each in extensions()} == VALUES.keys() | QUICK


@pytest.mark.parametrize("name", VALUES)
def test_a_tool_reports_its_progress(name: str, prepared: Any) -> None:
    reports: list[dict[str, Any]] = []
    extension, room, job = prepared(name, reports.append)

    run(extension, room, job)
    job.flush_progress()
    job.close()

    assert reports[-1]["fraction"] == 1
    assert all(each["message"] for each in reports)


@pytest.mark.parametrize("name", VALUES)
def test_a_tool_that_is_cancelled_ends_at_once(name: str, prepared: Any) -> None:
    reports: list[dict[str, Any]] = []

    def cancel(report: dict[str, Any]) -> None:
        reports.append(report)
        job.cancel()

    extension, room, job = prepared(name, cancel)
    with pytest.raises(JobCancelled):
        run(extension, room, job)

    job.close()
    assert len(reports) == 1
    assert len(room.frames) <= FRAMES + 1  # the server takes back what a cancelled job has written
    assert not room.figures
