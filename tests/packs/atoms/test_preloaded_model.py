"""The example of a model that is loaded once, as people run it."""

from __future__ import annotations

import sys
from pathlib import Path

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
            eventually(lambda: len(room.workers()) == 2, 60, "two workers")
            (form,) = [each["schema"] for each in room.extensions() if each["name"] == "Evaluate"]
            assert form["properties"]["scale"]["maximum"] == 2

            jobs = [room.submit_named("analysis", "Evaluate", {"scale": 1 + each / 100}) for each in range(8)]
            results = [job.result(timeout=60) for job in jobs]
    finally:
        for worker in workers:
            worker.close()

    assert {each["process"] for each in results} == {worker.pid for worker in workers}
    expected = bulk("Cu")
    expected.calc = EMT()
    assert results[0]["energy"] == pytest.approx(expected.get_potential_energy())
