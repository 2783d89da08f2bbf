"""The reliability contract with real processes: what goes wrong, and what becomes of the job."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from puppet import MakePuppet
from reliable import (
    Apart,
    ApartBreak,
    Burner,
    Deaf,
    Faulty,
    Flaky,
    Glutton,
    Hold,
    Mark,
    Orphaner,
    Paint,
    Parent,
    Poison,
    Spin,
    Strict,
    TwiceHold,
    notes,
)
from samples import Echo, Nap
from workroom import Extension, JobCancelled, JobFailed, JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import Process, ServerProcess, eventually

HASTE = {"heartbeat": 0.5, "lease": 3.0, "grace": 0.5, "sweep": 0.1}
_numbers = count(1)

Document = dict[str, Any]
Serve = Callable[..., Room]
Log = Callable[[str], httpx.Client]

SCRIPT = """
import os, sys
from workroom import Extension, Room

class Here(Extension, isolation="process"):
    n: int

    def run(self):
        return [self.n, __name__, os.getpid()]

if __name__ == "__main__":
    room = Room({room!r}, {url!r}, user="script")
    room.register(Here)
    room.wait()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One for most tests: impatient, with one extension of its own and nobody to run it."""
    with ServerProcess(tmp_path_factory.mktemp("server"), "samples:Echo", **HASTE) as server:
        yield server


@pytest.fixture
def name() -> str:
    """A room that nobody else uses."""
    return f"room-{next(_numbers)}"


@pytest.fixture
def login(server: ServerProcess) -> Iterator[Log]:
    """REST as anybody."""
    with ExitStack() as stack:

        def login(user: str) -> httpx.Client:
            http = stack.enter_context(httpx.Client(base_url=server.url, timeout=20))
            token = http.post("/api/login", json={"name": user}).json()["token"]
            http.headers["Authorization"] = f"Bearer {token}"
            return http

        yield login


@pytest.fixture
def ada(login: Log, name: str) -> httpx.Client:
    """REST for ada, who owns the room."""
    http = login("ada")
    assert http.post("/api/rooms", json={"name": name}).status_code == 201
    return http


@pytest.fixture
def room(ada: httpx.Client, server: ServerProcess, name: str, open_room: OpenRoom) -> Room:
    """The room of the test, for ada, who owns it."""
    return open_room(server, name)


@pytest.fixture
def serve(room: Room, server: ServerProcess, open_room: OpenRoom) -> Serve:
    """Serve extensions in the room, from this process."""

    def serve(*extensions: type[Extension], slots: int = 1) -> Room:
        place = open_room(server, room.name, user="worker")
        place.register(*extensions, slots=slots)
        return place

    return serve


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """A file that is not there yet; at the end it is, so that whoever waits for it may go."""
    gate = tmp_path / "gate"
    yield gate
    gate.touch()


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


def error_of(job: JobHandle, seconds: float = 20) -> Document:
    """How the job failed, waited for."""
    with pytest.raises(JobFailed):
        job.result(timeout=seconds)
    error: Document = job.document["error"]
    return error


def becomes(job: JobHandle, status: str) -> None:
    eventually(lambda: job.status == status, what=f"the job being {status}")


def waits_for(job: JobHandle, code: str) -> Document:
    """Why the job waits, once it waits for that."""

    def reason() -> Document | None:
        waiting: Document | None = job.refresh()["waiting_for"]
        return waiting if waiting is not None and waiting["code"] == code else None

    return eventually(reason, 10, f"the job waiting for {code}")


def serves(room: Room, name: str) -> None:
    eventually(lambda: name in [each["name"] for each in room.extensions()], what=f"{name} being served")


def is_running(pid: int) -> bool:
    """Not gone, and not merely unburied."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def submit(http: httpx.Client, room: str, extension: Extension, **options: Any) -> httpx.Response:
    path = f"/api/rooms/{room}/extensions/{extension.category}/{extension.extension_name}/submit"
    return http.post(path, json={"data": extension.model_dump(mode="json")}, **options)


# Retries


