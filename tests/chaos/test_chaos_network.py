"""Connections are cut and messages lost, through a proxy between worker and server."""

from __future__ import annotations

import pytest

from support.chaos.proxy import ACK_SWALLOWED, CUT, SWALLOWED, FaultProxy
from support.chaos.stage import CALM, PATIENCE, Stage
from workroom.testing.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

ANSWER = b'"answers":'
BEAT = b'"drop":'
START_UNHEARD = "answer to start lost"
FINISH_UNHEARD = "answer to finish lost"


def test_connections_closed_after_some_bytes_lose_no_job(stage: Stage) -> None:
    stage.open(CALM)
    proxy = stage.proxy()
    stage.worker(slots=2, url=proxy.url)
    stage.client()
    proxy.cut_after(600, 6000, stage.seed)
    proxy.cut_all()
    eventually(lambda: proxy.seen["cut"] >= 12, PATIENCE, "the cuts")
    proxy.heal()
    proxy.cut_all()

    stage.verdict({CUT: 12})
    assert proxy.seen["connected"] >= 12


def test_a_lost_assignment_costs_time_and_no_try(stage: Stage) -> None:
    """The push vanishes; the job is handed out again once its start is overdue."""
    stage.open({**CALM, "start": 1})
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    for _ in range(3):
        proxy.swallow(b"job:assigned")
        job = stage.submit("Plain")
        _wait_for_loss(proxy)
        proxy.heal()
        document = stage.wait_for_end(job)
        assert (document["status"], document["tries"]) == ("completed", 1)

    stage.verdict({SWALLOWED: 3})


def test_a_lost_ack_of_an_assignment_costs_nothing(stage: Stage) -> None:
    """The worker runs what it was given, though the server was not told that it came."""
    stage.open(CALM)
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    for _ in range(3):
        proxy.swallow_acks()
        job = stage.submit("Plain")
        _wait_for_loss(proxy)
        proxy.heal()
        document = stage.wait_for_end(job)
        assert (document["status"], document["tries"]) == ("completed", 1)

    history = stage.verdict({ACK_SWALLOWED: 3})
    assert {len(history.runs_of(job)) for job in history.promised} == {1}


def test_losing_the_reply_to_start_and_the_connection_changes_nothing(stage: Stage) -> None:
    stage.open(CALM)
    proxy = stage.proxy(BEAT)
    stage.worker(url=proxy.url)
    for _ in range(3):
        job = _lose_the_answer_to_start(stage, proxy)
        proxy.heal()
        proxy.cut_all()
        assert stage.wait_for_end(job)["status"] == "completed"

    history = stage.verdict({START_UNHEARD: 3, CUT: 3})
    assert {len(history.runs_of(job)) for job in history.promised} == {1}


def test_losing_the_reply_to_finish_and_the_connection_changes_nothing(stage: Stage) -> None:
    stage.open(CALM)
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    for _ in range(3):
        job = stage.submit("Plain", seconds=0.5)
        _lose_the_answer_to_finish(stage, proxy, job)
        proxy.heal()
        proxy.cut_all()
        assert stage.wait_for_end(stage.submit("Plain"))["status"] == "completed"

    history = stage.verdict({FINISH_UNHEARD: 3, CUT: 3})
    assert {len(history.runs_of(job)) for job in history.promised} == {1}


def test_a_worker_notices_by_itself_that_answers_do_not_come(stage: Stage) -> None:
    """Nothing is cut, and heartbeats go on: the worker asks again, and nothing runs twice."""
    stage.open({**CALM, "lease": PATIENCE})
    proxy = stage.proxy(BEAT)
    stage.worker(url=proxy.url, slots=2)
    finishing = stage.submit("Plain", seconds=2)
    stage.wait_for_begin(finishing)
    starting = _lose_the_answer_to_start(stage, proxy)
    _lose_the_answer_to_finish(stage, proxy, finishing)
    proxy.heal()
    for job in (starting, stage.submit("Plain")):
        assert stage.wait_for_end(job)["status"] == "completed"

    history = stage.verdict({START_UNHEARD: 1, FINISH_UNHEARD: 1})
    assert {len(history.runs_of(job)) for job in history.promised} == {1}


def test_one_lost_answer_to_a_heartbeat_does_not_cost_a_healthy_worker_its_job(stage: Stage) -> None:
    stage.open({"lease": 4})
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    job = stage.submit("Plain", seconds=5)
    stage.wait_for_begin(job)
    proxy.swallow(b'"drop":')
    _wait_for_loss(proxy)
    proxy.heal()
    document = stage.wait_for_end(job)

    stage.verdict({SWALLOWED: 1})
    assert document["status"] == "completed", document["error"]


def test_a_worker_without_a_connection_stops_its_work_before_its_lease_ends(stage: Stage) -> None:
    """By its own clock: from then on somebody else may run the job, and hold its key."""
    stage.open()
    proxy = stage.proxy()
    stage.worker(url=proxy.url)
    job = stage.submit("Keyed", "media", seconds=60, again=0.1)
    stage.wait_for_begin(job)
    proxy.swallow()
    stage.wait_for(job, "pending")
    has_stopped = len(stage.seen("end", job)) == 1
    stage.worker()
    assert stage.wait_for_end(job)["status"] == "completed"
    proxy.heal()
    proxy.cut_all()

    history = stage.verdict({SWALLOWED: 1})
    assert has_stopped, "the lease ended before the work did"
    first, second = history.runs_of(job)
    assert first.until < second.began


def _lose_the_answer_to_start(stage: Stage, proxy: FaultProxy) -> str:
    """Once a later heartbeat is answered, so was the start, and whatever was under way before it."""
    proxy.swallow(ANSWER)
    job = stage.submit("Plain", seconds=0)
    stage.wait_for(job, "running")
    goal = proxy.seen[BEAT.decode()] + 2
    eventually(lambda: proxy.seen[BEAT.decode()] >= goal, PATIENCE, "answers to heartbeats")
    assert proxy.swallowed
    assert not stage.seen("begin", job)
    stage.journal.witness(START_UNHEARD, job=job)
    return job


def _lose_the_answer_to_finish(stage: Stage, proxy: FaultProxy, job: str) -> None:
    stage.wait_for_begin(job)
    proxy.swallow(ANSWER)
    assert not stage.seen("end", job)
    _wait_for_loss(proxy)
    assert stage.job(job)["status"] == "completed"
    stage.journal.witness(FINISH_UNHEARD, job=job)


def _wait_for_loss(proxy: FaultProxy) -> None:
    eventually(lambda: proxy.swallowed, PATIENCE, "a message being lost")
