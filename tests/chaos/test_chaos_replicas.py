"""Three servers on one Valkey: each of them, Valkey, the links between them and the workers fail."""

from __future__ import annotations

import time

import httpx
import pytest

from support.chaos.proxy import HELD_BACK
from support.chaos.replica_stage import SERVER_FROZEN, VALKEY_KILLED, ReplicaStage
from support.chaos.stage import CALM, LOSSES, PATIENCE, SERVER_KILLED, errors
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

WORKER_KILLED = "worker killed"
SUBMIT_REFUSED = "submit refused in time"
SATURATED = "key saturated"
RESUMED = "everything resumed in time"
OUTAGE_SECONDS = 10
REFUSAL_SECONDS = 2.5  # 2 by the contract; the rest is this machine's
RESUME_SECONDS = 20
DEFAULTS = {"heartbeat": 5, "lease": 30, "grace": 10, "sweep": 1, "start": 15, "ack": 5}
STEADY = {"heartbeat": 0.5, "lease": 12, "grace": 12, "start": 12}


def test_kill_9_of_each_server_in_turn_moves_its_workers_and_fails_no_job(replicas: ReplicaStage) -> None:
    replicas.open_replicas(CALM)
    workers = replicas.workers(None, None, None, slots=2)
    replicas.client()
    for server in replicas.servers:
        replicas.after_promises(5, 40)
        replicas.kill_one(server)
        _wait_until_all_are_seated(replicas, workers)
        replicas.after_promises(5, 20)
        server.restart()

    history = replicas.verdict({SERVER_KILLED: 3})
    assert history.count("unanswered"), "no client noticed"
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "a killed server must not fail a job of a healthy worker"


def test_what_runs_outlives_the_server_that_gave_it_out(replicas: ReplicaStage) -> None:
    """Nobody restarts it: the worker reports at another one."""
    replicas.open_replicas(CALM)
    worker = replicas.worker(slots=2)
    jobs = [replicas.submit("Plain", seconds=3), replicas.submit("Stubborn", seconds=3)]
    for job in jobs:
        replicas.wait_for_begin(job)
    replicas.kill_one(replicas.servers[0])
    ended = [replicas.wait_for_end(job) for job in jobs]

    history = replicas.verdict({SERVER_KILLED: 1})
    assert {(job["status"], job["attempt"]) for job in ended} == {("completed", 1)}
    assert {len(history.runs_of(job)) for job in jobs} == {1}
    assert worker.is_alive


def test_kill_9_of_valkey_loses_no_promise_and_no_worker(replicas: ReplicaStage) -> None:
    """It writes to disk before it answers, and reads that when it is back."""
    replicas.open_replicas(CALM)
    workers = replicas.workers(None, None, None, slots=2)
    replicas.client()
    for _ in range(3):
        replicas.after_promises(5, 40)
        with replicas.without_valkey():
            replicas.after_refusals(1)
        replicas.after_promises(1, 5)

    history = replicas.verdict({VALKEY_KILLED: 3})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "an outage of the store must not fail a job of a healthy worker"


def test_a_server_that_stands_still_loses_its_workers_to_others_and_no_job(replicas: ReplicaStage) -> None:
    replicas.open_replicas(STEADY)
    workers = replicas.workers(None, None, None, slots=2)
    replicas.client()
    for server in replicas.servers[1:]:
        replicas.after_promises(5, 30)
        running = [replicas.submit("Plain", seconds=2) for _ in workers]
        with replicas.frozen(server):
            for job in running:
                assert replicas.wait_for_end(job)["status"] == "completed"
            replicas.after_promises(5, 20)

    history = replicas.verdict({SERVER_FROZEN: 2})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "a server that stands still must not fail a job of a healthy worker"


def test_10_seconds_without_redis_are_reported_at_once_and_fail_no_job(replicas: ReplicaStage) -> None:
    """The links swallow everything and are not cut, as a network that drops packets."""
    replicas.open_replicas(DEFAULTS)
    workers = replicas.workers(None, None, None, slots=2)
    running = [replicas.submit("Plain", seconds=OUTAGE_SECONDS / 2) for _ in workers]
    for job in running:
        replicas.wait_for_begin(job)
    began = time.monotonic()
    for link in replicas.links:
        link.hold()
    for server in replicas.servers:
        _is_refused_in_time(replicas, server)
    eventually(lambda: time.monotonic() - began > OUTAGE_SECONDS, PATIENCE, "the end of the outage")
    for link in replicas.links:
        link.heal()
    _resumes_in_time(replicas, running)

    history = replicas.verdict({HELD_BACK: 3, SUBMIT_REFUSED: 3, RESUMED: 1})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "an outage of the store must not fail a job of a healthy worker"
    assert {len(history.runs_of(job)) for job in running} == {1}


