"""Processes die, freeze and come back."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from chaos.checker import check
from chaos.stage import Stage
from workroom.testing.processes import eventually

SHORT_AND_LONG = [2, pytest.param(25, marks=[pytest.mark.full, pytest.mark.timeout(900)])]
NEVER = "65535"  # the most that strace counts to
CALM = {"lease": 6, "grace": 6}  # a restart takes a second: healthy workers must live through it


@pytest.mark.parametrize("kills", SHORT_AND_LONG)
def test_kill_9_of_the_server_at_random_moments_loses_no_promise_and_no_worker(
    stage: Stage, kills: int
) -> None:
    stage.open(**CALM)
    workers = [stage.worker(slots=2) for _ in range(2)]
    for _ in range(2):
        stage.client()
    for _ in range(kills):
        stage.after_promises(5, 80)
        stage.kill_server()
        stage.evidence["server killed"] += 1
        stage.server.restart()
    stage.after_promises(20, 40)

    history = stage.settle()
    stage.evidence["submits without an answer"] = history.count("unanswered")
    check(history, stage.evidence)
    assert all(worker.is_alive for worker in workers)
    assert not _errors(history.jobs), "a restart of the server must not fail a job of a healthy worker"


@pytest.mark.parametrize("kills", SHORT_AND_LONG)
def test_kill_9_of_the_server_inside_a_commit_loses_no_promise(
    stage: Stage, kills: int, tmp_path: Path
) -> None:
    """strace kills it as it enters its nth fdatasync: written, not yet promised."""
    number = tmp_path / "kill-at-commit"
    number.write_text(NEVER)
    inject = f"--inject=fdatasync:signal=SIGKILL:when=$(cat {number})"
    script = f'exec strace -D -f -qq -o /dev/null -e trace=fdatasync "{inject}" "$@"'
    stage.open(wrap=["sh", "-c", script, "sh"], **CALM)
    stage.worker(slots=2)
    stage.client()
    for _ in range(kills):
        number.write_text(str(stage.chance.randint(10, 60)))
        stage.server.restart()
        eventually(lambda: not stage.server.process.is_alive, what="the server being killed in a commit")
        stage.evidence["server killed in a commit"] += stage.server.process.child.returncode == -9
    number.write_text(NEVER)
    stage.server.restart()
    stage.after_promises(10, 20)

    history = stage.settle()
    stage.evidence["submits without an answer"] = history.count("unanswered")
    check(history, stage.evidence)
    assert stage.evidence["server killed in a commit"] == kills


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.full)])
def test_kill_9_of_a_worker_while_it_runs_fails_the_default_and_retries_the_stubborn(
    stage: Stage, rounds: int
) -> None:
    stage.open()
    lost, tried_again = [], []
    for _ in range(rounds):
        victim = stage.worker(slots=3)
        jobs = [stage.submit("Plain", seconds=60), stage.submit("Stubborn", seconds=60)]
        jobs.append(stage.submit("Keyed", "media", seconds=60))
        for job in jobs:
            stage.wait_for(job, "running")
        eventually(lambda pid=victim.pid: stage.has_begun(pid) == 3, what="three executions")
        stage.kill(victim)
        stage.evidence["worker killed while running"] += 1
        heir = stage.worker(slots=3)
        lost.append(stage.wait_for(jobs[0], "failed", "completed"))
        tried_again += [stage.wait_for(job, "failed", "completed") for job in jobs[1:]]
        assert heir.stop() == 0

    history = stage.settle()
    check(history, stage.evidence)
    assert {job["error"]["type"] for job in lost} == {"WorkerLost"}
    assert {job["status"] for job in tried_again} == {"completed"}
    assert {len(history.runs_of(job["id"])) for job in tried_again} == {2}


def test_a_job_whose_worker_died_goes_to_one_that_idles_as_soon_as_its_backoff_is_over(stage: Stage) -> None:
    stage.open()
    victim = stage.worker()
    job = stage.submit("Stubborn", seconds=60)
    stage.wait_for(job, "running")
    stage.worker()
    stage.kill(victim)
    stage.evidence["worker killed while running"] += 1
    stage.wait_for(job, "completed", "failed", seconds=10)
    check(stage.settle(), stage.evidence)


def test_a_job_that_kills_each_worker_stops_after_its_tries_while_others_proceed(stage: Stage) -> None:
    stage.open()
    poison = None
    for _ in range(3):
        victim = stage.worker()
        poison = poison or stage.submit("Stubborn", seconds=60, again=60)
        stage.wait_for(poison, "running")
        eventually(lambda pid=victim.pid: stage.has_begun(pid), what="the poison being taken")
        stage.kill(victim)
        stage.evidence["worker killed by the poison"] += 1
        stage.wait_for(poison, "pending", "failed")
    stage.worker()
    bystander = stage.submit("Plain")
    stage.wait_for(bystander, "completed")

    history = stage.settle()
    check(history, stage.evidence)
    assert history.jobs[poison]["error"]["type"] == "MaxRetriesExceeded"
    assert len(history.runs_of(poison)) == 3


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.full)])
def test_kill_9_of_a_worker_that_was_only_assigned_costs_no_try(stage: Stage, rounds: int) -> None:
    stage.open(lease=4)
    jobs = []
    for _ in range(rounds):
        victim = stage.worker()
        victim.signal(signal.SIGSTOP)
        jobs.append(stage.submit("Plain"))
        document = stage.wait_for(jobs[-1], "assigned")
        assert document["worker"] == _id_of(stage, victim.pid)
        stage.kill(victim)
        stage.evidence["worker killed while assigned"] += 1
        heir = stage.worker()
        stage.wait_for(jobs[-1], "completed")
        heir.stop()

    history = stage.settle()
    check(history, stage.evidence)
    for job in jobs:
        assert history.jobs[job]["tries"] == 1
        assert history.jobs[job]["attempt"] == 2
        assert len(history.runs_of(job)) == 1


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.full)])
def test_a_worker_stopped_past_its_lease_cannot_finish_its_old_attempt(stage: Stage, rounds: int) -> None:
    stage.open()
    proxy = stage.proxy(b"stale_attempt", b'"drop":[{', b"worker_not_found")
    for _ in range(rounds):
        sleeper = stage.worker(url=proxy.url)
        job = stage.submit("Stubborn", seconds=2, again=0.02, deaf=True)
        stage.wait_for(job, "running")
        sleeper.signal(signal.SIGSTOP)
        stage.wait_for(job, "pending")
        other = stage.worker()
        ended = stage.wait_for(job, "completed")
        sleeper.signal(signal.SIGCONT)
        eventually(lambda job=job: _ends(stage, job) == 2, what="the old attempt ending in its process")
        eventually(lambda: sum(proxy.seen[word] for word in REFUSALS) > 0, what="the old attempt refused")
        probe = stage.submit("Stubborn")
        stage.wait_for(probe, "completed")
        assert stage.job(job) == ended, "the old attempt changed a job that had ended"
        assert ended["result"] == 2
        stage.evidence["old attempt refused"] += sum(proxy.seen[word] for word in REFUSALS)
        for process in (sleeper, other):
            assert process.stop() == 0

    check(stage.settle(), stage.evidence)


REFUSALS = ("stale_attempt", '"drop":[{', "worker_not_found")


def test_a_fenced_attempt_gets_409_for_all_it_says_and_changes_nothing(stage: Stage) -> None:
    stage.open()
    silent = stage.puppet()
    job = stage.submit("Puppet")
    item = silent.take()
    assert silent.start(item) is None
    stage.wait_for(job, "failed")
    before, steps = stage.job(job), stage.steps(job)

    fence = {"worker_id": silent.worker_id, "attempt": item["attempt"], "token": item["token"]}
    for status in ("completed", "failed", "cancelled", "running"):
        answer = silent.http.put(f"/api/jobs/{job}/status", json={**fence, "status": status})
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_attempt")
        stage.evidence["409"] += 1
    answer = silent.http.put(f"/api/jobs/{job}/progress", json={**fence, "fraction": 0.5})
    assert answer.status_code == 409
    assert silent.finish(item)["code"] == "stale_attempt"
    assert (stage.job(job), stage.steps(job)) == (before, steps)
    assert before["error"]["type"] == "WorkerLost"

    check(stage.settle(), stage.evidence)


@pytest.mark.parametrize("restarts", [1, pytest.param(10, marks=pytest.mark.full)])
def test_20_workers_that_reconnect_at_once_after_a_restart_keep_what_they_run(
    stage: Stage, restarts: int
) -> None:
    stage.open(**CALM)
    puppets = [stage.puppet() for _ in range(20)]
    jobs = [stage.submit("Puppet", n=number) for number in range(20)]
    items = [puppet.take() for puppet in puppets]
    assert [puppet.start(item) for puppet, item in zip(puppets, items, strict=True)] == [None] * 20
    for _ in range(restarts):
        stage.kill_server()
        stage.server.restart()
        answers: list[dict[str, Any]] = []
        together = threading.Barrier(20)

        def come_back(puppet: Any, item: dict[str, Any], answers: list[Any], gate: threading.Barrier) -> None:
            puppet.drop()
            gate.wait(10)
            puppet.reconnect()
            hold = {name: item[name] for name in ("job_id", "attempt", "token")}
            answers.append(puppet.hello([{**hold, "phase": "begun"}], item["number"]))

        threads = [
            threading.Thread(target=come_back, args=(puppet, item, answers, together))
            for puppet, item in zip(puppets, items, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert [(answer["drop"], answer["cancel"]) for answer in answers] == [([], [])] * 20
        stage.evidence["reconnects"] += len(answers)
    assert [puppet.finish(item) for puppet, item in zip(puppets, items, strict=True)] == [None] * 20

    history = stage.settle()
    check(history, stage.evidence)
    assert {history.jobs[job]["status"] for job in jobs} == {"completed"}
    assert {history.jobs[job]["attempt"] for job in jobs} == {1}


def test_of_two_processes_with_one_worker_id_the_older_is_told_and_exits(stage: Stage) -> None:
    stage.open()
    older = stage.twin("twin-0123456789")
    job = stage.submit("Stubborn", seconds=60)
    stage.wait_for(job, "running")
    newer = stage.twin("twin-0123456789")

    eventually(lambda: not older.is_alive, what="the older process leaving")
    stage.journal.write("died", dead=older.pid)
    stage.evidence["stale_session heard"] = "StaleSession" in older.log.read_text()
    stage.wait_for(job, "completed")
    stage.wait_for(stage.submit("Plain"), "completed")
    assert newer.is_alive
    check(stage.settle(), stage.evidence)


@pytest.mark.parametrize("faults", [4, pytest.param(80, marks=[pytest.mark.full, pytest.mark.timeout(1200)])])
def test_everything_at_once(stage: Stage, faults: int) -> None:
    """Under load, in an order that the seed decides: each kind of fault, then whatever comes."""
    stage.open(lease=3)
    proxy = stage.proxy()
    workers = [stage.worker(slots=2, url=url) for url in (None, None, proxy.url)]
    stage.client(0.02)
    kinds = ["server", "worker", "frozen", "cut"]
    stage.chance.shuffle(kinds)
    for number in range(faults):
        stage.after_promises(5, 40)
        kind = kinds[number] if number < len(kinds) else stage.chance.choice(kinds)
        victim = stage.chance.randrange(2)
        if kind == "server":
            stage.kill_server()
            stage.server.restart()
        elif kind == "worker":
            stage.kill(workers[victim])
            workers[victim] = stage.worker(slots=2)
        elif kind == "frozen":
            workers[victim].signal(signal.SIGSTOP)
            frozen = _id_of(stage, workers[victim].pid)
            eventually(lambda frozen=frozen: _state(stage, frozen) == "offline", what="the lease's end")
            workers[victim].signal(signal.SIGCONT)
        else:
            proxy.cut_all()
        stage.evidence[kind] += 1

    history = stage.settle(60)
    stage.evidence["connections cut"] = proxy.seen["cut"]
    check(history, stage.evidence)
    allowed = {"WorkerLost", "MaxRetriesExceeded"}
    assert set(_errors(history.jobs)) <= allowed, _errors(history.jobs)


def _errors(jobs: dict[str, dict[str, Any]]) -> list[str]:
    return [job["error"]["type"] for job in jobs.values() if job["error"]]


def _id_of(stage: Stage, pid: int) -> str:
    fleet = stage.http.get("/api/workers").json()["items"]
    return next(str(each["id"]) for each in fleet if each["machine"].get("pid") == pid)


def _state(stage: Stage, worker: str) -> str:
    answer = stage.http.get(f"/api/workers/{worker}")
    return str(answer.json()["state"]) if answer.status_code == 200 else "offline"


def _ends(stage: Stage, job: str) -> int:
    return (
        sum(path.read_text().count(f'"job":"{job}"') for path in stage.journals.glob("worker-*.jsonl")) // 2
    )
