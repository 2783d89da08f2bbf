"""Workers and servers that stop, and come back."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx

from support.extensions.misbehaving import (
    Hold,
    Mark,
    TwiceHold,
    notes,
)
from support.extensions.samples import Nap
from support.job_waits import HASTE, Serve, becomes, serves
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually


def test_a_worker_sends_heartbeats_from_the_start_as_often_as_the_server_requests(
    room: Room, serve: Serve
) -> None:
    serve(Nap)

    assert room.submit(Nap(seconds=1.3 * HASTE["lease"])).result(timeout=20) == "rested"


def test_a_stopped_worker_that_comes_back_cannot_finish_its_old_attempt(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path, gate: Path
) -> None:
    names = ["support.extensions.misbehaving:TwiceHold", "support.extensions.misbehaving:Mark"]
    stopped = start_worker(server, *names, room=room.name)
    job = room.submit(TwiceHold(diary=str(diary), gate=str(gate)))
    eventually(lambda: notes(diary) == [f"{stopped.pid}"])
    other = start_worker(server, *names, room=room.name)

    stopped.signal(signal.SIGSTOP)
    eventually(lambda: notes(diary) == [f"{stopped.pid}", f"{other.pid}"])
    gate.touch()
    assert job.result(timeout=10) == other.pid
    history = job.history()
    other.stop()
    stopped.signal(signal.SIGCONT)
    serves(room, "Mark")

    assert room.submit(Mark()).result(timeout=20) == "mark"
    assert job.refresh()["result"] == other.pid
    assert job.history() == history


def test_a_server_that_shuts_down_is_not_ready_and_its_next_start_loses_no_worker(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker, gate: Path, diary: Path
) -> None:
    server = start_server("support.extensions.samples:Nap", workers=1, **{**HASTE, "lease": 30, "grace": 10})
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    room = open_room(server)
    start_worker(server, "support.extensions.misbehaving:Hold")
    remote = room.submit(Hold(gate=str(gate), diary=str(diary)))
    local = room.submit(Nap(seconds=2))
    becomes(remote, "running")
    becomes(local, "running")

    server.process.signal(signal.SIGTERM)
    eventually(
        lambda: httpx.get(f"{server.url}/readyz").status_code == 503, what="the server not being ready"
    )
    server.process.child.wait(30)
    server.restart()
    gate.touch()

    assert remote.result(timeout=20)
    assert local.result(timeout=20) == "rested"
    assert len(notes(diary)) == 1
    assert [job["status"] for job in room.jobs()] == ["completed", "completed"]
