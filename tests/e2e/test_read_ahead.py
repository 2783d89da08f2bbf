"""`running` means that code runs, and what has not begun belongs to nobody."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chaos.pacing import Pacing
from support.chaos.stage import Stage
from support.chaos.stalls import Stalls
from support.extensions.pace import Pace, TimedPace, begun
from support.job_waits import HASTE, Document
from support.scripted_worker import MakeScriptedWorker, ScriptedWorker, fence
from workroom import Extension, JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

WARM = 300
PACE, TIMED = "support.extensions.pace:Pace", "support.extensions.pace:TimedPace"


@pytest.fixture
def server(start_server: StartServer) -> ServerProcess:
    return start_server(**HASTE)


@pytest.fixture
def plain_server(start_server: StartServer) -> ServerProcess:
    """Expects no heartbeats."""
    return start_server()


@pytest.fixture(params=["sqlite", "redis"])
def either_server(
    request: pytest.FixtureRequest, tmp_path: Path, start_server: StartServer
) -> Iterator[ServerProcess]:
    if request.param == "sqlite":
        yield start_server(**HASTE)
        return
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    yield start_server(store=valkey.url, **HASTE)
    valkey.stop()


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


def _warm_up(room: Room, extension: type[Pace] | type[TimedPace], diary: Path) -> None:
    """Many very short jobs, which earn read-ahead."""
    for job in room.submit_many([extension(diary=str(diary)) for _ in range(WARM)]):
        job.result(timeout=60)
    diary.unlink()


def _slow(room: Room, count: int, ms: float, diary: Path) -> list[JobHandle]:
    return list(room.submit_many([Pace(ms=ms, diary=str(diary)) for _ in range(count)]))


def _held(room: Room) -> tuple[int, int]:
    """What the workers have been handed and have started."""
    workers = room.workers()
    return sum(each["assigned_jobs"] for each in workers), sum(each["running_jobs"] for each in workers)


def _running(room: Room) -> set[str]:
    return {job["id"] for job in room.jobs(status="running", limit=500)}


def test_running_means_that_code_runs(
    server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, diary: Path
) -> None:
    room = open_room(server)
    for _ in range(2):
        start_worker(server, PACE)
    _warm_up(room, Pace, diary)
    jobs = _slow(room, 30, 1000, diary)
    eventually(lambda: len(begun(diary)) == 2)

    eventually(lambda: _running(room) <= set(begun(diary)), 10, "only what has begun being running")
    assert len(begun(diary)) < len(jobs)


def test_kill_9_loses_only_the_job_that_had_begun(
    either_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, diary: Path
) -> None:
    room = open_room(either_server)
    victim, heir = start_worker(either_server, PACE), start_worker(either_server, PACE)
    _warm_up(room, Pace, diary)
    jobs = _slow(room, 8, 500, diary)
    eventually(lambda: victim.pid in begun(diary).values() and _running(room) <= set(begun(diary)))
    assert len(begun(diary)) < len(jobs)
    victim.kill()
    eventually(lambda: all(job.status in ("completed", "failed") for job in jobs), 60, "all jobs ending")

    lost = [job for job in jobs if job.status == "failed"]
    assert {job.document["error"]["type"] for job in lost} <= {"WorkerLost"}
    assert {begun(diary)[job.id] for job in lost} <= {victim.pid}
    assert len(lost) <= 1
    assert heir.is_alive


def test_priority_and_fair_share_hold_over_what_a_worker_was_handed_ahead(
    either_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, diary: Path, tmp_path: Path
) -> None:
    """The first job outlasts its prediction; better ones arrive when the worker holds many behind it."""
    room, other = open_room(either_server), open_room(either_server, user="bob")
    start_worker(either_server, PACE)
    _warm_up(room, Pace, diary)
    gate, quick = tmp_path / "gate", Pace(diary=str(diary))
    held, *backlog = room.submit_many([Pace(gate=str(gate), diary=str(diary)), *[quick] * 40])
    eventually(lambda: held.id in begun(diary), what="the first job running")
    theirs = other.submit_many([quick] * 3)
    urgent = open_room(either_server, admin=True).submit(quick, priority=10)
    eventually(lambda: _held(room) == (0, 1), what="all others being taken back")
    gate.touch()
    for job in [urgent, *theirs, *backlog]:
        job.result(timeout=60)

    assert any(step["reason"] in ("recalled", "not begun") for job in backlog for step in job.history())
    first, second, *others = begun(diary)
    assert [first, second] == [held.id, urgent.id]
    assert {job.id for job in theirs} < set(others[:6]), "users take turns"


def test_a_timeout_fails_no_job_that_has_not_begun(
    server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, diary: Path
) -> None:
    room = open_room(server)
    start_worker(server, TIMED)
    _warm_up(room, TimedPace, diary)
    jobs = room.submit_many([TimedPace(ms=300, diary=str(diary)) for _ in range(6)])

    assert len({job.result(timeout=30) for job in jobs}) == 1


def test_jobs_of_any_length_at_honest_and_lying_workers(tmp_path: Path) -> None:
    """The same at length, with many kills, is in `make chaos`."""
    with Stalls() as stalls, Stage(tmp_path, seed=17) as stage:
        stage.open({"heartbeat": 1, "lease": 30, "grace": 0.5, "ack": 5})
        stalls.watch(stage.server.process.pid, essential=True)
        played = Pacing(stage, 100, stalls).play(jobs=150, kills=1)

    assert played.losses().unexplained(lambda since, until: played.own_seconds(since, until) > 2.0) == []
    assert played.records.begun_twice() == []
    assert played.longest_idle().own < 2.0
    assert played.longest_overtaken().own < 2.0


class Scripted(Extension, category="analysis"):
    """What scripted workers offer."""

    n: int = 0


def _some(count: int) -> list[Scripted]:
    return [Scripted(n=number) for number in range(count)]


def _earn(worker: ScriptedWorker, room: Room) -> None:
    """Really run many short jobs, so that more are handed out ahead."""
    jobs = room.submit_many(_some(130))
    done = 0
    while done < len(jobs):
        item = worker.take()
        if worker.start(item) is None:
            assert worker.finish(item, run_ms=0) is None
            done += 1
    assert {job.status for job in jobs} == {"completed"}


def _load(worker: ScriptedWorker) -> tuple[int, int]:
    document = worker.http.get(f"/api/workers/{worker.worker_id}").json()
    return document["assigned_jobs"], document["running_jobs"]


def _start_next(worker: ScriptedWorker) -> Document:
    """Start the next job that was not taken back."""
    while True:
        item = worker.take()
        problem = worker.start(item)
        if problem is None:
            return item
        assert problem["code"] == "stale_attempt"


def test_a_lie_about_the_time_is_no_evidence(
    plain_server: ServerProcess, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    liar, room = make_scripted_worker(plain_server), open_room(plain_server)
    for _ in range(2):
        job = room.submit(Scripted())
        item, began = _start_next(liar), time.monotonic()
        eventually(lambda: time.monotonic() > began + 0.05)  # noqa: B023 - called at once
        assert liar.finish(item, run_ms=0) is None
        assert job.result(timeout=10) is None
    jobs = room.submit_many(_some(30))
    liar.heartbeat([{**fence(liar.take()), "phase": "queued"}], seen=10**6)

    assert liar.assigned.empty()
    assert _load(liar) == (1, 0)
    assert jobs[-1].refresh()["eta_ms"] > 30


def test_an_idle_worker_gets_what_another_has_not_begun(
    plain_server: ServerProcess, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    hoarder, room = make_scripted_worker(plain_server), open_room(plain_server)
    _earn(hoarder, room)
    jobs = room.submit_many(_some(3))
    begun = _start_next(hoarder)
    idle = make_scripted_worker(plain_server)
    taken = [_start_next(idle)]
    assert idle.finish(taken[0]) is None
    taken.append(_start_next(idle))

    assert {begun["job_id"], *(item["job_id"] for item in taken)} == {job.id for job in jobs}
    assert hoarder.finish(begun) is None
    assert {job.refresh()["status"] for job in jobs} == {"completed", "running"}


def test_what_is_recalled_is_named_and_cannot_start(
    plain_server: ServerProcess, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    worker, room = make_scripted_worker(plain_server), open_room(plain_server)
    _earn(worker, room)
    jobs = room.submit_many(_some(2))
    _start_next(worker)
    recalled = worker.recalled.get(timeout=20)
    while recalled["job_id"] != jobs[1].id:
        recalled = worker.recalled.get(timeout=20)

    eventually(lambda: _load(worker) == (0, 1))
    history = worker.http.get(f"/api/jobs/{jobs[1].id}/history").json()["items"]
    assert (history[-1]["status"], history[-1]["reason"]) == ("pending", "recalled")
    stale = next(item for item in iter(worker.take, None) if item["job_id"] == jobs[1].id)
    assert worker.start(stale)["code"] == "stale_attempt"
    assert jobs[1].refresh()["status"] == "pending"


def test_a_more_urgent_job_overtakes_what_has_not_begun(
    plain_server: ServerProcess, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    worker, room = make_scripted_worker(plain_server), open_room(plain_server)
    _earn(worker, room)
    room.submit_many(_some(5))
    first = _start_next(worker)
    urgent = open_room(plain_server, admin=True).submit(Scripted(), priority=10)
    eventually(lambda: _load(worker) == (0, 1))
    assert worker.finish(first) is None

    assert _start_next(worker)["job_id"] == urgent.id


def test_a_worker_gives_back_what_it_started_and_has_not_begun(
    plain_server: ServerProcess, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    worker, room = make_scripted_worker(plain_server), open_room(plain_server)
    job = room.submit(Scripted())
    item = _start_next(worker)
    other = {**fence(item), "nonce": "of another process"}
    mine = {**fence(item), "nonce": worker.nonce}
    assert worker.call("job:release", [other])["answers"][0]["code"] == "stale_attempt"
    assert worker.call("job:release", [mine, {"job_id": 1}])["answers"][1]["code"] == "invalid_request"
    again = _start_next(worker)

    assert (again["job_id"], again["attempt"]) == (job.id, 2)
    assert worker.finish(item)["code"] == "stale_attempt"
    assert worker.finish(again, result=7) is None
    assert job.result(timeout=10) == 7


def test_read_ahead_can_be_switched_off(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    server = start_server(read_ahead=0)
    worker, room = make_scripted_worker(server), open_room(server)
    _earn(worker, room)
    room.submit_many(_some(10))
    item = worker.take()
    worker.heartbeat([{**fence(item), "phase": "queued"}], seen=item["number"])

    assert worker.assigned.empty()
    assert item["expected_ms"] is None
    assert _load(worker) == (1, 0)


@pytest.fixture(params=["sqlite", "redis"])
def patient_server(
    request: pytest.FixtureRequest, tmp_path: Path, start_server: StartServer
) -> Iterator[ServerProcess]:
    """Neither a lease nor a start deadline nor a missing ack moves a job here."""
    long = {"lease": 600, "start": 600, "ack": 600}
    if request.param == "sqlite":
        yield start_server(**long)
        return
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    yield start_server(store=valkey.url, **long)
    valkey.stop()


def test_what_a_stopped_worker_has_not_started_goes_to_an_idle_one(
    patient_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, diary: Path, tmp_path: Path
) -> None:
    room, gate = open_room(patient_server), tmp_path / "gate"
    stopped, idle = start_worker(patient_server, PACE), start_worker(patient_server, PACE)
    stopped.signal(signal.SIGSTOP)
    jobs = [room.submit(Pace(diary=str(diary))) for _ in range(2)]

    assert {job.result(timeout=60) for job in jobs} == {idle.pid}
    moved = [job for job in jobs if any(step["reason"] == "recalled" for step in job.history())]
    assert len(moved) == 1
    assert moved[0].document["attempt"] == 2

    held = room.submit(Pace(diary=str(diary), gate=str(gate)))
    eventually(lambda: begun(diary).get(held.id) == idle.pid, what="the idle worker being busy")
    waiting = room.submit(Pace(diary=str(diary)))
    stopped.signal(signal.SIGCONT)
    assert waiting.result(timeout=60) == stopped.pid
    gate.touch()
    assert held.result(timeout=60) == idle.pid
