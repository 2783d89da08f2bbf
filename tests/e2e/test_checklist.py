"""The checklist of the push system: who gets which job, and what happens when a worker goes away."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.extensions.samples import AsyncNap, Echo, Nap
from support.scripted_worker import MakeScriptedWorker
from workroom import JobFailed, Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import eventually


def statuses(room: Room) -> Counter[str]:
    return Counter(job["status"] for job in room.jobs(limit=500))


def test_a_job_without_a_worker_stays_pending_and_is_assigned_when_one_registers(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server()
    room = open_room(server)
    first = start_worker(server, "support.extensions.samples:Nap")
    running = room.submit(Nap(seconds=30))
    waiting = room.submit(Nap(seconds=0.01))
    eventually(lambda: running.status == "running")
    first.kill()
    assert waiting.status == "pending"

    start_worker(server, "support.extensions.samples:Nap")

    assert waiting.result(timeout=10) == "rested"


def test_an_extension_of_the_server_takes_jobs_without_any_worker(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server("support.extensions.samples:Echo", workers=0)
    job = open_room(server).submit(Echo())

    assert job.status == "pending"
    assert job.document["queue_position"] == 0


def test_a_worker_that_finishes_gets_the_next_job_at_once(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server()
    start_worker(server, "support.extensions.samples:Nap")
    jobs = [open_room(server).submit(Nap(seconds=0.05)) for _ in range(5)]

    assert [job.result(timeout=10) for job in jobs] == ["rested"] * 5
    ends = [job.document["completed_at"] for job in jobs]
    assert ends == sorted(ends)


def test_a_worker_lost_while_assigned_gives_its_job_back(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    server = start_server(grace=0.5, sweep=0.1)
    room = open_room(server)
    lost, other = make_scripted_worker(server), make_scripted_worker(server)
    job = room.submit_named("analysis", "Scripted", {})
    holder = (
        lost
        if eventually(lambda: lost.assigned.qsize() + other.assigned.qsize()) and lost.assigned.qsize()
        else other
    )
    heir = other if holder is lost else lost
    first = holder.take()

    holder.drop()

    second = heir.take()
    assert (second["job_id"], second["attempt"]) == (job.id, 2)
    assert second["token"] != first["token"]
    told = ["pending", "assigned", "pending", "assigned"]  # a push may leave before its commit
    eventually(
        lambda: [step["status"] for step in job.history()] == told, what="the second assignment on record"
    )


def test_a_worker_lost_while_running_fails_its_job_after_the_grace(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    server = start_server(grace=0.5, sweep=0.1)
    scripted = make_scripted_worker(server)
    job = open_room(server).submit_named("analysis", "Scripted", {})
    assert scripted.start(scripted.take()) is None

    scripted.drop()

    with pytest.raises(JobFailed, match="WorkerLost"):
        job.result(timeout=10)


def test_a_blip_of_the_socket_within_the_grace_kills_no_healthy_worker(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    server = start_server(grace=30, sweep=0.1)
    scripted = make_scripted_worker(server)
    job = open_room(server).submit_named("analysis", "Scripted", {})
    item = scripted.take()
    assert scripted.start(item) is None
    scripted.drop()

    scripted.reconnect()
    hold = {"job_id": item["job_id"], "attempt": item["attempt"], "token": item["token"], "phase": "begun"}
    assert scripted.hello(holds=[hold], seen=item["number"])["drop"] == []

    assert scripted.finish(item, result=7) is None
    assert job.result(timeout=10) == 7


def test_thirty_jobs_over_three_equal_workers_are_ten_each(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    """The workers are scripted, so that they are equal on a busy machine too: each round, all of them end."""
    server = start_server()
    scripted_workers = [make_scripted_worker(server) for _ in range(3)]
    room = open_room(server)
    jobs = [room.submit_named("analysis", "Scripted", {"n": n}) for n in range(30)]

    done: Counter[str] = Counter()
    for _ in range(10):
        for scripted, item in [(scripted, scripted.take()) for scripted in scripted_workers]:
            assert scripted.start(item) is None
            assert scripted.finish(item, run_ms=100) is None
            done[scripted.worker_id] += 1

    assert sorted(done.values()) == [10, 10, 10]
    assert {job.status for job in jobs} == {"completed"}


def test_ten_workers_and_one_job_means_one_execution(
    start_server: StartServer, open_room: OpenRoom, make_scripted_worker: MakeScriptedWorker
) -> None:
    server = start_server()
    scripted_workers = [make_scripted_worker(server) for _ in range(10)]

    job = open_room(server).submit_named("analysis", "Scripted", {})

    eventually(lambda: sum(scripted.assigned.qsize() for scripted in scripted_workers))
    (holder,) = [scripted for scripted in scripted_workers if scripted.assigned.qsize()]
    item = holder.take()
    assert holder.start(item) is None
    assert holder.finish(item, result=1) is None
    assert job.result(timeout=10) == 1
    assert sum(scripted.assigned.qsize() for scripted in scripted_workers) == 0


def test_a_worker_with_two_categories_drains_both(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server()
    start_worker(server, "support.extensions.samples:Nap", "support.extensions.samples:AsyncNap")
    room = open_room(server)

    jobs = [room.submit(kind(seconds=0.02)) for _ in range(6) for kind in (Nap, AsyncNap)]

    assert {job.result(timeout=20) for job in jobs} == {"rested"}


def test_a_hundred_concurrent_submits_are_all_listed_with_positions_that_shrink(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server("support.extensions.samples:Echo", workers=0)
    room = open_room(server)
    with ThreadPoolExecutor(20) as pool:
        submitted = {job.id for job in pool.map(lambda _: room.submit(Echo()), range(100))}

    listed = room.jobs(limit=500)
    assert {job["id"] for job in listed} == submitted
    assert sorted(job["queue_position"] for job in listed) == list(range(100))
    room.job(next(job["id"] for job in listed if job["queue_position"] == 0)).cancel()

    left = [job["queue_position"] for job in room.jobs(limit=500, status="pending")]
    assert sorted(left) == list(range(99))


def test_a_local_worker_that_dies_is_started_again(start_server: StartServer, open_room: OpenRoom) -> None:
    server = start_server(
        "support.extensions.samples:Echo", "support.extensions.samples:Die", workers=1, grace=1, sweep=0.2
    )
    room = open_room(server)
    assert room.submit(Echo(text="a")).result(timeout=20) == {"text": "a", "point": None}

    dead = room.submit_named("analysis", "Die", {})

    assert room.submit(Echo(text="b")).result(timeout=30) == {"text": "b", "point": None}
    with pytest.raises(JobFailed, match="WorkerLost"):
        dead.result(timeout=30)


def test_extensions_may_leave_with_their_last_worker_but_their_history_stays(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server(extension_linger=0)
    room = open_room(server)
    worker = start_worker(server, "support.extensions.samples:Echo")
    job = room.submit(Echo())
    job.result(timeout=10)

    assert worker.stop() == 0

    assert room.extensions() == []
    assert [each["id"] for each in room.jobs()] == [job.id]
