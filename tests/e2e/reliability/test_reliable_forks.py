"""Processes that a job forks do not keep its worker's connection open."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from support.extensions import misbehaving
from support.extensions.misbehaving import Fork, ForkAndReturn, notes
from support.job_waits import Serve, error_of, is_running
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import eventually


def test_the_death_of_a_worker_is_noticed_while_a_forked_child_lives(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom, tmp_path: Path
) -> None:
    """After the grace, long before the lease ends."""
    server = start_server(grace=0.5, lease=600, sweep=0.1)
    worker = start_worker(server, f"{misbehaving.__file__}:Fork")
    diary = tmp_path / "diary"
    job = open_room(server).submit(Fork(diary=str(diary)))
    (child,) = map(int, eventually(lambda: notes(diary), what="the forked child"))
    try:
        os.kill(worker.pid, signal.SIGKILL)

        assert error_of(job)["type"] == "WorkerLost"
        os.kill(child, 0)  # still alive
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def test_a_forked_child_that_returns_from_run_ends(room: Room, serve: Serve) -> None:
    serve(ForkAndReturn)

    child = room.submit(ForkAndReturn()).result(timeout=20)

    assert child > 0
    eventually(lambda: not is_running(child), what="the end of the child")
