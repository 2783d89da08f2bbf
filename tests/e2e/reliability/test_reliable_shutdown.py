"""What becomes of the jobs of the server's own workers when the server is asked to stop."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest

from support.extensions.misbehaving import Hold, Mark, TwiceHold, notes
from workroom import JobFailed, JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import ServerProcess, eventually

OWN = (
    "support.extensions.misbehaving:Hold",
    "support.extensions.misbehaving:TwiceHold",
    "support.extensions.misbehaving:Mark",
)
LONG = 3600  # nobody is lost for being silent


def running(room: Room, job: Hold, diary: Path) -> JobHandle:
    """The job, once it runs at one of the server's own workers."""
    handle = room.submit(job)
    eventually(lambda: notes(diary), 60, "the job running")
    return handle


def ask_to_stop(server: ServerProcess) -> None:
    """Gives back once the server says what it waits for."""
    server.process.signal(signal.SIGTERM)
    eventually(lambda: "waiting for 1 job" in server.log, 60, "the server waiting")


def exit_code(server: ServerProcess) -> int:
    return server.process.child.wait(60)


def test_a_server_that_shuts_down_waits_for_its_job_and_assigns_no_other(
    start_server: StartServer, open_room: OpenRoom, gate: Path, diary: Path
) -> None:
    server = start_server(*OWN, workers=1, slots=2, lease=LONG, shutdown=LONG)
    room = open_room(server)
    job = running(room, Hold(gate=str(gate), diary=str(diary)), diary)

    ask_to_stop(server)
    assert job.id in server.log
    assert httpx.get(f"{server.url}/readyz").status_code == 503
    waiting = room.submit(Mark())
    assert job.status == "running"
    assert waiting.status == "pending"
    gate.touch()
    assert exit_code(server) == 0

    server.restart()
    assert waiting.result(timeout=30) == "mark"
    assert job.refresh()["status"] == "completed"
    assert len(notes(diary)) == 1


def test_an_idle_server_stops_with_0(start_server: StartServer) -> None:
    server = start_server("support.extensions.misbehaving:Mark", workers=1, shutdown=LONG)
    eventually(lambda: httpx.get(f"{server.url}/readyz").status_code == 200)

    server.process.signal(signal.SIGTERM)

    assert exit_code(server) == 0
    assert "waiting for" not in server.log


def test_a_job_that_outlasts_the_shutdown_timeout_is_lost_at_once(
    start_server: StartServer, open_room: OpenRoom, gate: Path, diary: Path
) -> None:
    server = start_server(*OWN, workers=1, lease=LONG, shutdown=0.5)
    room = open_room(server)
    job = running(room, Hold(gate=str(gate), diary=str(diary)), diary)

    server.process.signal(signal.SIGTERM)
    assert exit_code(server) == 0

    server.restart()
    assert job.refresh()["status"] == "failed"
    with pytest.raises(JobFailed, match="WorkerLost"):
        job.result(timeout=10)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_server_at_once_and_the_next_one_tries_the_job_again(
    start_server: StartServer, open_room: OpenRoom, gate: Path, diary: Path, number: int
) -> None:
    server = start_server(*OWN, workers=1, lease=LONG, shutdown=LONG, sweep=0.2)
    room = open_room(server)
    job = running(room, TwiceHold(gate=str(gate), diary=str(diary)), diary)

    ask_to_stop(server)
    server.process.signal(number)
    assert exit_code(server) == 0

    server.restart()
    assert job.refresh()["tries"] == 1
    gate.touch()
    assert job.result(timeout=30) != int(notes(diary)[0])
    assert job.document["tries"] == 2