def test_a_poison_job_stops_after_its_tries_and_others_proceed(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path
) -> None:
    workers = [start_worker(server, "reliable:Poison", "reliable:Mark", room=room.name) for _ in range(3)]

    poison = room.submit(Poison(diary=str(diary)))
    others = [room.submit(Mark()) for _ in range(10)]

    error = error_of(poison)
    assert error["type"] == "MaxRetriesExceeded"
    assert error["details"]["last_error"]["type"] == "WorkerLost"
    assert notes(diary) == ["poison"] * 2
    assert poison.document["tries"] == 2
    assert [other.result(timeout=10) for other in others] == ["mark"] * 10
    assert sum(worker.is_alive for worker in workers) == 1


def test_a_job_whose_code_fails_is_tried_again_if_it_asks_for_that(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Flaky)

    job = room.submit(Flaky(diary=str(diary)))
    backoff = waits_for(job, "backoff")
    assert job.result(timeout=10) == 2

    assert backoff["until"] > job.document["created_at"]
    assert job.document["tries"] == 2
    statuses = [step["status"] for step in job.history()]
    assert statuses == ["pending", *["assigned", "running"], "pending", *["assigned", "running"], "completed"]


def test_a_job_that_keeps_failing_gives_up_and_shows_the_last_error(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Flaky)

    error = error_of(room.submit(Flaky(diary=str(diary), failures=9)))

    assert error["type"] == "MaxRetriesExceeded"
    assert error["details"]["last_error"] == {"type": "ValueError", "message": "try 2 failed"}
    assert "reliable.py" in error["stack_trace"]


def test_retries_for_lost_workers_do_not_retry_errors(room: Room, serve: Serve, diary: Path) -> None:
    serve(Strict)

    assert error_of(room.submit(Strict(diary=str(diary))))["type"] == "ValueError"
    assert notes(diary) == ["strict"]


# Timeouts and limits


def test_isolated_code_past_its_timeout_is_killed_and_its_slot_is_free(room: Room, serve: Serve) -> None:
    serve(Spin, Mark)

    job = room.submit(Spin())
    behind = room.submit(Mark())
    (pid,) = eventually(isolated)

    assert error_of(job)["type"] == "JobTimeout"
    assert behind.result(timeout=10) == "mark"
    assert not is_running(pid)


def isolated() -> list[int]:
    """The processes that run isolated jobs of workers in this process."""
    return [
        child.pid for child in psutil.Process().children() if "workroom.client.isolated" in cmdline(child)
    ]


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_thread_past_its_timeout_is_told_and_holds_its_slot_until_it_stops(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Deaf, Mark)

    job = room.submit(Deaf(diary=str(diary), gate=str(gate)))
    behind = room.submit(Mark())

    assert error_of(job)["type"] == "JobTimeout"
    eventually(lambda: notes(diary) == ["told"])
    assert waits_for(behind, "workers_busy")
    version = job.refresh()["version"]
    gate.touch()
    assert behind.result(timeout=10) == "mark"
    assert job.refresh()["version"] == version


def test_too_much_memory_ends_the_job_and_not_the_worker(room: Room, serve: Serve) -> None:
    serve(Glutton, Mark)

    assert error_of(room.submit(Glutton()))["type"] == "MemoryError"
    assert room.submit(Mark()).result(timeout=10) == "mark"


def test_too_much_cpu_ends_the_job_and_not_the_worker(room: Room, serve: Serve) -> None:
    serve(Burner, Mark)

    error = error_of(room.submit(Burner()))

    assert error["type"] == "ProcessDied"
    assert "SIGXCPU" in error["message"]
    assert "CPU 1 s" in error["message"]
    assert room.submit(Mark()).result(timeout=10) == "mark"


# Isolation


def test_an_isolated_job_has_progress_and_a_result(room: Room, serve: Serve) -> None:
    serve(Apart)

    job = room.submit(Apart())

    result = job.result(timeout=20)
    assert result["pid"] != result["parent"] == psutil.Process().pid
    assert job.document["progress"]["fraction"] == 1.0
    assert job.document["progress"]["message"] == "all of it"


def test_an_isolated_job_that_raises_brings_its_stack_trace(room: Room, serve: Serve) -> None:
    serve(ApartBreak)

    error = error_of(room.submit(ApartBreak()))

    assert (error["type"], error["message"]) == ("ValueError", "broken apart")
    assert error["details"] == {"part": "'gear'"}
    assert "reliable.py" in error["stack_trace"]
    assert "runtime" not in error["stack_trace"]


