"""What a worker is handed beyond its slots, and what is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from support.dispatch_harness import COUNT, SMOOTH, DispatchHarness
from workroom.domain.extension import Concurrency, Policy
from workroom.domain.job import JobState
from workroom.domain.rules.estimates import (
    AHEAD_JOBS,
    EVIDENCE_ENDS,
    FIRST_AHEAD,
    RECALL_SECONDS,
    start_limit_s,
)
from workroom.domain.steps import Assignment
from workroom.domain.worker import Phase
from workroom.testing.conformance import extension
from workroom.testing.conformance.stage import completed, held

LONGER = 2 * RECALL_SECONDS


def _jobs(assignments: Sequence[Assignment]) -> list[str]:
    return [each.fence.job_id for each in assignments]


def _workers(assignments: Sequence[Assignment]) -> list[str]:
    return [each.worker for each in assignments]


@pytest.mark.parametrize(
    ("took_ms", "slots", "ahead"),
    [(20.1, 1, 0), (19.9, 1, 1), (9.9, 1, 2), (4.9, 1, 4), (4.9, 2, 8), (0.01, 1, FIRST_AHEAD)],
)
async def test_a_worker_is_given_20_ms_of_fast_jobs_ahead(
    harness: DispatchHarness, took_ms: float, slots: int, ahead: int
) -> None:
    await harness.measure(took_ms)
    await harness.seat("w1", slots=slots)

    assert len(await harness.submit_new(300)) == slots + ahead


async def test_a_worker_that_starts_fast_is_given_more_ahead(harness: DispatchHarness) -> None:
    await harness.measure(0.01)
    await harness.seat("w1")
    first, *others = await harness.submit_new(600)
    harness.stage.clock.advance(0.002)
    harness.dispatcher.start_sent([each.fence for each in others], "w1")
    more = await harness.finish(first, 0.01)

    assert len(others) == FIRST_AHEAD
    assert len(more) == AHEAD_JOBS - FIRST_AHEAD + 1


async def test_nothing_is_given_ahead_before_a_hundred_ends_were_measured(harness: DispatchHarness) -> None:
    await harness.measure(1.0, ends=EVIDENCE_ENDS - 10)
    await harness.seat("w1")

    assert len(await harness.submit_new(10)) == 1


@pytest.mark.parametrize("run_ms", [0.0, 0.01, None])
async def test_a_report_of_a_shorter_time_is_no_evidence(
    harness: DispatchHarness, run_ms: float | None
) -> None:
    await harness.measure(25.0, run_ms=run_ms)
    await harness.seat("w1")

    assert len(await harness.submit_new(10)) == 1
    assert harness.dispatcher.mean_ms(harness.courier.pushed[0].extension_id) == pytest.approx(25.0)


async def test_a_report_of_a_longer_time_counts(harness: DispatchHarness) -> None:
    await harness.measure(1.0, run_ms=4000.0)
    await harness.seat("w1")

    assert len(await harness.submit_new(10)) == 1
    assert harness.dispatcher.mean_ms(harness.courier.pushed[0].extension_id) == pytest.approx(4000.0)


async def test_only_jobs_of_fast_extensions_are_given_ahead(harness: DispatchHarness) -> None:
    await harness.measure(1000.0, COUNT)
    await harness.measure(4.9, SMOOTH)
    await harness.seat("w1", SMOOTH, COUNT)
    (first,) = await harness.submit_new(1, SMOOTH)
    smooth, count = await harness.jobs(2, SMOOTH), await harness.jobs(5, COUNT)
    await harness.submit(*smooth, *count)

    assert _jobs(await harness.finish(first, 4.9)) == [job.id for job in smooth]


async def test_what_a_worker_holds_ahead_stays_between_half_of_20_ms_and_all_of_it(
    harness: DispatchHarness,
) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    holds = await harness.submit_new(30)
    depths = []
    for _ in range(30):
        depths.append(len(holds))
        holds += await harness.finish(holds.pop(0), 4.9)

    assert all(1 + 2 <= depth <= 1 + 4 for depth in depths[:-4])
    assert holds == []


async def test_an_extension_that_has_become_slow_is_not_given_ahead_any_more(
    harness: DispatchHarness,
) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    for _ in range(3):
        (slow,) = await harness.submit_new()
        await harness.finish(slow, 5000.0)

    assert len(await harness.submit_new(10)) == 1


async def test_fast_jobs_are_not_kept_behind_a_slow_one(harness: DispatchHarness) -> None:
    await harness.measure(3000.0, COUNT)
    await harness.measure(4.9, SMOOTH)
    await harness.seat("w1", SMOOTH, COUNT)
    (first,) = await harness.submit_new(1, SMOOTH)
    await harness.submit(*await harness.jobs(1, COUNT), *await harness.jobs(4, SMOOTH))
    await harness.finish(first, 4.9)
    await harness.seat("w2", SMOOTH)

    assert "w2" in _workers(harness.courier.pushed)


async def test_only_jobs_that_fit_twice_into_5_ms_may_be_started_together(harness: DispatchHarness) -> None:
    await harness.measure(0.9, SMOOTH)
    await harness.measure(2.6, COUNT)
    await harness.seat("w1", SMOOTH)
    await harness.seat("w2", COUNT)
    smooth, count = await harness.submit_new(3, SMOOTH), await harness.submit_new(3, COUNT)

    assert [each.expected_ms for each in smooth] == pytest.approx([0.9] * 3)
    assert [each.expected_ms for each in count] == [None] * 3


async def test_a_job_with_a_timeout_is_not_started_ahead(harness: DispatchHarness) -> None:
    timed = extension("Timed", policy=Policy(timeout=1))
    await harness.measure(0.5, timed)
    await harness.seat("w1", timed)

    assert [each.expected_ms for each in await harness.submit_new(3, timed)] == [None] * 3


async def test_what_has_not_begun_moves_to_a_worker_that_can_begin_it(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, *ahead = await harness.submit_new(5)
    await harness.start(first)
    await harness.seat("w2")
    harness.stage.clock.advance(LONGER)
    harness.courier.pushed.clear()

    assert [fence.job_id for fence in await harness.recalls()] == _jobs(ahead)
    assert set(_workers(harness.courier.pushed)) == {"w2"}
    assert _jobs(harness.courier.pushed)[0] == ahead[0].fence.job_id


async def test_a_better_job_overtakes_what_has_not_begun(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, *_ = await harness.submit_new(5)
    await harness.start(first)
    urgent = await harness.stage.new_job(SMOOTH, priority=10)
    await harness.submit(urgent)
    harness.stage.clock.advance(LONGER)
    await harness.recalls()

    assert _jobs(await harness.end(completed(first), "w1"))[0] == urgent.id


async def test_a_start_on_its_way_is_not_recalled(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, second, *ahead = await harness.submit_new(5)
    await harness.start(first)
    harness.dispatcher.start_sent([second.fence], "w1")
    harness.stage.clock.advance(LONGER)

    assert [fence.job_id for fence in await harness.recalls()] == _jobs(ahead)


async def test_a_recall_that_comes_behind_the_start_changes_nothing(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, second, *ahead = await harness.submit_new(5)
    await harness.start(first)
    await harness.stage.start(second)  # the dispatcher does not know yet
    harness.stage.clock.advance(LONGER)

    assert [fence.job_id for fence in await harness.recalls()] == _jobs(ahead)
    assert await harness.stage.status(second) is JobState.RUNNING


async def test_nothing_is_given_ahead_after_a_recall_until_a_job_ends(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, *_ = await harness.submit_new(5)
    await harness.start(first)
    harness.stage.clock.advance(LONGER)
    await harness.recalls()
    assert await harness.submit_new(5) == []

    assert len(await harness.end(completed(first), "w1")) > 1


async def test_what_was_held_ahead_before_a_reconnect_moves_too(harness: DispatchHarness) -> None:
    await harness.measure(4.9)
    await harness.seat("w1")
    first, *ahead = await harness.submit_new(5)
    await harness.start(first)
    holds = [held(first), *(held(each, Phase.QUEUED) for each in ahead)]
    opened = await harness.stage.store.open_session("w1", "boot", holds, 9)
    harness.dispatcher.connect(opened, unbegun=[each.fence for each in ahead])
    harness.stage.clock.advance(LONGER)

    assert {fence.job_id for fence in await harness.recalls()} == set(_jobs(ahead))


async def test_a_worker_that_only_gives_back_is_given_nothing_until_its_next_heartbeat(
    harness: DispatchHarness,
) -> None:
    session = await harness.seat("w1")
    harness.dispatcher.returned("w1", 1000)
    assert await harness.submit_new() == []
    await harness.beat(session, seen=0)

    assert len(await harness.submit_new()) == 0
    assert len(harness.courier.pushed) == 1


async def _seated(harness: DispatchHarness, *workers: str) -> None:
    """Seat workers that are near."""
    for worker in workers:
        await harness.seat(worker, trip_s=0.001)


async def test_what_a_worker_should_have_started_moves_to_an_idle_one(harness: DispatchHarness) -> None:
    await _seated(harness, "w1", "w2")
    (assignment,) = await harness.submit_new()
    harness.stage.clock.advance(LONGER)
    harness.courier.pushed.clear()

    assert await harness.recalls() == [assignment.fence]
    (moved,) = harness.courier.pushed
    assert {assignment.worker, moved.worker} == {"w1", "w2"}
    assert moved.fence.job_id == assignment.fence.job_id


async def test_it_stays_where_nobody_else_could_start_it(harness: DispatchHarness) -> None:
    await _seated(harness, "w1")
    await harness.seat("w2", COUNT, trip_s=0.001)
    (assignment,) = await harness.submit_new()
    harness.stage.clock.advance(LONGER)
    await harness.looked_after("w1")
    assert harness.recalled.empty()

    await _seated(harness, "w3")
    assert await harness.recalls() == [assignment.fence]
    assert harness.courier.pushed[-1].worker == "w3"


async def test_a_worker_that_stood_still_is_given_nothing_until_its_next_message(
    harness: DispatchHarness,
) -> None:
    await _seated(harness, "w1", "w2")
    (late,) = await harness.submit_new()
    harness.stage.clock.advance(LONGER)
    await harness.recalls()
    assert await harness.submit_new() == []

    harness.dispatcher.start_sent([late.fence], late.worker)
    await harness.tasks.quiet()
    assert harness.courier.pushed[-1].worker == late.worker


async def test_an_end_that_nobody_knows_is_such_a_message_too(harness: DispatchHarness) -> None:
    """As after a store went back: what waits for the worker is claimed then, since nothing else would."""
    await _seated(harness, "w1", "w2")
    (late,) = await harness.submit_new()
    harness.stage.clock.advance(LONGER)
    await harness.recalls()
    assert await harness.submit_new() == []

    harness.dispatcher.release_running([late.fence], late.worker, {})
    await harness.tasks.quiet()
    assert harness.courier.pushed[-1].worker == late.worker


async def test_a_heartbeat_is_such_a_message(harness: DispatchHarness) -> None:
    sessions = {each: await harness.seat(each, trip_s=0.001) for each in ("w1", "w2")}
    (late,) = await harness.submit_new()
    harness.stage.clock.advance(LONGER)
    await harness.recalls()
    await harness.beat(sessions[late.worker], seen=9)

    assert [each.worker for each in await harness.submit_new()] == [late.worker]


async def test_the_start_of_a_worker_that_is_far_away_is_waited_for(harness: DispatchHarness) -> None:
    """For twice as long as its hello took."""
    await harness.seat("w1", trip_s=0.3)
    (assignment,) = await harness.submit_new()
    await _seated(harness, "w2")
    harness.stage.clock.advance(0.5)
    await harness.looked_after("w1")
    assert harness.recalled.empty()

    harness.stage.clock.advance(0.2)
    assert await harness.recalls() == [assignment.fence]


async def test_each_recall_makes_the_next_one_wait_twice_as_long(harness: DispatchHarness) -> None:
    """So a job does not go back and forth for ever where every worker is slow to start it."""
    sessions = {each: await harness.seat(each, trip_s=0.001) for each in ("w1", "w2")}
    (late,) = await harness.submit_new()
    waited = []
    for _ in range(4):
        connected = harness.registry.get(late.worker)
        assert connected is not None
        waited.append(start_limit_s(connected.start_s))
        harness.stage.clock.advance(waited[-1] + 0.001)
        await harness.recalls()
        await harness.beat(sessions[late.worker], seen=99)
        late = harness.courier.pushed[-1]

    assert waited == pytest.approx([0.06, 0.06, 0.12, 0.12])


async def test_a_job_on_call_moves_too(harness: DispatchHarness) -> None:
    session = await harness.seat_on_call("fleet")
    job = await harness.stage.new_job(SMOOTH)
    await harness.arrive(job)
    (claimed,) = await harness.dispatcher.claim_one(session)
    await _seated(harness, "w1")
    harness.stage.clock.advance(1.1)

    assert await harness.recalls() == [claimed.fence]
    assert harness.courier.pushed[-1].worker == "w1"


async def test_what_moves_frees_its_key_and_its_slot(harness: DispatchHarness) -> None:
    keyed = extension("Keyed", policy=Policy(concurrency=Concurrency("{window}", {}, 1)))
    for worker in ("w1", "w2"):
        await harness.seat(worker, keyed, trip_s=0.001)
    jobs = [replace(await harness.stage.new_job(keyed, data=b'{"window":1}'), lane="1") for _ in range(2)]
    await harness.submit(*jobs)
    (first,) = harness.courier.pushed
    harness.stage.clock.advance(LONGER)
    await harness.recalls()

    assert _jobs(harness.courier.pushed) == [jobs[0].id, jobs[0].id]
    assert len(set(_workers(harness.courier.pushed))) == 2
    assert await harness.stage.load(first.worker) == (0, 0)