def test_a_server_that_alone_has_lost_redis_loses_its_workers_and_no_job(replicas: ReplicaStage) -> None:
    """For longer than a lease: the others, who have it, would give its workers up."""
    replicas.open_replicas(STEADY)
    workers = replicas.workers(None, None, None, slots=2)
    replicas.client()
    victim = replicas.servers[2]
    replicas.after_promises(5, 30)
    running = [replicas.submit("Plain", seconds=2 * STEADY["lease"]) for _ in workers]
    for job in running:
        replicas.wait_for_begin(job)
    replicas.link_of(victim).hold()
    for job in running:
        document = replicas.wait_for_end(job)
        assert (document["status"], document["attempt"]) == ("completed", 1), document["error"]
    replicas.link_of(victim).heal()

    history = replicas.verdict({HELD_BACK: 1})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs)
    assert "Traceback" not in victim.log


def test_kill_9_of_workers_of_several_servers_fails_the_default_and_retries_the_stubborn(
    replicas: ReplicaStage,
) -> None:
    replicas.open_replicas({"lease": 3})
    for _ in replicas.servers:
        victim = replicas.worker(slots=2)
        jobs = [replicas.submit("Plain", seconds=60), replicas.submit("Stubborn", seconds=60)]
        assert {replicas.wait_for_begin(job) for job in jobs} == {victim.pid}
        replicas.kill(victim, WORKER_KILLED)
        heir = replicas.worker(slots=2)
        lost, again = (replicas.wait_for_end(job) for job in jobs)
        assert (lost["error"]["type"], again["status"]) == ("WorkerLost", "completed")
        assert heir.stop() == 0

    replicas.verdict({WORKER_KILLED: 3})


def test_limits_hold_at_every_instant_with_four_dispatchers_that_crash(replicas: ReplicaStage) -> None:
    """A server and a worker die while a key has all its places taken and more jobs wait for them."""
    replicas.open_replicas({"lease": 3}, servers=4)
    workers = replicas.workers(*[None] * 4, slots=3)
    replicas.client()
    for number, server in enumerate(replicas.servers):
        _saturate(replicas, "leonardo", limit=3)
        replicas.kill_one(server)
        replicas.kill(workers[number], WORKER_KILLED)
        replicas.after_promises(20, 40)
        server.restart()
        workers[number] = replicas.worker(slots=3)

    history = replicas.verdict({SERVER_KILLED: 4, WORKER_KILLED: 4, SATURATED: 4})
    assert not errors(history.jobs, besides=LOSSES)
    assert len({run.pid for run in history.executions if run.key}) > len(replicas.servers), "all took part"


def _saturate(replicas: ReplicaStage, provider: str, limit: int) -> None:
    """As many run as may, and as many again wait."""
    jobs = [replicas.submit("Keyed", "media", provider=provider, seconds=1) for _ in range(2 * limit)]

    def running() -> int:
        return sum(bool(replicas.seen("begin", job)) > bool(replicas.seen("end", job)) for job in jobs)

    eventually(lambda: running() == limit, PATIENCE, f"{limit} jobs of {provider} running")
    replicas.journal.witness(SATURATED)


def _is_refused_in_time(replicas: ReplicaStage, server: ServerProcess) -> None:
    before = time.monotonic()
    answer = httpx.post(
        f"{server.url}/api/rooms/demo/extensions/analysis/Plain/submit",
        headers={"Authorization": replicas.http.headers["Authorization"]},
        json={"data": {}},
        timeout=PATIENCE,
    )
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert time.monotonic() - before < REFUSAL_SECONDS
    replicas.journal.witness(SUBMIT_REFUSED)


def _resumes_in_time(replicas: ReplicaStage, running: list[str]) -> None:
    began = time.monotonic()
    for job in running:
        assert replicas.wait_for_end(job)["status"] == "completed"
    for _ in replicas.servers:
        assert replicas.wait_for_end(replicas.submit("Plain"))["status"] == "completed"
    assert time.monotonic() - began < RESUME_SECONDS
    replicas.journal.witness(RESUMED)


def _wait_until_all_are_seated(replicas: ReplicaStage, workers: list[WorkerProcess]) -> None:
    """Each completes something at whichever server it is now."""
    pids = {worker.pid for worker in workers}

    def online() -> set[int]:
        return {each["machine"]["pid"] for each in replicas.fleet() if each["state"] != "offline"}

    eventually(lambda: pids <= online(), PATIENCE, "all workers being online")
