"""A script for ZnDraw that registers an extension and waits, as a process of its own."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ase.build import molecule

from workroom.packs.atoms import ZnDraw
from workroom.testing.processes import ADMIN_PASSWORD, Process, ServerProcess, eventually

SCRIPT = Path(__file__).parent / "scripts/waiting_worker.py"
Start = Callable[..., Process]


@pytest.fixture
def start(atoms_server: ServerProcess, tmp_path: Path) -> Iterator[Start]:
    started: list[Process] = []

    def start(*arguments: str) -> Process:
        command = [sys.executable, str(SCRIPT), atoms_server.url, *arguments]
        started.append(Process(command, {}, tmp_path / f"{len(started)}.log"))
        return started[-1]

    yield start
    for each in started:
        each.close()


def shift(vis: ZnDraw) -> int:
    """Submit by name, as somebody who does not have the class."""
    vis.append(molecule("H2O"))
    vis.step = len(vis) - 1
    job = vis.workroom.submit_named("modifiers", "Shift", {"x": 2.5})
    process: int = job.result(timeout=60)
    assert vis.atoms.positions[0, 0] == 2.5
    return process


def offers(vis: ZnDraw) -> list[str]:
    return [each["scope"] for each in vis.workroom.extensions() if each["name"] == "Shift"]


def test_a_script_serves_its_extension_until_ctrl_c(atoms_server: ServerProcess, start: Start) -> None:
    worker = start("waiting", "no")
    with (
        ZnDraw(url=atoms_server.url, room="waiting", user="ada", auto_pickup_jobs=False) as vis,
        ZnDraw(url=atoms_server.url, room="waiting-elsewhere", user="ada") as elsewhere,
    ):
        eventually(lambda: offers(vis) == ["room"], 60, "the extension")

        assert [shift(vis), shift(vis)] == [worker.pid] * 2
        assert offers(elsewhere) == []

        worker.signal(signal.SIGINT)
        worker.child.wait(60)
        assert worker.log.read_text() == "the end\n"
        assert worker.child.returncode == 0


def test_a_public_extension_serves_all_rooms(atoms_server: ServerProcess, start: Start) -> None:
    worker = start("waiting-admin", "yes", ADMIN_PASSWORD)
    with ZnDraw(url=atoms_server.url, room="waiting-guest", user="eve", auto_pickup_jobs=False) as vis:
        eventually(lambda: offers(vis) == ["public"], 60, "the extension")
        assert shift(vis) == worker.pid


def test_a_guest_cannot_register_for_all_rooms(start: Start) -> None:
    worker = start("waiting-refused", "yes")
    assert worker.child.wait(60) != 0
    assert "admin" in worker.log.read_text().splitlines()[-1]
