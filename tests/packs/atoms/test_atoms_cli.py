"""`workroom upload` and `workroom download`."""

from __future__ import annotations

from pathlib import Path

import ase.io
import orjson
import pytest
from ase.build import bulk, molecule

from support.command_line import workroom
from workroom import Room
from workroom.packs.atoms import atoms_of
from workroom.testing.processes import ServerProcess


def test_files_are_uploaded_and_loaded_in_order(
    atoms_server: ServerProcess, room: Room, tmp_path: Path
) -> None:
    ase.io.write(tmp_path / "waters.xyz", [molecule("H2O")] * 3)
    ase.io.write(tmp_path / "POSCAR", bulk("Cu"), format="vasp")
    room.frames.append(molecule("H2"))

    ran = workroom(
        "upload", room.name, str(tmp_path / "waters.xyz"), str(tmp_path / "POSCAR"), "--url", atoms_server.url
    )

    assert (ran.code, ran.error) == (0, "")
    assert ran.out.splitlines() == [
        "waters.xyz: 3 frames from frame 1 on (extxyz)",
        "POSCAR: 1 frames from frame 4 on (poscar)",
    ]
    assert [len(atoms) for atoms in atoms_of(room)] == [2, 3, 3, 3, 1]


def test_a_file_that_cannot_be_read_ends_with_its_line(
    atoms_server: ServerProcess, room: Room, tmp_path: Path
) -> None:
    (tmp_path / "a.dat").write_text("1\n\nH 0 0 0\n1\n\nH 0 0\n")
    options = ["--create", "--format", "extxyz", "--replace", "--url", atoms_server.url]

    ran = workroom("upload", room.name, str(tmp_path / "a.dat"), *options)

    assert ran.code == 1
    assert "line 6: 4 columns are expected, there are 3" in ran.out


def test_files_may_be_uploaded_only(atoms_server: ServerProcess, room: Room, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    options = ["--create", "--no-load", "--json", "--url", atoms_server.url]

    ran = workroom("upload", room.name, str(tmp_path / "notes.txt"), *options)

    assert orjson.loads(ran.out)["name"] == "notes.txt"
    assert [each["name"] for each in room.files()] == ["notes.txt"]
    assert workroom("upload", room.name, str(tmp_path / "none.xyz"), *options).complaint.startswith(
        "there is no file"
    )


@pytest.mark.parametrize("name", ["a.xyz", "a.extxyz", "a.traj", "a.cif", "a.pdb"])
def test_frames_are_downloaded_in_the_format_of_the_name(
    atoms_server: ServerProcess, room: Room, tmp_path: Path, name: str
) -> None:
    room.frames.extend([bulk("Cu", cubic=True), bulk("Au", cubic=True)])

    ran = workroom("download", room.name, str(tmp_path / name), "--url", atoms_server.url)

    assert (ran.code, ran.error) == (0, "")
    assert ran.out.startswith(f"{name}: 2 frames, ")
    found = ase.io.read(tmp_path / name, index=":")
    assert [str(atoms.symbols) for atoms in found] == ["Cu4", "Au4"]


@pytest.mark.parametrize("name", ["part.xyz", "part.traj", "part.cif", "part.pdb"])
def test_a_selection_of_the_current_frame_is_downloaded(
    atoms_server: ServerProcess, room: Room, tmp_path: Path, name: str
) -> None:
    room.frames.extend([molecule("H2O"), molecule("CH3OH", cell=[9, 9, 9], pbc=True)])
    room.step, room.selection = 1, [0, 1]
    options = ["--current", "--selected", "--json", "--url", atoms_server.url]

    ran = workroom("download", room.name, str(tmp_path / name), *options)

    assert orjson.loads(ran.out)["result"]["frames"] == 1
    assert str(ase.io.read(tmp_path / name).symbols) == "CO"


def test_a_download_that_cannot_be_made_says_why(
    atoms_server: ServerProcess, room: Room, tmp_path: Path
) -> None:
    at = ["--url", atoms_server.url]
    room.frames.append(molecule("H2O"))

    ran = workroom("download", room.name, str(tmp_path / "part.xyz"), "--selected", *at)

    assert ran.code == 1
    assert "select at least an atom first" in ran.out
    assert not (tmp_path / "part.xyz").exists()
    assert "should end in .xyz" in workroom("download", room.name, "a.docx", *at).complaint