def test_cancelling_an_isolated_job_kills_it_and_its_children(room: Room, serve: Serve, diary: Path) -> None:
    serve(Parent, Mark)
    job = room.submit(Parent(diary=str(diary)))
    eventually(lambda: len(notes(diary)) == 2)
    pids = [int(pid) for pid in notes(diary)]
    assert all(is_running(pid) for pid in pids)

    job.cancel()

    assert job.status == "cancelled"
    eventually(lambda: not any(is_running(pid) for pid in pids), 5, "the processes being gone")
    assert room.submit(Mark()).result(timeout=10) == "mark"


def test_an_isolated_job_that_dies_ends_even_if_its_children_live(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Orphaner)
    job = room.submit(Orphaner(diary=str(diary)))
    try:
        assert error_of(job, 8)["type"] == "ProcessDied"
    finally:
        end(diary)


def test_an_isolated_job_dies_with_its_worker(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path
) -> None:
    worker = start_worker(server, "reliable:Parent", room=room.name)
    room.submit(Parent(diary=str(diary)))
    eventually(lambda: len(notes(diary)) == 2)

    worker.kill()

    try:
        eventually(lambda: not is_running(int(notes(diary)[0])), 5, "the process being gone")
    finally:
        end(diary)


def end(diary: Path) -> None:
    """Leave nothing behind."""
    for pid in map(int, notes(diary)):
        if is_running(pid):
            psutil.Process(pid).kill()


def test_a_class_of_a_script_can_be_isolated(
    server: ServerProcess, room: Room, ada: httpx.Client, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(room=room.name, url=server.url))
    worker = Process([sys.executable, str(script)], {}, tmp_path / "script.log", None)
    try:
        serves(room, "Here")
        job = room.submit_named("analysis", "Here", {"n": 3})
        n, module, pid = job.result(timeout=20)
    finally:
        worker.close()
    assert (n, module) == (3, "__workroom__")
    assert pid != worker.pid


# Cancel


def test_a_pending_job_that_is_cancelled_never_runs(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Hold, Mark)
    first = room.submit(Hold(gate=str(gate)))
    job, last = room.submit(Mark(diary=str(diary), word="no")), room.submit(Mark(diary=str(diary)))
    becomes(first, "running")

    job.cancel()
    gate.touch()

    with pytest.raises(JobCancelled):
        job.result(timeout=10)
    assert last.result(timeout=10) == "mark"
    assert notes(diary) == ["mark"]


