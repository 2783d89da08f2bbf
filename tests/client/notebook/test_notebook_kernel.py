"""A real kernel runs cells, and the notebook has what they show."""

from __future__ import annotations

from typing import Any

import nbformat
from nbclient import NotebookClient

from support.extensions.samples import Nap
from support.sync_rooms import Serve
from workroom.testing.processes import ServerProcess

OPEN = """
import numpy as np
from workroom import Room
room = Room({name!r}, {url!r}, user="ada")
room.frames.append({{"numbers": np.array([8, 1]), "positions": np.eye(3)[:2]}})
room
"""
SUBMIT = """
job = room.submit_named("analysis", "Nap", {"seconds": 0.5})
job
"""
WAIT = "job.result(timeout=20)"


def run(*cells: str) -> list[Any]:
    """The outputs of the cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def test_a_notebook_shows_the_room_and_a_line_that_follows_the_job(
    server: ServerProcess, name: str, serve: Serve
) -> None:
    serve(Nap)

    room, job, result = run(OPEN.format(name=name, url=server.url), SUBMIT, WAIT)

    assert room[0].data["text/plain"].endswith("frame 0 of 1, 2 atoms")
    assert "<img" in room[0].data["text/html"]
    assert room[0].data["image/png"]
    assert [output.data["text/plain"] for output in job] == ["Nap: completed"]
    assert [output.data["text/plain"] for output in result] == ["'rested'"]
