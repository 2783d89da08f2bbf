"""Code that holds Python's global lock keeps its worker from sending heartbeats."""

from __future__ import annotations

from support.extensions import misbehaving
from support.extensions.misbehaving import HoldLock
from support.job_waits import error_of
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import eventually

ADVICE = 'isolation="process"'


def test_a_lock_held_for_less_than_the_lease_is_reported_in_the_log_of_the_job(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server(sweep=0.1)
    worker = start_worker(server, f"{misbehaving.__file__}:HoldLock")

    job = open_room(server).submit(HoldLock(seconds=7))

    assert job.result(timeout=60) == "released"
    (line,) = job.logs()
    assert (line["level"], ADVICE in line["text"]) == ("WARNING", True)
    assert ADVICE in worker.log.read_text()


def test_a_lock_held_past_the_lease_loses_the_job_and_is_reported_by_the_worker(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server(heartbeat=0.5, lease=3, grace=1, sweep=0.1)
    worker = start_worker(server, f"{misbehaving.__file__}:HoldLock")
    room = open_room(server)

    assert error_of(room.submit(HoldLock(seconds=10)), 60)["type"] == "WorkerLost"

    eventually(lambda: ADVICE in worker.log.read_text(), 60, "the advice")
    eventually(room.extensions, 60, "the worker's return")
    assert room.submit(HoldLock(seconds=0)).result(timeout=60) == "released"
