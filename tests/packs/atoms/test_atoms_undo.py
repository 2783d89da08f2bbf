"""What the jobs of the atoms pack leave behind: one version, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from ase.build import bulk
from ase.calculators.singlepoint import SinglePointCalculator

from support.structures import triclinic
from workroom import Extension, JobFailed, Room
from workroom.packs.atoms import atoms_of
from workroom.packs.atoms.modifiers.building import Supercell
from workroom.packs.atoms.modifiers.exporting import ExportFile
from workroom.packs.atoms.modifiers.loading import LoadFile
from workroom.packs.atoms.pack import extensions
from workroom.testing.processes import eventually


def test_a_supercell_is_one_version_that_undo_takes_back(room: Room) -> None:
    room.frames.extend([triclinic(), triclinic(8), triclinic()])
    room.step = 1
    before = len(room.versions())

    result = room.submit(Supercell(a=2, b=2, c=2)).result(timeout=60)

    assert result == {"frame": 1, "atoms": 64}
    assert [len(each) for each in atoms_of(room)] == [20, 64, 20]
    assert len(room.versions()) == before + 1
    assert room.versions()[0]["summary"] == "Supercell"
    eventually(lambda: not room.locks(), what="the end of the job's lock")
    room.undo()
    assert [len(each) for each in atoms_of(room)] == [20, 8, 20]


CHANGING = [each for each in extensions() if each is not ExportFile]
SELECTED = {"Distance": 2, "Angle": 3, "DihedralAngle": 4}
VALUES: dict[str, dict[str, Any]] = {
    "Relax": {"steps": 3},
    "MolecularDynamics": {"steps": 2, "every": 1},
    "PackBox": {"molecules": [{"molecule": "H2", "count": 3}], "density": 0.1},
    "ByProperty": {"condition": "number > 0"},
    "Properties2D": {"x": "info.time"},
    "Random": {"count": 2},
}


def copper(time: float, *, energy: float = 1.0) -> Any:
    """With a cell, results and information: something for each tool."""
    atoms = bulk("Cu", cubic=True)
    atoms.positions += 0.01 * time
    atoms.info["time"] = time
    atoms.calc = SinglePointCalculator(atoms, energy=energy, forces=atoms.positions)
    return atoms


@pytest.mark.parametrize("extension", CHANGING, ids=lambda each: each.extension_name)
def test_each_tool_is_one_version_that_keeps_later_frames_and_can_be_undone(
    room: Room, extension: type[Extension]
) -> None:
    room.frames.extend(map(copper, (0.0, 1.0, 2.0)))
    room.step = 1
    room.selection = list(range(SELECTED.get(extension.extension_name, 2)))
    before, numbers = atoms_of(room)[:], [each["number"] for each in room.versions()]
    values = dict(VALUES.get(extension.extension_name, {}))
    if extension is LoadFile:
        values["file"] = room.upload(b"1\n\nH 0 0 0\n", name="h.xyz").id

    job = room.submit_named(extension.category, extension.extension_name, values)
    job.result(timeout=60)

    added = [each for each in room.versions() if each["number"] not in numbers]
    assert [each["summary"] for each in added] == [extension.extension_name]
    assert job.document["progress"] is None or job.document["progress"]["fraction"] <= 1
    assert before[2] in atoms_of(room)[:]
    eventually(lambda: not room.locks(), what="the end of the job's lock")
    room.undo()
    assert atoms_of(room)[:] == before
    assert room.selection == list(range(SELECTED.get(extension.extension_name, 2)))


def test_a_file_that_cannot_be_read_fails_with_its_line_and_leaves_nothing(room: Room) -> None:
    text = b"1\n\nH 0 0 0\n" * 50 + b"1\n\nH 0 0 zero\n"
    job = room.submit(LoadFile(file=room.upload(text, name="broken.xyz")))

    with pytest.raises(JobFailed, match="readable extxyz file: line 153: 'zero' is not a number"):
        job.result(timeout=60)
    eventually(lambda: not len(room.frames), what="the frames of the failed job to go")
