"""A job with arrows starts after others have ended, or is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.job import JobState
from workroom.domain.jobs.group import GroupChange, Neighbours, NewGroup
from workroom.domain.queries import FindNeighbours, JobHistory
from workroom.domain.rules.queue.following import FOLLOW_BATCH, SKIPPER
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.steps import Assignment, NewJob, Postponement
from workroom.domain.worker import Session
from workroom.errors import GroupNotFound, GroupOpen, JobNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    ATTIC,
    LAB,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    cancelled,
    completed,
    failed,
)

TEAM = "grp_team"


class ArrowConformance(Conformance):
    async def test_a_job_starts_when_the_one_before_has_completed(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        second = await after(stage, [first.fence.job_id])
        assert await stage.claimed_ids(session) == []

        step = await stage.finish(completed(first))

        assert step.requeued == {await stage.extension_id(SMOOTH)}
        assert await stage.claimed_ids(session) == [second]

    async def test_it_waits_for_the_other_and_has_no_place_in_the_queue(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        job = await stage.job(await after(stage, [first.fence.job_id]))

        assert job.waiting == Waiting(WaitCode.AFTER, job=first.fence.job_id, count=1)
        assert job.queue_position is None

    async def test_it_waits_for_all_of_them(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        before = [await stage.running(session) for _ in range(3)]
        ids = [each.fence.job_id for each in before]
        last = await after(stage, [*ids, ids[0]])
        for assignment in before[:2]:
            await stage.finish(completed(assignment))
        assert await stage.claimed_ids(session) == []
        waiting = (await stage.job(last)).waiting
        assert waiting == Waiting(WaitCode.AFTER, job=ids[2], count=1)
        await stage.finish(completed(before[2]))

        assert await stage.claimed_ids(session) == [last]

    async def test_it_is_skipped_if_the_one_before_fails(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        second = await after(stage, [first.fence.job_id])
        await stage.finish(failed(first))

        skipped = (await store.read(JobHistory(second)))[-1]

        assert (skipped.status, skipped.actor) == (JobState.CANCELLED, SKIPPER)
        assert skipped.reason == f"job {first.fence.job_id} failed"
        assert await stage.claimed_ids(session) == []

    async def test_any_end_may_be_enough(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        for end in (failed, cancelled, completed):
            first = await stage.running(session)
            second = await after(stage, [first.fence.job_id], on_end=True)
            await stage.finish(end(first))
            (assignment,) = await stage.claim(session)
            assert assignment.fence.job_id == second
            await stage.start(assignment)
            await stage.finish(completed(assignment))

    async def test_cancelling_the_head_cancels_what_waits_for_it(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        ids = [await stage.submit(SMOOTH)]
        for _ in range(20):
            ids.append(await after(stage, ids[-1:]))

        step = await store.cancel(ids[:1], "ada", "no longer wanted")

        assert [each.job_id for each in step.transitions] == ids
        reasons = [each.reason for each in step.transitions[1:]]
        assert reasons == [f"job {before} was cancelled" for before in ids[:-1]]
        assert {each.status for each in step.transitions} == {JobState.CANCELLED}

    async def test_what_has_ended_counts_at_once(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        done, broken = await stage.running(session), await stage.running(session)
        await stage.finish(completed(done))
        await stage.finish(failed(broken))
        good = await waiting_job(stage, [done.fence.job_id])
        bad = await waiting_job(stage, [done.fence.job_id, broken.fence.job_id])
        step = await store.submit([good, bad])

        assert step.answers == [None, None]
        assert [each.status for each in step.transitions if each.job_id == bad.id] == [
            JobState.PENDING,
            JobState.CANCELLED,
        ]
        assert await stage.claimed_ids(session, 3) == [good.id]

    async def test_a_job_that_is_known_to_be_skipped_is_cancelled_at_once(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        skipped = replace(await stage.new_job(SMOOTH), postponed=Postponement(skip="job x failed"))
        step = await stage.store.submit([skipped])

        assert [each.reason for each in step.transitions] == [None, "job x failed"]

    async def test_it_may_wait_for_a_time_too(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        run_us = clock.now_us() + 60_000_000
        second = await after(stage, [first.fence.job_id], run_us=run_us)
        step = await stage.finish(completed(first))
        assert step.wake_s == 60.0
        assert (await stage.job(second)).waiting == Waiting(WaitCode.RUN_AT, until_us=run_us)
        await stage.wait(60.0, lambda: stage.store.renew(session, [], 0))

        assert await stage.claimed_ids(session) == [second]

    async def test_a_job_cannot_wait_for_what_is_missing_or_in_another_room(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.create_group(NewGroup("grp_attic", ATTIC, "ada"))

        assert await stage.refusal(store.submit([await waiting_job(stage, ["nobody"])])) is JobNotFound
        for group in ("grp_missing", "grp_attic"):
            assert await stage.refusal(store.submit([await waiting_job(stage, [group])])) is GroupNotFound

    async def test_a_cancelled_job_waits_no_more(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        second = await after(stage, [first.fence.job_id])
        await store.cancel([second], "ada", "no longer wanted")

        step = await stage.finish(completed(first))

        assert [each.job_id for each in step.transitions] == [first.fence.job_id]
        assert await stage.claimed_ids(session) == []

    async def test_many_that_wait_are_updated_some_in_each_step(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        many = [await waiting_job(stage, [first.fence.job_id]) for _ in range(FOLLOW_BATCH + 3)]
        await store.submit(many)
        assert (await stage.finish(completed(first))).wake_s == 0.0
        assert len(await stage.claimed_ids(session, FOLLOW_BATCH * 2)) == FOLLOW_BATCH
        await store.sweep()

        assert len(await stage.claimed_ids(session, FOLLOW_BATCH * 2)) == 3

    async def test_what_was_not_updated_goes_on_after_a_restart(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        many = [await waiting_job(stage, [first.fence.job_id]) for _ in range(FOLLOW_BATCH + 3)]
        await store.submit(many)
        await stage.finish(failed(first))
        await store.aclose()

        async with reopen() as again:
            assert len((await again.store.sweep()).transitions) == 3

    async def test_a_collector_starts_once_when_its_whole_group_has_completed(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        members = await team(stage, session, 3)
        collector = await after(stage, [TEAM])
        waiting = (await stage.job(collector)).waiting
        assert waiting == Waiting(WaitCode.AFTER, group=TEAM, count=1)
        for assignment in members[:2]:
            await stage.finish(completed(assignment))
        assert await stage.claimed_ids(session) == []
        await stage.finish(completed(members[2]))

        assert await stage.claimed_ids(session) == [collector]

    async def test_a_collector_is_skipped_if_a_job_of_its_group_does_not_complete(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        members = await team(stage, session, 2)
        strict, lenient = await after(stage, [TEAM]), await after(stage, [TEAM], on_end=True)
        await stage.finish(failed(members[0]))
        assert (await stage.job(strict)).status is JobState.PENDING
        await stage.finish(completed(members[1]))

        assert (await store.read(JobHistory(strict)))[-1].reason == f"group {TEAM} did not complete"
        assert await stage.claimed_ids(session) == [lenient]

    async def test_arrows_are_kept_when_they_have_been_followed(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        first = await stage.running(session)
        (member,) = await team(stage, session, 1)
        last = await after(stage, [first.fence.job_id, TEAM])
        skipped = await after(stage, [last])
        for assignment in (member, first):
            await stage.finish(completed(assignment))
        await store.cancel([last], "ada", "no longer wanted")

        for job_id, neighbours in (
            (first.fence.job_id, Neighbours((), (last,))),
            (last, Neighbours(tuple(sorted([first.fence.job_id, TEAM])), (skipped,))),
            (skipped, Neighbours((last,), ())),
            (member.fence.job_id, Neighbours((), ())),
        ):
            assert await store.read(FindNeighbours(job_id)) == neighbours

    async def test_nobody_waits_for_an_open_group_so_that_no_jobs_wait_in_a_circle(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        await team(stage, session, 1, closed=False)
        outside = await waiting_job(stage, [TEAM])

        assert await stage.refusal(store.submit([outside])) is GroupOpen
        assert await stage.refusal(store.submit([replace(outside, group=TEAM)])) is GroupOpen

    async def test_a_group_that_has_ended_counts_at_once(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        (member,) = await team(stage, session, 1)
        await stage.finish(completed(member))

        assert await stage.claimed_ids(session) == []
        collector = await after(stage, [TEAM])
        assert await stage.claimed_ids(session) == [collector]


async def waiting_job(
    stage: Stage, before: Sequence[str], *, on_end: bool = False, run_us: int | None = None
) -> NewJob:
    return replace(await stage.new_job(SMOOTH), postponed=Postponement(run_us, tuple(before), on_end))


async def after(
    stage: Stage, before: Sequence[str], *, on_end: bool = False, run_us: int | None = None
) -> str:
    job = await waiting_job(stage, before, on_end=on_end, run_us=run_us)
    assert (await stage.store.submit([job])).answers == [None]
    return job.id


async def team(stage: Stage, session: Session, count: int, *, closed: bool = True) -> list[Assignment]:
    """The running jobs of a group."""
    await stage.store.create_group(NewGroup(TEAM, LAB, "ada"))
    members = [await stage.running(session, group=TEAM) for _ in range(count)]
    if closed:
        await stage.store.change_group(TEAM, GroupChange.CLOSE, "ada", "")
    return members
