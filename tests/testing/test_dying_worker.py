"""A worker is killed at a named step of its first job."""

from __future__ import annotations

import pytest

from workroom.testing.fixtures import OpenRoom, StartDyingWorker, StartServer, StartWorker
from workroom.testing.processes import eventually

TOOL = """
from pathlib import Path
from workroom import Extension

class Build(Extension, category="analysis", retries=1):
    notes: str

    def run(self, job):
        with Path(self.notes).open("a") as notes:
            notes.write("began\\n")
            notes.flush()
            job.progress(0.5, "half way")
            notes.write("ended\\n")
        return job.attempt
"""
FAST = {"heartbeat": 0.5, "lease": 3, "grace": 0.2, "sweep": 0.1}


@pytest.mark.parametrize(
    ("step", "notes", "attempt"),
    [
        ("assigned", "began ended", 2),  # code never ran twice
        ("started", "began ended", 2),
        ("half way", "began began ended", 2),
        ("ended", "began ended began ended", 2),
    ],
)
def test_another_worker_does_what_it_left(
    start_server: StartServer,
    open_room: OpenRoom,
    dying_worker: StartDyingWorker,
    start_worker: StartWorker,
    step: str,
    notes: str,
    attempt: int,
) -> None:
    server = start_server(**FAST)
    written = server.data_dir.parent / "notes"
    tool = server.data_dir.parent / "build.py"
    tool.write_text(TOOL)
    dying = dying_worker(server, str(tool), at=step)
    room = open_room(server)
    job = room.submit_named("analysis", "Build", {"notes": str(written)})
    eventually(lambda: not dying.is_alive, what="the death of the worker")

    start_worker(server, str(tool))

    assert job.result(timeout=20) == attempt
    assert written.read_text().split() == notes.split()
