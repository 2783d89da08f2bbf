"""Connections are cut and messages lost, through a proxy between worker and server."""

from __future__ import annotations

import pytest

from chaos.checker import check
from chaos.stage import Stage
from workroom.testing.processes import eventually

LONG = [pytest.mark.full, pytest.mark.timeout(900)]
CALM = {"lease": 6, "grace": 4}


@pytest.mark.parametrize("cuts", [6, pytest.param(100, marks=LONG)])
def test_connections_cut_after_some_bytes_lose_no_job(stage: Stage, cuts: int) -> None:
    stage.open(**CALM)
    proxy = stage.proxy()
    stage.worker(slots=2, url=proxy.url)
    stage.client(0.02)
    proxy.cut_after(600, 6000, stage.seed)
    proxy.cut_all()
    eventually(lambda: proxy.seen["cut"] >= cuts, 300, "the cuts")
    proxy.heal()
    proxy.cut_all()

    history = stage.settle(60)
    stage.evidence["cut"] = proxy.seen["cut"]
    stage.evidence["connected again"] = proxy.seen["connected"] - 2
    check(history, stage.evidence)


@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=LONG)])
def test_a_lost_assignment_costs_time_and_no_try(stage: Stage, rounds: int) -> None:
    """The push vanishes; the next heartbeat says that it was not seen."""
    stage.open(**CALM)
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    for _ in range(rounds):
        swallowed = proxy.seen["swallowed"]
        proxy.swallow(b"job:assigned")
        job = stage.submit("Plain")
        eventually(lambda swallowed=swallowed: proxy.seen["swallowed"] > swallowed, what="a push swallowed")
        proxy.heal()
        document = stage.wait_for(job, "completed", "failed")
        assert document["status"] == "completed"
        assert document["tries"] == 1
    stage.evidence["assignments swallowed"] = proxy.seen["swallowed"]
    check(stage.settle(), stage.evidence)


@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=LONG)])
def test_a_cut_right_after_the_answer_to_start_or_finish_was_lost_changes_nothing(
    stage: Stage, rounds: int
) -> None:
    stage.open(**CALM)
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    for _ in range(rounds):
        for seconds in (0.5, 0.0):
            swallowed = proxy.seen["swallowed"]
            proxy.swallow(b'"answers":')
            job = stage.submit("Plain", seconds=seconds)
            eventually(lambda swallowed=swallowed: proxy.seen["swallowed"] > swallowed, what="a lost answer")
            proxy.heal()
            proxy.cut_all()
            assert stage.wait_for(job, "completed", "failed")["status"] == "completed"
    stage.evidence["answers swallowed"] = proxy.seen["swallowed"]
    stage.evidence["cut"] = proxy.seen["cut"]
    history = stage.settle()
    check(history, stage.evidence)
    assert all(len(history.runs_of(job)) == 1 for job in history.promised)


def test_one_lost_answer_to_a_heartbeat_does_not_cost_a_healthy_worker_its_job(stage: Stage) -> None:
    stage.open()
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    job = stage.submit("Plain", seconds=4)
    stage.wait_for(job, "running")
    proxy.swallow(b'"drop":')
    eventually(lambda: proxy.seen["swallowed"] >= 1, what="the answer to a heartbeat being lost")
    proxy.heal()

    document = stage.wait_for(job, "completed", "failed")
    stage.evidence["answers to heartbeats swallowed"] = proxy.seen["swallowed"]
    check(stage.settle(), stage.evidence)
    assert document["status"] == "completed", document["error"]


@pytest.mark.parametrize("what", ["job:start", "job:finish"])
def test_one_lost_answer_costs_less_than_a_lease(stage: Stage, what: str) -> None:
    """Nothing is cut: the worker itself must notice that no answer comes."""
    stage.open(**CALM)
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    stage.wait_for(stage.submit("Plain", seconds=0), "completed")
    job = stage.submit("Plain", seconds=0.5) if what == "job:finish" else ""
    if job:
        stage.wait_for(job, "running")
    proxy.swallow(b'"answers":')
    job = job or stage.submit("Plain", seconds=0.0)
    eventually(lambda: proxy.seen["swallowed"] >= 1, what="the answer being lost")
    proxy.heal()
    next_job = stage.submit("Plain")

    stage.evidence["answers swallowed"] = proxy.seen["swallowed"]
    assert stage.wait_for(job, "completed", "failed", seconds=6)["status"] == "completed"
    assert stage.wait_for(next_job, "completed", "failed", seconds=6)["status"] == "completed"
    check(stage.settle(), stage.evidence)


def test_a_worker_that_hears_nothing_stops_its_work_before_its_lease_ends(stage: Stage) -> None:
    """By its own clock: from then on somebody else may run the job, and hold its key."""
    stage.open()
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    job = stage.submit("Keyed", "media", seconds=20, again=0.5)
    stage.wait_for(job, "running")
    proxy.swallow()
    stage.wait_for(job, "pending")
    stage.evidence["messages swallowed"] = proxy.seen["swallowed"]
    still_running = _is_running(stage, job)
    stage.worker()
    stage.wait_for(job, "completed")
    overlapped = _is_running(stage, job)
    proxy.heal()
    proxy.cut_all()

    check(stage.settle(), stage.evidence)
    assert not overlapped, "the second attempt ran from begin to end while the first still ran"
    assert not still_running, "the lease ended before the work did"


def _is_running(stage: Stage, job: str) -> bool:
    text = "".join(path.read_text() for path in stage.journals.glob("worker-*.jsonl"))
    lines = [line for line in text.splitlines() if job in line]
    return sum('"begin"' in line for line in lines) > sum('"end"' in line for line in lines)
