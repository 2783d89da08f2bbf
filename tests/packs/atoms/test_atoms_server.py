"""The atoms pack on a real server, in its worker processes."""

from __future__ import annotations

import base64
from pathlib import Path

import ase.io
import httpx
import numpy as np
import pytest
from ase.build import bulk, molecule

from support.structures import is_same_frame, structures
from support.users import LoopThread, Person
from workroom import JobCancelled, JobFailed, Room
from workroom.packs.atoms import atoms_of, to_frame
from workroom.packs.atoms.analysis.structure import RDF
from workroom.packs.atoms.modifiers.building import Supercell
from workroom.packs.atoms.modifiers.dynamics import MolecularDynamics
from workroom.packs.atoms.modifiers.editing import Delete
from workroom.packs.atoms.modifiers.exporting import ExportFile
from workroom.packs.atoms.modifiers.loading import LoadFile
from workroom.packs.atoms.modifiers.relaxing import Relax
from workroom.packs.atoms.pack import extensions
from workroom.packs.atoms.selections.by_property import ByProperty
from workroom.testing.processes import ServerProcess, eventually

MOLECULES = ("H2O", "CH4", "C6H6")


def test_all_extensions_are_in_every_room(room: Room) -> None:
    found = {(each["category"], each["name"]) for each in room.extensions()}
    assert found == {(each.category, each.extension_name) for each in extensions()}
    assert len(found) == 40


def test_structures_return_from_the_server_equal_to_the_last_bit(room: Room) -> None:
    given = structures()

    for atoms in given.values():
        room.frames.append(atoms)

    for atoms, found in zip(given.values(), atoms_of(room), strict=True):
        assert is_same_frame(to_frame(found), to_frame(atoms))


def test_the_current_step_is_read_and_written_as_atoms(room: Room) -> None:
    room.frames.extend(map(molecule, MOLECULES))
    room.step = 1

    assert room.atoms.get_chemical_formula() == "CH4"
    room.atoms = bulk("Cu")
    assert [str(each.symbols) for each in atoms_of(room)] == ["OH2", "Cu", "C6H6"]


def test_an_object_that_no_pack_knows_is_no_frame(room: Room) -> None:
    with pytest.raises(TypeError, match="a frame is a mapping"):
        room.frames.append(Path())


def test_all_frames_change_in_one_version(room: Room) -> None:
    room.frames.extend([bulk("Cu")] * 150)
    before = len(room.versions())

    room.submit(Supercell(all_frames=True)).result(timeout=60)

    assert {len(frame["numbers"]) for frame in room.frames} == {8}
    assert len(room.versions()) == before + 1


def test_a_relaxation_shows_its_energies(room: Room, atoms_server: ServerProcess) -> None:
    atoms = bulk("Cu", cubic=True) * 2
    atoms.rattle(0.1, seed=2)
    room.frames.append(atoms)

    job = room.submit(Relax(fmax=0.02))
    result = job.result(timeout=60)

    assert result["converged"]
    assert np.abs(room.atoms.get_forces()).max() < 0.02
    token = httpx.post(f"{atoms_server.url}/api/login", json={"name": "eve"}).json()["token"]
    preview = httpx.get(
        f"{atoms_server.url}/api/jobs/{job.id}/preview", headers={"Authorization": f"Bearer {token}"}
    )
    assert preview.json()["data"][0]["y"][-1] == result["energy"]


def test_others_see_where_the_atoms_of_a_relaxation_are(room: Room, atoms_server: ServerProcess) -> None:
    atoms = bulk("Cu", cubic=True) * 2
    atoms.rattle(0.1, seed=2)
    room.frames.extend([bulk("Cu"), atoms])
    room.step = 1
    loop = LoopThread()
    person = Person(loop, atoms_server.url, "eve")
    ear = person.listen(room.name)

    room.submit(Relax(fmax=0.001)).result(timeout=60)

    shown = ear.expect("job:positions", frame=1)
    positions = np.frombuffer(base64.b64decode(shown["positions"]), "<f4").reshape(-1, 3)
    assert np.allclose(positions, atoms.positions, atol=0.5)
    person.close()
    loop.close()


def test_a_refused_element_fails_the_job_and_changes_nothing(room: Room) -> None:
    room.frames.append(molecule("SiH4"))
    with pytest.raises(JobFailed, match="EMT cannot treat Si"):
        room.submit(Relax()).result(timeout=60)
    assert len(room.frames) == 1


def test_a_figure_of_the_room(room: Room) -> None:
    room.frames.extend([bulk("Cu", a=3.6)] * 3)

    result = room.submit(RDF(cutoff=4)).result(timeout=60)

    assert result["frames"] == 3
    assert room.figures["RDF"]["data"][0]["y"]


def test_a_condition_selects_atoms_for_the_next_modifier(room: Room) -> None:
    room.frames.append(molecule("CH3CH2OH"))

    room.submit(ByProperty(condition='symbol == "H"')).result(timeout=60)
    assert room.selection == [3, 4, 5, 6, 7, 8]
    room.submit(Delete()).result(timeout=60)

    assert room.atoms.get_chemical_formula() == "C2O"
    assert room.selection == []


def test_cancelled_dynamics_keep_their_frames_and_can_be_undone(room: Room) -> None:
    room.frames.append(bulk("Cu", cubic=True) * 2)

    job = room.submit(MolecularDynamics(steps=10_000_000, every=2))
    eventually(lambda: len(room.frames) > 5, 60, "frames")
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result(timeout=60)

    eventually(lambda: not room.locks(), what="freed locks")
    assert len(room.frames) > 5
    assert room.frames[-1]["info.time"] > 0
    room.undo()
    assert len(room.frames) == 1


FILES = {
    "a.xyz": "extxyz", "a.traj": "traj", "a.cif": "cif", "a.pdb": "proteindatabank", "POSCAR": "vasp",
    "XDATCAR": "vasp-xdatcar", "a.data": "lammps-data", "a.gro": "gromacs", "a.cube": "cube", "a.xsf": "xsf",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_room_is_loaded(room: Room, name: str, tmp_path: Path) -> None:
    atoms = bulk("Cu", cubic=True)
    ase.io.write(tmp_path / name, atoms, format=FILES[name])
    room.frames.append(molecule("H2"))

    result = room.submit(LoadFile(file=room.upload(tmp_path / name))).result(timeout=60)

    assert (result["frames"], result["first"]) == (1, 1)
    found = atoms_of(room)[1]
    assert found.get_chemical_formula() == ("H4" if name == "a.data" else "Cu4")
    assert np.allclose(found.get_all_distances(mic=True), atoms.get_all_distances(mic=True), atol=0.01)


def test_frames_are_exported_as_a_file(room: Room, tmp_path: Path) -> None:
    room.frames.extend(map(molecule, MOLECULES))

    job = room.submit(ExportFile(format="extxyz", name="molecules"))

    assert job.result(timeout=60)["frames"] == 3
    path = job.download("molecules.extxyz", tmp_path)
    assert [str(atoms.symbols) for atoms in ase.io.read(path, index=":")] == ["OH2", "CH4", "C6H6"]
