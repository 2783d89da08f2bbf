"""`workroom workers`: list, accept, refuse, dismiss."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import Run, Start, Started
from workroom.testing.processes import ServerProcess

TOOL = """
from workroom import Extension


class Twice(Extension, category="analysis"):
    number: int = 1

    def run(self) -> int:
        return 2 * self.number
"""


class Servers:
    """Starts workers of anybody's. They have files of their own, so other tests cannot have their names."""

    def __init__(self, start: Start, server: ServerProcess, room: str, folder: Path) -> None:
        self._start, self._server, self._room, self._folder = start, server, room, folder
        self._tool = folder / "doubling.py"
        self._tool.write_text(TOOL)

    def __call__(self, user: str, name: str) -> Started:
        whose = {"WORKROOM_USER": user, "WORKROOM_STATE_DIR": str(self._folder / user)}
        arguments = ("worker", str(self._tool), "--room", self._room, "--name", name)
        started = self._start(*arguments, "--url", self._server.url, **whose)
        started.wait_for("Ctrl-C stops.")
        return started


@pytest.fixture
def serve(server: ServerProcess, start: Start, room: str, tmp_path: Path) -> Servers:
    serve = Servers(start, server, room, tmp_path)
    serve("fred", "first")
    return serve


def test_a_waiting_worker_is_listed_and_accepted_with_the_command_it_prints(
    run: Run, serve: Servers, room: str
) -> None:
    late = serve("greta", "late")
    said = late.wait_for("to accept this worker for analysis/Twice: workroom workers accept")
    listed = run("workers", room).out
    assert "analysis/Twice (waits for consent)" in listed
    assert {"first", "late"} <= {each["name"] for each in run("workers", room, "--json").json}

    command = said.partition(": workroom ")[2].splitlines()[0].split()
    assert run(*command).out.startswith("Accepted late of greta")

    late.wait_for("accepted this worker for analysis/Twice")
    assert "awaits consent" not in run("workers", "list", room).out


def test_a_worker_is_refused_or_dismissed_by_name_and_ends_with_the_reason(
    run: Run, serve: Servers, room: str
) -> None:
    refused = serve("greta", "late")
    assert run("workers", "refuse", room, "late", "--reason", "we have enough").code == 0
    assert refused.child.wait(20) == 1
    assert "dismissed this worker: we have enough" in refused.printed

    assert run("workers", "dismiss", room, "first").code == 0
    listed = run("workers", room).out
    assert "first" not in listed
    assert "late" not in listed


def test_an_unknown_worker_is_an_error(run: Run, serve: Servers, room: str) -> None:
    complaint = run("workers", "accept", room, "nobody").complaint
    assert complaint == f"there is no worker 'nobody' in room {room}. See: workroom workers {room}"
