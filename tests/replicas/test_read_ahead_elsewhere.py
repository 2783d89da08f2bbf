"""What a worker at one server holds and has not begun goes to an idle worker at another server."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest

from replicas.conftest import StartReplica
from support.extensions.pace import Pace, begun
from workroom import JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

PACE = "support.extensions.pace:Pace"
WARM = 300


@pytest.fixture
def here(start_replica: StartReplica) -> ServerProcess:
    return start_replica("a")


@pytest.fixture
def there(start_replica: StartReplica) -> ServerProcess:
    return start_replica("b")


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def room(here: ServerProcess, start_worker: StartWorker, open_room: OpenRoom, diary: Path) -> Room:
    """One whose only worker, here, has earned read-ahead."""
    start_worker(here, PACE)
    room = open_room(here)
    _take_any_worker(here)
    for job in room.submit_many([Pace(diary=str(diary))] * WARM):
        job.result(timeout=60)
    diary.unlink()
    return room


def _take_any_worker(server: ServerProcess) -> None:
    """A worker is a different guest at each address."""
    with httpx.Client(base_url=server.url, timeout=30) as http:
        admin = {"name": "admin", "password": ADMIN_PASSWORD}
        token = http.post("/api/login", json=admin).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        http.patch("/api/rooms/demo", json={"workers": "anyone"}).raise_for_status()


def _hoard(room: Room, diary: Path, gate: Path) -> list[JobHandle]:
    """Jobs that the worker is handed together, of which the first outlasts its prediction."""
    quick = Pace(diary=str(diary))
    jobs = list(room.submit_many([Pace(diary=str(diary), gate=str(gate)), *[quick] * 20]))
    eventually(lambda: jobs[0].id in begun(diary), what="the first job running")
    return jobs


def _was_taken_back(job: JobHandle) -> bool:
    return any(step["reason"] in ("recalled", "not begun") for step in job.history())


def test_a_worker_that_comes_to_another_server_gets_what_has_not_begun(
    room: Room, there: ServerProcess, start_worker: StartWorker, diary: Path, gate: Path
) -> None:
    held, *others = _hoard(room, diary, gate)
    idle = start_worker(there, PACE)

    assert {job.result(timeout=60) for job in others} == {idle.pid}
    assert any(_was_taken_back(job) for job in others)
    assert held.status == "running"
    gate.touch()
    assert held.result(timeout=60) != idle.pid


def test_a_worker_that_becomes_idle_at_another_server_gets_what_has_not_begun(
    room: Room, there: ServerProcess, start_worker: StartWorker, diary: Path, gate: Path, tmp_path: Path
) -> None:
    """It is idle before the first job ends, so it runs all the others."""
    other = start_worker(there, PACE)
    gates = [gate, tmp_path / "other gate"]
    both = [room.submit(Pace(diary=str(diary), gate=str(each))) for each in gates]
    eventually(lambda: len(begun(diary)) == 2, what="both workers running")
    job_of_other = next(job for job in both if begun(diary)[job.id] == other.pid)
    others = room.submit_many([Pace(diary=str(diary))] * 20)
    gates[both.index(job_of_other)].touch()

    assert {job.result(timeout=60) for job in others} == {other.pid}
    for each in gates:
        each.touch()
    assert {job.result(timeout=60) for job in both} > {other.pid}


def test_what_a_stopped_worker_has_not_started_goes_to_one_at_another_server(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom, diary: Path
) -> None:
    """Nothing else would move it: its lease and the deadline of its start are long."""
    long = {"lease": 600, "start": 600, "ack": 600}
    here, there = start_replica("a", **long), start_replica("b", **long)
    stopped = start_worker(here, PACE)
    room = open_room(here)
    _take_any_worker(here)
    idle = start_worker(there, PACE)
    stopped.signal(signal.SIGSTOP)
    jobs = [room.submit(Pace(diary=str(diary))) for _ in range(3)]

    assert {job.result(timeout=60) for job in jobs} == {idle.pid}
    assert any(_was_taken_back(job) for job in jobs)
    stopped.signal(signal.SIGCONT)
