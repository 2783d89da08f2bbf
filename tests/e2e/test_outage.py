"""What code does while its worker cannot reach the server."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from support.extensions.misbehaving import Exclusive, Hold, Patient, TwiceHold, notes
from support.job_waits import becomes, ended_job, is_running
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import eventually

LEASE = 6.0  # a worker may take most of it to reconnect
BRIEF = {"heartbeat": 0.5, "lease": LEASE, "grace": LEASE, "sweep": 0.1}
MODULE = "support.extensions.misbehaving"


def test_code_continues_over_an_outage_of_the_server(
    start_server: StartServer,
    start_worker: StartWorker,
    open_room: OpenRoom,
    tmp_path: Path,
) -> None:
    server, gate = start_server(**BRIEF), tmp_path / "gate"
    start_worker(server, f"{MODULE}:Hold", f"{MODULE}:Patient", slots=2)
    room, diaries = open_room(server), {kind: tmp_path / kind.__name__ for kind in (Hold, Patient)}
    jobs = [room.submit(kind(gate=str(gate), diary=str(diary))) for kind, diary in diaries.items()]
    eventually(lambda: all(map(notes, diaries.values())), what="the code running")
    server.kill()
    killed_at = time.monotonic()
    eventually(lambda: time.monotonic() > killed_at + 1.2 * LEASE, what="the end of the outage")
    server.restart()
    gate.touch()

    for job, diary in zip(jobs, diaries.values(), strict=True):
        ended = ended_job(job, 60)
        assert (ended["status"], ended["attempt"], len(notes(diary))) == ("completed", 1, 1)


def test_code_that_another_worker_may_start_stops_before_its_lease_is_over(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom, tmp_path: Path
) -> None:
    server = start_server(**{**BRIEF, "lease": LEASE / 2})
    worker = start_worker(server, f"{MODULE}:TwiceHold", f"{MODULE}:Exclusive", slots=2)
    room, diary, other = open_room(server), tmp_path / "diary", tmp_path / "other"
    jobs = [
        room.submit(Exclusive(diary=str(diary))),
        room.submit(TwiceHold(diary=str(other), gate=str(tmp_path / "gate"))),
    ]
    for job in jobs:
        becomes(job, "running")
    (pid,) = eventually(lambda: notes(diary), what="the isolated code running")
    eventually(lambda: notes(other), what="the other code running")
    server.process.signal(signal.SIGSTOP)

    eventually(
        lambda: "stopped 2 of the running jobs" in worker.log.read_text(), what="the code being stopped"
    )
    eventually(lambda: not is_running(int(pid)), what="the process of the isolated code being killed")
    server.process.signal(signal.SIGCONT)