def test_an_assigned_job_that_is_cancelled_cannot_start(
    server: ServerProcess, room: Room, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(server, room=room.name)
    job = room.submit_named("analysis", "Puppet", {})
    item = puppet.take()
    assert job.status == "assigned"

    job.cancel()

    assert puppet.cancelled.get(timeout=5)["job_id"] == job.id
    assert puppet.start(item)["code"] == "stale_attempt"
    assert [step["status"] for step in job.history()] == ["pending", "assigned", "cancelled"]


def test_a_running_job_that_is_cancelled_is_told_and_frees_its_slot(
    room: Room, serve: Serve, gate: Path
) -> None:
    serve(Hold, Mark)
    job = room.submit(Hold(gate=str(gate)))
    becomes(job, "running")

    job.cancel()

    assert job.status == "cancelled"
    assert room.submit(Mark()).result(timeout=10) == "mark"
    assert job.refresh()["status"] == "cancelled"


# Who runs next


def test_concurrency_keys_limit_each_provider_and_block_no_other(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Paint, slots=8)
    wanted = ["midjourney"] * 3 + ["leonardo"] * 5 + ["other"] * 2
    jobs = [room.submit(Paint(provider=each, gate=str(gate), diary=str(diary))) for each in wanted]

    eventually(lambda: len(notes(diary)) == 5)
    running = Counter(job.document["data"]["provider"] for job in jobs if job.status == "running")
    assert running == {"midjourney": 1, "leonardo": 3, "other": 1}
    reason = waits_for(jobs[1], "concurrency")
    assert (reason["key"], reason["job"]) == ("midjourney", jobs[0].id)

    gate.touch()
    for job in jobs:
        job.result(timeout=10)
    assert most_at_once(notes(diary)) == {"midjourney": 1, "leonardo": 3, "other": 1}


def most_at_once(lines: list[str]) -> dict[str, int]:
    now: Counter[str] = Counter()
    most: dict[str, int] = {}
    for sign, provider in map(str.split, lines):
        now[provider] += 1 if sign == "+" else -1
        most[provider] = max(most.get(provider, 0), now[provider])
    return most


def test_the_more_urgent_job_goes_first(room: Room, serve: Serve, diary: Path, gate: Path) -> None:
    serve(Hold, Mark)
    becomes(room.submit(Hold(gate=str(gate))), "running")
    order = [0, 5, 10, 5]
    jobs = [room.submit(Mark(diary=str(diary), word=f"{each}"), priority=each) for each in order]
    assert [job.refresh()["queue_position"] for job in jobs] == [3, 1, 0, 2]

    gate.touch()

    for job in jobs:
        job.result(timeout=10)
    assert notes(diary) == ["10", "5", "5", "0"]


def test_two_users_share_a_worker_however_much_one_of_them_submits(
    server: ServerProcess, room: Room, serve: Serve, open_room: OpenRoom, diary: Path, gate: Path
) -> None:
    serve(Hold, Mark)
    becomes(room.submit(Hold(gate=str(gate))), "running")
    eve, bob = (open_room(server, room.name, user=f"{user}-{room.name}") for user in ("eve", "bob"))
    jobs = eve.submit_many([Mark(diary=str(diary), word="eve") for _ in range(6)])
    jobs += bob.submit_many([Mark(diary=str(diary), word="bob") for _ in range(2)])

    gate.touch()

    for job in jobs:
        job.result(timeout=10)
    assert notes(diary) == ["eve", "bob"] * 2 + ["eve"] * 4


# Why it waits, and what operators do


def test_a_paused_extension_keeps_its_jobs_until_it_is_resumed(
    room: Room, ada: httpx.Client, login: Log, serve: Serve
) -> None:
    serve(Mark)
    path = f"/api/rooms/{room.name}/extensions/room/analysis/Mark"
    assert login("mallory").post(f"{path}/pause").status_code == 403
    assert ada.post(f"{path}/pause").json()["paused"] is True

    job = room.submit(Mark())
    assert waits_for(job, "paused")

    assert ada.post(f"{path}/resume").json()["paused"] is False
    assert job.result(timeout=10) == "mark"


def test_a_drained_worker_finishes_what_it_has_and_gets_nothing_more(
    room: Room, login: Log, serve: Serve, gate: Path
) -> None:
    serve(Hold, Mark, slots=2)
    running = room.submit(Hold(gate=str(gate)))
    becomes(running, "running")
    (worker,) = room.workers()
    http = login("worker")
    assert http.post(f"/api/workers/{worker['id']}/drain").status_code == 200

    job = room.submit(Mark())
    gate.touch()
    running.result(timeout=10)
    assert job.status == "pending"

    http.post(f"/api/workers/{worker['id']}/drain", params={"draining": False}).raise_for_status()
    assert job.result(timeout=10) == "mark"


def test_a_job_that_nobody_can_run_says_so(room: Room) -> None:
    assert waits_for(room.submit(Echo()), "no_worker") == {
        "code": "no_worker",
        "key": None,
        "job": None,
        "until": None,
    }


def test_a_job_behind_others_says_when_it_will_begin(room: Room, serve: Serve, gate: Path) -> None:
    serve(Hold)
    gate.touch()
    room.submit(Hold(gate=str(gate))).result(timeout=10)
    gate.unlink()
    becomes(room.submit(Hold(gate=str(gate))), "running")

    first, second = (room.submit(Hold(gate=str(gate))) for _ in range(2))

    assert waits_for(first, "workers_busy")
    assert (first.document["queue_position"], second.refresh()["queue_position"]) == (0, 1)
    assert second.document["eta_ms"] > first.document["eta_ms"] > 0


def test_after_five_failures_the_circuit_is_open(room: Room, serve: Serve) -> None:
    serve(Faulty)
    for _ in range(5):
        assert error_of(room.submit(Faulty()))["type"] == "ValueError"

    reason = waits_for(room.submit(Faulty()), "circuit_open")

    assert reason["until"] > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    assert [each["circuit_open"] for each in room.extensions() if each["name"] == "Faulty"] == [True]


# Submitting


def test_failed_jobs_are_listed_and_replayed_as_new_jobs_that_point_back(
    room: Room, ada: httpx.Client, serve: Serve, tmp_path: Path
) -> None:
    serve(Flaky, slots=2)
    diaries = [tmp_path / "first", tmp_path / "second"]
    failed = [room.submit(Flaky(diary=str(each), failures=2)) for each in diaries]
    for job in failed:
        error_of(job)
    listed = ada.get(f"/api/rooms/{room.name}/jobs", params={"status": "failed"}).json()["items"]
    assert [(job["id"], job["tries"]) for job in listed] == [(job.id, 2) for job in reversed(failed)]

    answer = ada.post(f"/api/jobs/{failed[0].id}/retry")
    assert answer.status_code == 202
    assert answer.json()["retry_of"] == failed[0].id
    assert room.job(answer.json()["id"]).result(timeout=10) == 3

    answer = ada.post(f"/api/rooms/{room.name}/jobs/retry", params={"extension": "analysis/Flaky"})
    assert answer.status_code == 202
    replayed = [entry["job"] for entry in answer.json()["items"]]
    assert [job["retry_of"] for job in replayed] == [failed[1].id]
    assert [room.job(job["id"]).result(timeout=10) for job in replayed] == [3]
    assert [room.job(job.id).status for job in failed] == ["failed", "failed"]


def test_an_unfinished_job_cannot_be_replayed(room: Room, ada: httpx.Client) -> None:
    job = room.submit(Echo())

    answer = ada.post(f"/api/jobs/{job.id}/retry")

    assert (answer.status_code, answer.json()["code"]) == (409, "illegal_transition")


def test_a_submit_that_is_sent_again_is_the_same_job(room: Room, ada: httpx.Client, login: Log) -> None:
    headers = {"Idempotency-Key": f"key of {room.name}"}
    first = submit(ada, room.name, Echo(text="a"), headers=headers)
    again = submit(ada, room.name, Echo(text="a"), headers=headers)
    other = submit(ada, room.name, Echo(text="b"), headers=headers)
    somebody = submit(login("bob"), room.name, Echo(text="a"), headers=headers)

    assert (first.status_code, again.status_code, somebody.status_code) == (202, 202, 202)
    assert again.json()["id"] == first.json()["id"] != somebody.json()["id"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_conflict")
    assert len(room.jobs()) == 2


def test_a_submit_may_wait_for_the_end(room: Room, ada: httpx.Client, serve: Serve, gate: Path) -> None:
    serve(Mark, Hold)

    done = submit(ada, room.name, Mark(), params={"wait": 10})
    assert (done.status_code, done.json()["status"], done.json()["result"]) == (200, "completed", "mark")

    late = submit(ada, room.name, Hold(gate=str(gate)), params={"wait": 0.3})
    assert (late.status_code, late.json()["status"]) == (202, "running")


# Workers and servers that stop


def test_a_worker_beats_from_the_start_as_often_as_the_server_asks(room: Room, serve: Serve) -> None:
    serve(Nap)

    assert room.submit(Nap(seconds=1.3 * HASTE["lease"])).result(timeout=20) == "rested"


def test_a_stopped_worker_that_comes_back_cannot_finish_its_old_attempt(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path, gate: Path
) -> None:
    names = ["reliable:TwiceHold", "reliable:Mark"]
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


def test_a_server_that_is_asked_to_stop_is_not_ready_and_its_next_start_loses_no_worker(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker, gate: Path, diary: Path
) -> None:
    server = start_server("samples:Nap", workers=1, **{**HASTE, "lease": 30, "grace": 10})
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    room = open_room(server)
    start_worker(server, "reliable:Hold")
    remote = room.submit(Hold(gate=str(gate), diary=str(diary)))
    local = room.submit(Nap(seconds=2))
    becomes(remote, "running")
    becomes(local, "running")

    server.process.signal(signal.SIGTERM)
    eventually(lambda: httpx.get(f"{server.url}/readyz").status_code == 503, 2, "the server not being ready")
    server.process.child.wait(30)
    server.restart()
    gate.touch()

    assert remote.result(timeout=20)
    assert local.result(timeout=20) == "rested"
    assert len(notes(diary)) == 1
    assert [job["status"] for job in room.jobs()] == ["completed", "completed"]
