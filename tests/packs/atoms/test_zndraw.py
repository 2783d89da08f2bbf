"""The surface of ZnDraw on a Workroom server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from ase.build import bulk, molecule
from pydantic import SecretStr

from workroom import JobFailed, Room
from workroom.packs.atoms import Category, Extension, ZnDraw
from workroom.packs.atoms.modifiers.building import Supercell
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

SCRIPTS = Path(__file__).parent / "scripts"


class Push(Extension):
    """Move an atom."""

    category: ClassVar[Any] = Category.MODIFIER
    x: float = 1.0

    def run(self, vis: ZnDraw, **kwargs: Any) -> str:
        atoms = vis.atoms
        atoms.positions[0, 0] += self.x * kwargs.get("scale", 1)
        vis.atoms = atoms
        return f"pushed in {vis.room}"


class Fail(Extension):
    category: ClassVar[Any] = Category.ANALYSIS

    def run(self, vis: ZnDraw, **kwargs: Any) -> None:
        raise RuntimeError("no luck")


@pytest.fixture
def vis(room: Room) -> ZnDraw:
    return ZnDraw.over(room)


def formulas(vis: ZnDraw) -> list[str]:
    return [each.get_chemical_formula() for each in vis]


def test_frames_are_a_list_of_atoms(vis: ZnDraw) -> None:
    vis.extend(map(molecule, ("H2O", "CH4", "C6H6", "CO2")))
    vis[1] = molecule("NH3")
    vis[-2:] = [molecule("O2")]
    vis.insert(0, molecule("H2"))
    assert formulas(vis) == ["H2", "H2O", "H3N", "O2"]

    assert [each.get_chemical_formula() for each in vis[[0, -1]]] == ["H2", "O2"]
    assert [each.get_chemical_formula() for each in vis[np.array([False, True, False, True])]] == [
        "H2O",
        "O2",
    ]
    vis[np.array([0, 1])] = [molecule("CO"), molecule("NO")]
    del vis[[0, -1]]
    assert formulas(vis) == ["NO", "H3N"]
    with pytest.raises(ValueError, match="1 frames cannot be set to 0"):
        vis[[0]] = []
    with pytest.raises(IndexError):
        del vis[[0, 2]]
    assert formulas(vis) == ["NO", "H3N"]


def test_keys_have_the_names_of_zndraw(vis: ZnDraw) -> None:
    vis.append(molecule("H2O"))
    assert {"arrays.positions", "arrays.numbers", "cell", "pbc"} <= vis.get(0).keys()
    (frame,) = vis.get(slice(0, 1), keys=["arrays.numbers"])
    assert frame["arrays.numbers"].tolist() == [8, 1, 1]


def test_the_step_must_be_a_frame(vis: ZnDraw) -> None:
    vis.append(molecule("H2O"))
    vis.step = 0
    with pytest.raises(ValueError, match="there is no frame 1: the room has 1"):
        vis.step = 1


def test_what_the_room_shares(vis: ZnDraw) -> None:
    vis.selection = np.array([2, 0])
    vis.selections["forces"] = [1]
    vis.selection_groups["pair"] = {"particles": [0, 1]}
    vis.bookmarks[0] = "start"
    vis.metadata["author"] = "ada"
    vis.geometries["curve"] = {"type": "Curve", "data": {"position": []}}
    vis.figures["plot"] = {"data": [{"y": [1, 2]}], "layout": {}}
    vis.log("hello")

    assert vis.selection == (2, 0)
    assert dict(vis.selections) == {"particles": (2, 0), "forces": (1,)}
    assert vis.selection_groups["pair"] == {"particles": [0, 1]}
    assert vis.bookmarks[0] == "start"
    assert vis.metadata["author"] == "ada"
    assert vis.geometries["curve"]["type"] == "Curve"
    assert vis.figures["plot"].data[0].y == (1, 2)
    assert vis.chat[0]["text"] == "hello"
    vis.selection = None
    assert vis.selection == ()
    with pytest.raises(ValueError, match="negative"):
        vis.selection = [-1]


def test_a_lock_has_a_message(vis: ZnDraw) -> None:
    with vis.lock(msg="Uploading"):
        assert vis.workroom.locks()[0]["message"] == "Uploading"
        vis.append(molecule("H2O"))
    assert vis.workroom.locks() == []


def test_an_extension_of_ones_own_is_registered_and_run(atoms_server: ServerProcess) -> None:
    with ZnDraw(url=atoms_server.url, room="own-extension", user="ada", password=None) as vis:
        vis.append(bulk("Cu"))
        assert Push(x=1).run(vis, scale=1) == "pushed in own-extension"
        vis.register_extension(Push, run_kwargs={"scale": 2})

        job = vis.run(Push(x=3))
        job.wait(timeout=60)

        assert job.is_completed()
        assert job.handle.result() == "pushed in own-extension"
        assert vis.atoms.positions[0, 0] == 7
        vis.atoms = bulk("Ag")
        assert vis.atoms.get_chemical_formula() == "Ag"


def test_the_extensions_of_the_server_run_too(vis: ZnDraw) -> None:
    vis.append(bulk("Cu"))
    vis.run(Supercell(a=2, b=1, c=1)).wait(timeout=60)
    assert len(vis.atoms) == 2


def test_a_failed_job_is_done(vis: ZnDraw) -> None:
    vis.register_extension(Fail)
    job = vis.run(Fail())
    job.wait(timeout=60)
    assert job.is_failed()
    with pytest.raises(JobFailed, match="no luck"):
        job.handle.result()


def test_an_admin_registers_for_all_rooms(atoms_server: ServerProcess) -> None:
    secret = SecretStr(ADMIN_PASSWORD)
    with ZnDraw(url=atoms_server.url, room="admins", user="admin", password=secret) as admin:
        admin.register_extension(Push, public=True)
        with ZnDraw(url=atoms_server.url, room="guests", user="eve", copy_from=None) as vis:
            vis.append(bulk("Cu"))
            vis.run(Push()).wait(timeout=60)
            assert vis.atoms.positions[0, 0] == 1


def test_a_room_begins_as_a_copy(atoms_server: ServerProcess, vis: ZnDraw) -> None:
    vis.extend(map(molecule, ("H2O", "CH4")))
    with ZnDraw(url=atoms_server.url, room="the-copy", user="ada", copy_from=vis.room) as copy:
        assert formulas(copy) == ["H2O", "CH4"]


def test_a_process_that_picks_up_no_jobs_registers_nothing(atoms_server: ServerProcess) -> None:
    vis = ZnDraw(url=atoms_server.url, room="idle", user="ada", auto_pickup_jobs=False)
    with vis, pytest.raises(ValueError, match="would never run the jobs"):
        vis.register_extension(Push)


@pytest.mark.parametrize("name", ["live_dynamics", "custom_modifier", "post_processing"])
def test_a_script_prints_what_it_prints_with_zndraw(name: str, atoms_server: ServerProcess) -> None:
    """The expected output is that of ZnDraw 0.6.0, with `from zndraw import …` as the import line."""
    room = name.replace("_", "-")
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), atoms_server.url, room]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.stderr == ""
    assert ran.stdout == (SCRIPTS / f"{name}.txt").read_text()
