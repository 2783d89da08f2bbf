"""Who is handed what, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from office import COUNT, SMOOTH, Office

from workroom.domain.events import JobStateChanged
from workroom.domain.extension import Concurrency, Policy
from workroom.domain.job import JobState
from workroom.domain.steps import Assignment, Reconciled, Seat
from workroom.domain.worker import WorkerState
from workroom.testing.conformance import extension
from workroom.testing.conformance.stage import cancelled, completed, held


def _workers(assignments: Sequence[Assignment]) -> list[str]:
    return [each.worker for each in assignments]


def _jobs(assignments: Sequence[Assignment]) -> list[str]:
    return [each.fence.job_id for each in assignments]


def _counted_claims(office: Office, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Seat]]:
    """What has been asked of the store."""
    claims: list[Sequence[Seat]] = []
    store, claim = office.stage.store, office.stage.store.claim
    monkeypatch.setattr(store, "claim", lambda seats: claims.append(seats) or claim(seats))
    return claims


async def test_what_is_handed_out_is_told_to_everyone(office: Office) -> None:
    await office.seat("w1")
    (assignment,) = await office.submit_new()
    told = [each.transition for each in office.bus.events if isinstance(each, JobStateChanged)]

    assert [(each.job_id, each.status) for each in told] == [(assignment.fence.job_id, JobState.ASSIGNED)]
    assert office.states("w1") == [WorkerState.IDLE, WorkerState.ASSIGNED]


async def test_jobs_that_waited_go_to_the_first_worker_that_comes(office: Office) -> None:
    await office.stage.register("w1", SMOOTH, slots=2)
    await office.submit(*(jobs := await office.jobs(3)))
    await office.seat_again("w1")

    assert _jobs(office.courier.pushed) == [job.id for job in jobs[:2]]


async def test_a_slot_that_becomes_free_is_given_to_the_next_job(office: Office) -> None:
    await office.seat("w1")
    first, second = await office.jobs(2)
    await office.submit(first, second)
    assert _jobs(office.courier.pushed) == [first.id]

    assert _jobs(await office.finish(office.courier.pushed[0])) == [second.id]


async def test_a_cancelled_attempt_that_still_runs_keeps_its_slot_after_a_heartbeat(office: Office) -> None:
    session = await office.seat("w1")
    (running,) = await office.submit_new()
    await office.start(running)
    await office.stage.store.cancel([running.fence.job_id], "ada", "no")
    await office.beat(session, held(running), seen=running.number)

    assert await office.submit_new() == []
    assert len(await office.end(cancelled(running), "w1")) == 1


async def test_a_cancelled_attempt_that_still_runs_keeps_its_slot_after_a_reconnect(office: Office) -> None:
    await office.seat("w1")
    (running,) = await office.submit_new()
    await office.start(running)
    await office.stage.store.cancel([running.fence.job_id], "ada", "no")
    await office.seat_again("w1", held(running), seen=running.number)

    assert await office.submit_new() == []
    assert len(await office.end(cancelled(running), "w1")) == 1


async def test_a_heartbeat_gives_back_the_slot_of_what_is_not_held_any_more(office: Office) -> None:
    session = await office.seat("w1")
    (running,) = await office.submit_new()
    await office.start(running)
    assert await office.submit_new() == []
    await office.beat(session, seen=running.number)

    assert len(office.courier.pushed) == 2


async def test_idle_workers_take_turns(office: Office) -> None:
    for worker in ("w1", "w2", "w3"):
        await office.seat(worker)
    order = await office.turns(9)

    assert sorted(order[:3]) == ["w1", "w2", "w3"]
    assert order == order[:3] * 3


async def test_idle_workers_with_several_slots_take_turns(office: Office) -> None:
    await office.seat("w1", slots=2)
    await office.seat("w2", slots=2)
    order = [_workers(await office.submit_new()) for _ in range(4)]

    assert sorted(order[:2]) == [["w1"], ["w2"]]
    assert order == order[:2] * 2
    assert await office.submit_new() == []


async def test_the_turn_is_of_who_was_assigned_something_longest_ago_whoever_finished_first(
    office: Office,
) -> None:
    for worker in ("w1", "w2", "w3"):
        await office.seat(worker)
    given = [assignment for _ in range(3) for assignment in await office.submit_new()]
    for assignment in reversed(given):
        await office.finish(assignment)

    assert await office.turns(3) == _workers(given)


async def test_a_job_that_arrives_while_the_only_idle_worker_is_claimed_for_is_still_handed_out(
    office: Office,
) -> None:
    await office.stage.register("w1", SMOOTH)
    (job,) = await office.jobs(1)
    opened = await office.stage.store.open_session("w1", "boot", (), 0)
    office.dispatcher.seat(opened)  # its claim is under way and stands before the job
    await office.submit(job)

    assert _jobs(office.courier.pushed) == [job.id]


async def test_a_job_that_arrives_behind_a_claim_gets_the_slot_that_the_claim_left_free(
    office: Office,
) -> None:
    await office.seat("w1", slots=2)
    jobs = await office.jobs(2)
    async with asyncio.TaskGroup() as both:
        for job in jobs:
            both.create_task(office.submit(job))

    assert _jobs(office.courier.pushed) == [job.id for job in jobs]


async def test_nobody_is_claimed_for_again_because_of_jobs_that_were_handed_out_since(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = _counted_claims(office, monkeypatch)
    await office.seat("w1")
    await office.submit(*await office.jobs(5))
    for number in range(5):
        claims.clear()
        await office.finish(office.courier.pushed[number])

    assert len(office.courier.pushed) == 5
    assert len(claims) == 1


async def test_a_job_that_arrives_behind_a_claim_is_not_forgotten_because_the_claim_found_another(
    office: Office,
) -> None:
    await office.stage.register("w1", SMOOTH, slots=4)
    old, new = await office.jobs(2)
    await office.stage.store.submit([old])  # before the server was started again
    office.dispatcher.seat(await office.stage.store.open_session("w1", "boot", (), 0))
    await office.submit(new)

    assert _jobs(office.courier.pushed) == [old.id, new.id]


async def test_jobs_that_arrive_behind_two_claims_find_both_workers(office: Office) -> None:
    await office.stage.register("w1", SMOOTH, COUNT)
    await office.stage.register("w2", COUNT)
    jobs = await office.jobs(1, SMOOTH) + await office.jobs(1, COUNT)
    opened = [await office.stage.store.open_session(worker, "boot", (), 0) for worker in ("w1", "w2")]
    for each in opened:
        office.dispatcher.seat(each)
    await office.submit(*jobs)

    assert sorted(_jobs(office.courier.pushed)) == sorted(job.id for job in jobs)


async def test_a_job_is_handed_out_although_the_worker_that_was_woken_for_it_took_another(
    office: Office,
) -> None:
    await office.seat("w1", SMOOTH, COUNT)
    await office.seat("w2", SMOOTH)
    smooth = await office.stage.new_job(SMOOTH)
    count = await office.stage.new_job(COUNT, priority=10)
    await office.submit(smooth, count)

    assert sorted(_workers(office.courier.pushed)) == ["w1", "w2"]


async def test_jobs_that_may_not_run_yet_are_asked_for_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = extension("Alone", policy=Policy(concurrency=Concurrency("one")))
    claims = _counted_claims(office, monkeypatch)
    await office.seat("w1", alone, slots=2)
    claims.clear()
    await office.submit(*[replace(job, lane="one") for job in await office.jobs(20, alone)])

    assert len(office.courier.pushed) == 1
    assert len(claims) == 1


async def test_a_job_that_found_no_free_slot_is_handed_out_when_there_is_one(office: Office) -> None:
    await office.seat("w1")
    (first,) = await office.submit_new()
    assert await office.submit_new() == []

    assert len(await office.finish(first)) == 1


async def test_the_seats_of_one_claim_go_in_turns(office: Office) -> None:
    for worker in ("w1", "w2", "w3"):
        await office.seat(worker, slots=3)
    jobs = await office.jobs(7)
    await office.submit(*jobs)
    given = {each.fence.job_id: each.worker for each in office.courier.pushed}
    order = [given[job.id] for job in jobs]

    assert sorted(order[:3]) == ["w1", "w2", "w3"]
    assert order == (order[:3] * 3)[:7]


@pytest.mark.parametrize(
    ("run_ms", "slots", "ahead"),
    [(20.1, 1, 0), (20.0, 1, 1), (10.0, 1, 2), (5.0, 1, 4), (5.0, 2, 8), (0.01, 1, 256)],
)
async def test_a_worker_is_given_20_ms_of_fast_jobs_ahead(
    office: Office, run_ms: float, slots: int, ahead: int
) -> None:
    await office.seat("w1", slots=slots)
    (measured,) = await office.submit_new()
    await office.finish(measured, run_ms)

    assert len(await office.submit_new(300)) == slots + ahead


async def test_a_worker_is_given_nothing_ahead_before_its_jobs_were_measured(office: Office) -> None:
    await office.seat("w1")

    assert len(await office.submit_new(10)) == 1


async def test_only_jobs_of_fast_extensions_are_given_ahead(office: Office) -> None:
    await office.seat("w1", SMOOTH, COUNT)
    (measured,) = await office.submit_new(1, COUNT)
    await office.finish(measured, run_ms=1000.0)
    (measured,) = await office.submit_new(1, SMOOTH)
    smooth, count = await office.jobs(2, SMOOTH), await office.jobs(5, COUNT)
    await office.submit(*smooth, *count)

    assert _jobs(await office.finish(measured, run_ms=5.0)) == [job.id for job in smooth]


async def test_what_a_worker_holds_ahead_stays_between_half_of_20_ms_and_all_of_it(office: Office) -> None:
    await office.seat("w1")
    (measured,) = await office.submit_new()
    await office.finish(measured, 5.0)
    holds = await office.submit_new(30)
    depths = []
    for _ in range(30):
        depths.append(len(holds))
        holds += await office.finish(holds.pop(0), 5.0)

    assert all(1 + 2 <= depth <= 1 + 4 for depth in depths[:-4])
    assert holds == []


async def test_an_extension_that_has_become_slow_is_not_given_ahead_any_more(office: Office) -> None:
    await office.seat("w1")
    (measured,) = await office.submit_new()
    await office.finish(measured, 5.0)
    (measured,) = await office.submit_new()
    await office.finish(measured, 5000.0)

    assert len(await office.submit_new(10)) == 1


async def test_a_late_disconnect_of_an_older_session_leaves_the_worker_seated(office: Office) -> None:
    older = await office.seat("w1")
    await office.seat_again("w1")
    office.dispatcher.unseat(older)

    assert _workers(await office.submit_new()) == ["w1"]
    assert WorkerState.OFFLINE not in office.states("w1")


async def test_a_worker_that_cannot_be_reached_is_given_nothing(office: Office) -> None:
    session = await office.seat("w1")
    office.dispatcher.unseat(session)

    assert await office.submit_new() == []
    assert office.states("w1") == [WorkerState.IDLE, WorkerState.OFFLINE]


async def test_a_worker_is_given_nothing_in_a_session_that_was_taken_over(office: Office) -> None:
    await office.seat("w1")
    opened = await office.stage.store.open_session("w1", "boot", (), 0)  # its seat follows
    assert await office.submit_new() == []
    office.dispatcher.seat(opened)
    await office.tasks.quiet()

    assert _workers(office.courier.pushed) == ["w1"]


async def test_a_late_heartbeat_of_an_older_session_frees_no_slot(office: Office) -> None:
    older = await office.seat("w1")
    await office.seat_again("w1")
    await office.submit_new()
    office.dispatcher.heard(older, Reconciled(), 0)

    assert await office.submit_new() == []


async def test_a_heartbeat_that_was_compared_before_a_job_was_pushed_does_not_free_its_slot(
    office: Office,
) -> None:
    session = await office.seat("w1")
    changes = office.dispatcher.changes("w1")
    compared = await office.stage.store.renew(session, (), 0)
    assert len(await office.submit_new()) == 1
    office.dispatcher.heard(session, compared, changes)

    assert await office.submit_new() == []


async def test_a_heartbeat_that_was_compared_before_a_job_ended_does_not_take_its_slot_again(
    office: Office,
) -> None:
    session = await office.seat("w1")
    (assignment,) = await office.submit_new()
    await office.start(assignment)
    changes = office.dispatcher.changes("w1")
    compared = await office.stage.store.renew(session, [held(assignment)], assignment.number)
    await office.end(completed(assignment), "w1")
    office.dispatcher.heard(session, compared, changes)

    assert len(await office.submit_new()) == 1


async def test_a_server_that_is_about_to_stop_hands_out_nothing_more(office: Office) -> None:
    await office.seat("w1")
    office.readiness.leave()

    assert await office.submit_new() == []


def _workers(assignments: Sequence[Assignment]) -> list[str]:
    return sorted(each.worker for each in assignments)


async def test_a_batch_of_two_extensions_wakes_two_workers(office: Office) -> None:
    await office.seat("w1", SMOOTH, COUNT)
    await office.seat("w2", SMOOTH, COUNT)
    await office.submit(*await office.jobs(1, SMOOTH), *await office.jobs(1, COUNT))

    assert _workers(office.courier.pushed) == ["w1", "w2"]


async def test_a_job_right_behind_one_of_another_extension_finds_the_other_worker(office: Office) -> None:
    await office.seat("w1", SMOOTH, COUNT)
    await office.seat("w2", SMOOTH, COUNT)
    (first,), (second,) = await office.jobs(1, SMOOTH), await office.jobs(1, COUNT)
    async with asyncio.TaskGroup() as group:
        group.create_task(office.submit(first))
        group.create_task(office.submit(second))

    assert _workers(office.courier.pushed) == ["w1", "w2"]


async def test_two_jobs_that_arrive_during_two_claims_are_both_handed_out(office: Office) -> None:
    for worker in ("w1", "w2"):
        await office.stage.register(worker, SMOOTH)
    jobs = await office.jobs(2)
    opened = [await office.stage.store.open_session(worker, "boot", (), 0) for worker in ("w1", "w2")]
    for each in opened:
        office.dispatcher.seat(each)
    await office.submit(*jobs)

    assert _workers(office.courier.pushed) == ["w1", "w2"]


async def test_a_resend_leaves_the_other_slot_on_offer(office: Office) -> None:
    session = await office.seat("w1", slots=2)
    await office.submit_new()
    await office.beat(session, seen=0)

    assert len(office.courier.pushed) == 2
    assert len(await office.submit_new()) == 1


async def test_fast_jobs_are_not_kept_behind_a_slow_one(office: Office) -> None:
    await office.seat("w1", SMOOTH, COUNT)
    (measured,) = await office.submit_new(1, COUNT)
    await office.finish(measured, 3_600_000.0)
    (measured,) = await office.submit_new(1, SMOOTH)
    await office.submit(*await office.jobs(1, COUNT), *await office.jobs(4, SMOOTH))
    await office.finish(measured, 5.0)
    await office.seat("w2", SMOOTH)

    assert "w2" in _workers(office.courier.pushed)
