"""The example of a model that is loaded once, as people run it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from ase.build import bulk
from ase.calculators.emt import EMT

from workroom import Room
from workroom.testing.processes import Process, ServerProcess, eventually

SCRIPT = Path(__file__).parents[3] / "docs/examples/preloaded_model.py"


def test_a_script_appears_as_a_form_and_runs_on_two_workers(
    atoms_server: ServerProcess, tmp_path: Path
) -> None:
    environment = {"WORKROOM_URL": atoms_server.url, "WORKROOM_USER": "ada"}
    workers = [Process([sys.executable, str(SCRIPT)], environment, tmp_path / f"{each}.log") for each in "ab"]
    try:
        with Room("models", atoms_server.url, user="ada") as room:
            room.frames.append(bulk("Cu"))
            form = eventually(lambda: form_of(room, "Evaluate"), 60, "the form")
            assert form["properties"]["scale"]["maximum"] == 2

            eventually(lambda: processes(room) == {each.pid for each in workers}, 60, "jobs on both workers")
            result = room.submit_named("analysis", "Evaluate", {}).result(timeout=60)
    finally:
        for worker in workers:
            worker.close()

    expected = bulk("Cu")
    expected.calc = EMT()
    assert result["energy"] == pytest.approx(expected.get_potential_energy())


def form_of(room: Room, name: str) -> Any:
    return next((each["schema"] for each in room.extensions() if each["name"] == name), None)


def processes(room: Room) -> set[int]:
    """The processes that run a few jobs at once."""
    jobs = [room.submit_named("analysis", "Evaluate", {"scale": 1 + each / 100}) for each in range(8)]
    return {job.result(timeout=60)["process"] for job in jobs}
