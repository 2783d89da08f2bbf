"""Workers die, freeze and come back."""

from __future__ import annotations

import signal

import pytest

from support.chaos.proxy import FaultProxy
from support.chaos.stage import FROZEN, PATIENCE, Stage, is_serving
from workroom.testing.processes import Process, eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

KILLED_WHILE_RUNNING = "worker killed while running"
KILLED_WHILE_ASSIGNED = "worker killed while assigned"
REFUSED = "old attempt refused"
REPLACED = "worker told of a newer process"
REFUSALS = (b"stale_attempt", b'"drop":[{', b"worker_not_found")


def test_kill_9_of_a_worker_while_it_runs_fails_the_default_and_retries_the_stubborn(stage: Stage) -> None:
    stage.open()
    victim = stage.worker(slots=3)
    lost, tried_again = [], []
    for _ in range(2):
        jobs = [stage.submit("Plain", seconds=60), stage.submit("Stubborn", seconds=60)]
        jobs.append(stage.submit("Keyed", "media", seconds=60))
        assert {stage.wait_for_begin(job) for job in jobs} == {victim.pid}
        heir = stage.worker(slots=3)
        stage.kill(victim, KILLED_WHILE_RUNNING)
        lost.append(stage.wait_for_end(jobs[0]))
        tried_again += [stage.wait_for_end(job) for job in jobs[1:]]
        victim = heir

    history = stage.verdict({KILLED_WHILE_RUNNING: 2})
    assert {job["error"]["type"] for job in lost} == {"WorkerLost"}
    assert {job["status"] for job in tried_again} == {"completed"}
    assert {len(history.runs_of(job["id"])) for job in tried_again} == {2}


def test_a_job_that_kills_each_worker_stops_after_its_tries_while_others_proceed(stage: Stage) -> None:
    stage.open()
    workers = {worker.pid: worker for worker in stage.workers(*[None] * 4)}
    poison = stage.submit("Stubborn", seconds=60, again=60)
    for _ in range(3):
        attempt = stage.wait_for(poison, "running")["attempt"]
        victim = workers.pop(stage.wait_for_begin(poison, attempt))
        stage.kill(victim, KILLED_WHILE_RUNNING)
        stage.wait_for(poison, "pending", "failed")
    bystander = stage.submit("Plain")
    assert stage.wait_for_end(bystander)["status"] == "completed"

    history = stage.verdict({KILLED_WHILE_RUNNING: 3})
    assert history.jobs[poison]["error"]["type"] == "MaxRetriesExceeded"
    assert len(history.runs_of(poison)) == 3


def test_kill_9_of_a_worker_that_was_only_assigned_costs_no_try(stage: Stage) -> None:
    stage.open({"lease": 4})
    victim = stage.worker()
    jobs = []
    for _ in range(2):
        stage.freeze(victim)
        job = stage.submit("Plain")
        assert stage.wait_for(job, "assigned")["worker"] == _id_of(stage, victim)
        stage.kill(victim, KILLED_WHILE_ASSIGNED)
        victim = stage.worker()
        assert stage.wait_for_end(job)["status"] == "completed"
        jobs.append(job)

    history = stage.verdict({FROZEN: 2, KILLED_WHILE_ASSIGNED: 2})
    for job in jobs:
        assert history.jobs[job]["tries"] == 1
        assert history.jobs[job]["attempt"] > 1
        assert len(history.runs_of(job)) == 1


def test_a_worker_stopped_past_its_lease_cannot_finish_its_old_attempt(stage: Stage) -> None:
    stage.open()
    proxy = stage.proxy(*REFUSALS)
    workers = {worker.pid: worker for worker in stage.workers(proxy.url, proxy.url)}
    for _ in range(2):
        refusals = _refusals(proxy)
        job = stage.submit("Stubborn", seconds=2, again=0.02, deaf=True)
        sleeper = workers[stage.wait_for_begin(job)]
        stage.freeze(sleeper)
        ended = stage.wait_for_end(job)
        sleeper.signal(signal.SIGCONT)
        _wait_for_both_ends(stage, job)
        _wait_for_more(proxy, refusals)
        stage.journal.witness(REFUSED)
        assert stage.wait_for_end(stage.submit("Stubborn"))["status"] == "completed"
        assert stage.job(job) == ended, "the old attempt changed a job that had ended"
        assert (ended["status"], ended["result"]) == ("completed", 2)

    stage.verdict({FROZEN: 2, REFUSED: 2})


def test_a_fenced_attempt_gets_409_for_every_report_and_changes_nothing(stage: Stage) -> None:
    stage.open()
    silent = stage.scripted()
    job = stage.submit("Scripted")
    item = silent.take()
    assert silent.start(item) is None
    before = stage.wait_for(job, "failed")
    steps = stage.steps(job)

    fence = {"worker_id": silent.worker_id, "attempt": item["attempt"], "token": item["token"]}
    for status in ("completed", "failed", "cancelled", "running"):
        answer = silent.http.put(f"/api/jobs/{job}/status", json={**fence, "status": status})
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_attempt")
        stage.journal.witness(REFUSED)
    answer = silent.http.put(f"/api/jobs/{job}/progress", json={**fence, "fraction": 0.5})
    assert answer.status_code == 409
    assert silent.finish(item)["code"] == "stale_attempt"
    assert (stage.job(job), stage.steps(job)) == (before, steps)
    assert before["error"]["type"] == "WorkerLost"

    stage.verdict({REFUSED: 4})


def test_of_two_processes_with_one_worker_id_the_older_is_notified_and_exits(stage: Stage) -> None:
    stage.open()
    older = stage.script("twin", "twin-0123456789")
    is_serving(older)
    job = stage.submit("Stubborn", seconds=60)
    assert stage.wait_for_begin(job) == older.pid
    newer = stage.script("twin", "twin-0123456789")

    eventually(lambda: not older.is_alive, PATIENCE, "the older process leaving")
    stage.journal.write("died", dead=older.pid)
    assert "StaleSession" in older.log.read_text()
    stage.journal.witness(REPLACED)
    for each in (job, stage.submit("Plain")):
        assert stage.wait_for_end(each)["status"] == "completed"
    assert newer.is_alive

    stage.verdict({REPLACED: 1})


def _wait_for_both_ends(stage: Stage, job: str) -> None:
    eventually(lambda: len(stage.seen("end", job)) == 2, PATIENCE, "the end of the old attempt")


def _wait_for_more(proxy: FaultProxy, refusals: int) -> None:
    eventually(lambda: _refusals(proxy) > refusals, PATIENCE, "the old attempt being refused")


def _refusals(proxy: FaultProxy) -> int:
    return sum(proxy.seen[word.decode()] for word in REFUSALS)


def _id_of(stage: Stage, process: Process) -> str:
    return next(str(each["id"]) for each in stage.fleet() if each["machine"].get("pid") == process.pid)
