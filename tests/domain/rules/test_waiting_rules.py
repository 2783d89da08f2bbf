"""Why a job waits: the first thing that would have to change."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.rules.breaker import BREAK_US
from workroom.domain.rules.queue.waiting import Circumstances, Pace, WaitCode, Waiting, why

NOW = 1_700_000_000_000_000
EVERYTHING = Circumstances(
    paused=True, opened_us=NOW, due_us=NOW + 5, lane="slow", ready=False, lane_holder="job-1", slots=0
)


def test_reasons_are_reported_in_order() -> None:
    circumstances = EVERYTHING
    told = [why(circumstances)]
    for change in ({"paused": False}, {"due_us": None}, {"opened_us": None}, {"ready": True}, {"slots": 2}):
        circumstances = replace(circumstances, **change)
        told.append(why(circumstances))

    assert told == [
        Waiting(WaitCode.PAUSED),
        Waiting(WaitCode.BACKOFF, until_us=NOW + 5),
        Waiting(WaitCode.CIRCUIT_OPEN, until_us=NOW + BREAK_US),
        Waiting(WaitCode.CONCURRENCY, key="slow", job="job-1"),
        Waiting(WaitCode.NO_WORKER),
        Waiting(WaitCode.WORKERS_BUSY),
    ]


def test_a_job_whose_lane_has_room_waits_for_its_rate() -> None:
    paced = replace(EVERYTHING, paused=False, due_us=None, opened_us=None, pace=Pace("slow", NOW + 7))

    assert why(paced) == Waiting(WaitCode.RATE, key="slow", until_us=NOW + 7)
    assert why(replace(paced, ready=True)) == Waiting(WaitCode.NO_WORKER)


def test_a_job_at_the_head_of_its_lane_does_not_wait_for_its_key() -> None:
    free = replace(EVERYTHING, paused=False, due_us=None, opened_us=None, ready=True, slots=1)

    assert why(free) == Waiting(WaitCode.WORKERS_BUSY)
