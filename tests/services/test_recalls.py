"""What a worker is handed beyond its slots, and what is taken back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from support.dispatch_harness import COUNT, SMOOTH, DispatchHarness
from workroom.domain.extension import Policy
from workroom.domain.job import JobState
from workroom.domain.rules.estimates import AHEAD_JOBS, EVIDENCE_ENDS, FIRST_AHEAD, RECALL_SECONDS
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
