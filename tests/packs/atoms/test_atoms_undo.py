"""What the jobs of the atoms pack leave behind: one version, or nothing."""

from __future__ import annotations

import pytest

from support.structures import triclinic
from workroom import JobFailed, Room
from workroom.packs.atoms import atoms_of
from workroom.packs.atoms.modifiers.building import Supercell
from workroom.packs.atoms.modifiers.loading import LoadFile
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


def test_a_file_that_cannot_be_read_fails_with_its_line_and_leaves_nothing(room: Room) -> None:
    text = b"1\n\nH 0 0 0\n" * 50 + b"1\n\nH 0 0 zero\n"
    job = room.submit(LoadFile(file=room.upload(text, name="broken.xyz")))

    with pytest.raises(JobFailed, match="extxyz file that can be read: line 153: 'zero' is not a number"):
        job.result(timeout=60)
    eventually(lambda: not len(room.frames), what="the frames of the failed job to go")
