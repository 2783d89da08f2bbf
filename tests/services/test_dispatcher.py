"""Who is handed what, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from support.dispatch_harness import COUNT, SMOOTH, DispatchHarness
from workroom.domain.events import JobStateChanged
from workroom.domain.extension import Concurrency, Policy
from workroom.domain.job import JobState
from workroom.domain.steps import Assignment, Claimed, Reconciled, Seat, Suspension
from workroom.domain.worker import WorkerState
from workroom.ports import Receipt
from workroom.testing.conformance import extension
from workroom.testing.conformance.stage import cancelled, completed, held


def _workers(assignments: Sequence[Assignment]) -> list[str]:
    return [each.worker for each in assignments]


def _jobs(assignments: Sequence[Assignment]) -> list[str]:
    return [each.fence.job_id for each in assignments]


def _counted_claims(harness: DispatchHarness, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Seat]]:
    """What has been asked of the store."""
    claims: list[Sequence[Seat]] = []
    store, claim = harness.stage.store, harness.stage.store.claim

    def counted(seats: Sequence[Seat]) -> Receipt[Claimed]:
        claims.append(seats)
        return claim(seats)

    monkeypatch.setattr(store, "claim", counted)
    return claims


async def test_assignments_are_published(harness: DispatchHarness) -> None:
    await harness.seat("w1")
    (assignment,) = await harness.submit_new()
    told = [each.transition for each in harness.bus.events if isinstance(each, JobStateChanged)]

    assert [(each.job_id, each.status) for each in told] == [(assignment.fence.job_id, JobState.ASSIGNED)]
    assert harness.states("w1") == [WorkerState.IDLE, WorkerState.ASSIGNED]


async def test_jobs_that_waited_go_to_the_first_worker_that_comes(harness: DispatchHarness) -> None:
    await harness.stage.register("w1", SMOOTH, slots=2)
    await harness.submit(*(jobs := await harness.jobs(3)))
    await harness.seat_again("w1")

    assert _jobs(harness.courier.pushed) == [job.id for job in jobs[:2]]


async def test_a_slot_that_becomes_free_is_given_to_the_next_job(harness: DispatchHarness) -> None:
    await harness.seat("w1")
    first, second = await harness.jobs(2)
    await harness.submit(first, second)
    assert _jobs(harness.courier.pushed) == [first.id]

    assert _jobs(await harness.finish(harness.courier.pushed[0])) == [second.id]


async def test_a_cancelled_attempt_that_still_runs_keeps_its_slot_after_a_heartbeat(
    harness: DispatchHarness,
) -> None:
    session = await harness.seat("w1")
    (running,) = await harness.submit_new()
    await harness.start(running)
    await harness.stage.store.cancel([running.fence.job_id], "ada", "no")
    await harness.beat(session, held(running), seen=running.number)

    assert await harness.submit_new() == []
    assert len(await harness.end(cancelled(running), "w1")) == 1


async def test_a_cancelled_attempt_that_still_runs_keeps_its_slot_after_a_reconnect(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1")
    (running,) = await harness.submit_new()
    await harness.start(running)
    await harness.stage.store.cancel([running.fence.job_id], "ada", "no")
    await harness.seat_again("w1", held(running), seen=running.number)

    assert await harness.submit_new() == []
    assert len(await harness.end(cancelled(running), "w1")) == 1


async def test_a_heartbeat_gives_back_the_slot_of_what_is_not_held_any_more(harness: DispatchHarness) -> None:
    session = await harness.seat("w1")
    (running,) = await harness.submit_new()
    await harness.start(running)
    assert await harness.submit_new() == []
    await harness.beat(session, seen=running.number)

    assert len(harness.courier.pushed) == 2


async def test_beyond_the_jobs_that_may_wait_free_slots_are_for_their_children(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1")
    waiting = []
    for _ in range(5):
        (running,) = await harness.submit_new()
        await harness.start(running)
        freed = harness.dispatcher.suspend("w1", [Suspension(running.fence, "children:x")])
        assert freed == {running.fence}
        waiting.append(running)
    assert await harness.submit_new() == []

    child = replace(await harness.stage.new_job(SMOOTH), parent=waiting[0].fence.job_id)
    await harness.submit(child)
    assert harness.courier.pushed[-1].fence.job_id == child.id
    assert await harness.finish(harness.courier.pushed[-1]) == []
    harness.dispatcher.suspend("w1", [Suspension(waiting[4].fence, None)])
    assert len(await harness.end(completed(waiting[4]), "w1")) == 1


async def test_idle_workers_take_turns(harness: DispatchHarness) -> None:
    for worker in ("w1", "w2", "w3"):
        await harness.seat(worker)
    order = await harness.turns(9)

    assert sorted(order[:3]) == ["w1", "w2", "w3"]
    assert order == order[:3] * 3


async def test_idle_workers_with_several_slots_take_turns(harness: DispatchHarness) -> None:
    await harness.seat("w1", slots=2)
    await harness.seat("w2", slots=2)
    order = [_workers(await harness.submit_new()) for _ in range(4)]

    assert sorted(order[:2]) == [["w1"], ["w2"]]
    assert order == order[:2] * 2
    assert await harness.submit_new() == []


async def test_the_worker_assigned_longest_ago_is_next_no_matter_which_finished_first(
    harness: DispatchHarness,
) -> None:
    for worker in ("w1", "w2", "w3"):
        await harness.seat(worker)
    given = [assignment for _ in range(3) for assignment in await harness.submit_new()]
    for assignment in reversed(given):
        await harness.finish(assignment)

    assert await harness.turns(3) == _workers(given)


async def test_a_job_that_arrives_while_the_only_idle_worker_is_claimed_for_is_still_handed_out(
    harness: DispatchHarness,
) -> None:
    await harness.stage.register("w1", SMOOTH)
    (job,) = await harness.jobs(1)
    opened = await harness.stage.store.open_session("w1", "boot", (), 0)
    harness.dispatcher.connect(opened)  # its claim is under way and stands before the job
    await harness.submit(job)

    assert _jobs(harness.courier.pushed) == [job.id]


async def test_a_job_that_arrives_behind_a_claim_gets_the_slot_that_the_claim_left_free(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1", slots=2)
    jobs = await harness.jobs(2)
    async with asyncio.TaskGroup() as both:
        for job in jobs:
            both.create_task(harness.submit(job))

    assert _jobs(harness.courier.pushed) == [job.id for job in jobs]


async def test_nobody_is_claimed_for_again_because_of_jobs_that_were_handed_out_since(
    harness: DispatchHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = _counted_claims(harness, monkeypatch)
    await harness.seat("w1")
    await harness.submit(*await harness.jobs(5))
    for number in range(5):
        claims.clear()
        await harness.finish(harness.courier.pushed[number])

    assert len(harness.courier.pushed) == 5
    assert len(claims) == 1


async def test_a_job_that_arrives_behind_a_claim_is_not_forgotten_because_the_claim_found_another(
    harness: DispatchHarness,
) -> None:
    await harness.stage.register("w1", SMOOTH, slots=4)
    old, new = await harness.jobs(2)
    await harness.stage.store.submit([old])  # before the server was started again
    harness.dispatcher.connect(await harness.stage.store.open_session("w1", "boot", (), 0))
    await harness.submit(new)

    assert _jobs(harness.courier.pushed) == [old.id, new.id]


async def test_jobs_that_arrive_behind_two_claims_find_both_workers(harness: DispatchHarness) -> None:
    await harness.stage.register("w1", SMOOTH, COUNT)
    await harness.stage.register("w2", COUNT)
    jobs = await harness.jobs(1, SMOOTH) + await harness.jobs(1, COUNT)
    opened = [await harness.stage.store.open_session(worker, "boot", (), 0) for worker in ("w1", "w2")]
    for each in opened:
        harness.dispatcher.connect(each)
    await harness.submit(*jobs)

    assert sorted(_jobs(harness.courier.pushed)) == sorted(job.id for job in jobs)


async def test_a_job_is_handed_out_although_the_worker_that_was_woken_for_it_took_another(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1", SMOOTH, COUNT)
    await harness.seat("w2", SMOOTH)
    smooth = await harness.stage.new_job(SMOOTH)
    count = await harness.stage.new_job(COUNT, priority=10)
    await harness.submit(smooth, count)

    assert sorted(_workers(harness.courier.pushed)) == ["w1", "w2"]


async def test_jobs_that_may_not_run_yet_are_requested_once(
    harness: DispatchHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = extension("Alone", policy=Policy(concurrency=Concurrency("one")))
    claims = _counted_claims(harness, monkeypatch)
    await harness.seat("w1", alone, slots=2)
    claims.clear()
    await harness.submit(*[replace(job, lane="one") for job in await harness.jobs(20, alone)])

    assert len(harness.courier.pushed) == 1
    assert len(claims) == 1


async def test_a_job_that_found_no_free_slot_is_handed_out_when_there_is_one(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1")
    (first,) = await harness.submit_new()
    assert await harness.submit_new() == []

    assert len(await harness.finish(first)) == 1


async def test_the_seats_of_one_claim_go_in_turns(harness: DispatchHarness) -> None:
    for worker in ("w1", "w2", "w3"):
        await harness.seat(worker, slots=3)
    jobs = await harness.jobs(7)
    await harness.submit(*jobs)
    given = {each.fence.job_id: each.worker for each in harness.courier.pushed}
    order = [given[job.id] for job in jobs]

    assert sorted(order[:3]) == ["w1", "w2", "w3"]
    assert order == (order[:3] * 3)[:7]


async def test_a_late_disconnect_of_an_older_session_leaves_the_worker_seated(
    harness: DispatchHarness,
) -> None:
    older = await harness.seat("w1")
    await harness.seat_again("w1")
    harness.dispatcher.disconnect(older)

    assert _workers(await harness.submit_new()) == ["w1"]
    assert WorkerState.OFFLINE not in harness.states("w1")


async def test_a_worker_that_cannot_be_reached_is_given_nothing(harness: DispatchHarness) -> None:
    session = await harness.seat("w1")
    harness.dispatcher.disconnect(session)

    assert await harness.submit_new() == []
    assert harness.states("w1") == [WorkerState.IDLE, WorkerState.OFFLINE]


async def test_a_worker_is_given_nothing_in_a_session_that_was_taken_over(harness: DispatchHarness) -> None:
    await harness.seat("w1")
    opened = await harness.stage.store.open_session("w1", "boot", (), 0)  # its seat follows
    assert await harness.submit_new() == []
    harness.dispatcher.connect(opened)
    await harness.tasks.quiet()

    assert _workers(harness.courier.pushed) == ["w1"]


async def test_a_late_heartbeat_of_an_older_session_frees_no_slot(harness: DispatchHarness) -> None:
    older = await harness.seat("w1")
    await harness.seat_again("w1")
    await harness.submit_new()
    harness.dispatcher.reconcile(older, Reconciled(), 0)

    assert await harness.submit_new() == []


async def test_a_heartbeat_that_was_compared_before_a_job_was_pushed_does_not_free_its_slot(
    harness: DispatchHarness,
) -> None:
    session = await harness.seat("w1")
    changes = harness.changes("w1")
    compared = await harness.stage.store.renew(session, (), 0)
    assert len(await harness.submit_new()) == 1
    harness.dispatcher.reconcile(session, compared, changes)

    assert await harness.submit_new() == []


async def test_a_heartbeat_that_was_compared_before_a_job_ended_does_not_take_its_slot_again(
    harness: DispatchHarness,
) -> None:
    session = await harness.seat("w1")
    (assignment,) = await harness.submit_new()
    await harness.start(assignment)
    changes = harness.changes("w1")
    compared = await harness.stage.store.renew(session, [held(assignment)], assignment.number)
    await harness.end(completed(assignment), "w1")
    harness.dispatcher.reconcile(session, compared, changes)

    assert len(await harness.submit_new()) == 1


async def test_a_server_that_is_about_to_stop_hands_out_nothing_more(harness: DispatchHarness) -> None:
    await harness.seat("w1")
    harness.readiness.leave()

    assert await harness.submit_new() == []


async def test_a_batch_of_two_extensions_wakes_two_workers(harness: DispatchHarness) -> None:
    await harness.seat("w1", SMOOTH, COUNT)
    await harness.seat("w2", SMOOTH, COUNT)
    await harness.submit(*await harness.jobs(1, SMOOTH), *await harness.jobs(1, COUNT))

    assert sorted(_workers(harness.courier.pushed)) == ["w1", "w2"]


async def test_a_job_right_behind_one_of_another_extension_finds_the_other_worker(
    harness: DispatchHarness,
) -> None:
    await harness.seat("w1", SMOOTH, COUNT)
    await harness.seat("w2", SMOOTH, COUNT)
    (first,), (second,) = await harness.jobs(1, SMOOTH), await harness.jobs(1, COUNT)
    async with asyncio.TaskGroup() as group:
        group.create_task(harness.submit(first))
        group.create_task(harness.submit(second))

    assert sorted(_workers(harness.courier.pushed)) == ["w1", "w2"]


async def test_two_jobs_that_arrive_during_two_claims_are_both_handed_out(harness: DispatchHarness) -> None:
    for worker in ("w1", "w2"):
        await harness.stage.register(worker, SMOOTH)
    jobs = await harness.jobs(2)
    opened = [await harness.stage.store.open_session(worker, "boot", (), 0) for worker in ("w1", "w2")]
    for each in opened:
        harness.dispatcher.connect(each)
    await harness.submit(*jobs)

    assert sorted(_workers(harness.courier.pushed)) == ["w1", "w2"]


async def test_a_resend_leaves_the_other_slot_on_offer(harness: DispatchHarness) -> None:
    session = await harness.seat("w1", slots=2)
    await harness.submit_new()
    await harness.beat(session, seen=0)

    assert len(harness.courier.pushed) == 2
    assert len(await harness.submit_new()) == 1
