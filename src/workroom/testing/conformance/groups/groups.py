"""Jobs of a group are counted, cancelled, paused and resumed as one thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy
from workroom.domain.job import JobState
from workroom.domain.jobs.group import Group, GroupChange, NewGroup
from workroom.domain.queries import FindGroup, FindGroupEnds, FindGroups, FindJobs
from workroom.domain.rules.queue.grouping import CHANGE_BATCH
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.steps import NewJob, Postponement, Step
from workroom.domain.worker import Session
from workroom.errors import GroupClosed, GroupNotFound, RoomNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    ATTIC,
    LAB,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    completed,
    extension,
    failed,
)

TEAM = "grp_team"
LIMITED = extension("Smooth", policy=Policy(concurrency=Concurrency("{provider}")))
RETRIED = extension("Smooth", policy=Policy(retries=3))


class JobGroupConformance(Conformance):
    async def test_a_group_counts_its_jobs_by_state(self, stage: Stage) -> None:
        session = await opened(stage, slots=4)
        await submit(stage, 5)
        first, second, third = await stage.claim(session, 3)
        for assignment in (first, second):
            await stage.start(assignment)
        await stage.finish(completed(first))

        group = await read(stage)

        assert (group.total, group.ended) == (5, 1)
        assert {str(state): count for state, count in group.counts.items()} == {
            "pending": 2,
            "assigned": 1,
            "running": 1,
            "completed": 1,
            "failed": 0,
            "cancelled": 0,
        }
        assert (await stage.job(third.fence.job_id)).group == TEAM

    async def test_a_group_is_what_it_was_created_as(self, stage: Stage, clock: FakeClock) -> None:
        await opened(stage)
        group = await read(stage)

        assert (group.room, group.user, group.title, group.parameters) == (LAB, "ada", "Team", ("window",))
        assert (group.created_at_us, group.ended_at_us) == (clock.now_us(), None)
        assert (group.is_open, group.is_paused, group.is_cancelled, group.change) == (
            True,
            False,
            False,
            None,
        )
        assert await stage.store.read(FindGroup("grp_other")) is None

    async def test_creating_it_again_changes_nothing(self, stage: Stage, store: Store) -> None:
        await opened(stage)
        await submit(stage, 1)
        await store.create_group(NewGroup(TEAM, LAB, "bob", "Other"))
        group = await read(stage)

        assert (group.user, group.title, group.total) == ("ada", "Team", 1)

    async def test_a_group_needs_its_room(self, store: Store) -> None:
        with pytest.raises(RoomNotFound):
            await store.create_group(NewGroup(TEAM, "nowhere", "ada"))

    async def test_each_change_has_a_new_version_and_names_the_group(self, stage: Stage) -> None:
        session = await opened(stage)
        before = await read(stage)
        added = await stage.store.submit([await member(stage)])
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        ended = await stage.finish(completed(assignment))

        assert before.version < added.groups[-1].version < ended.groups[-1].version
        assert [(each.id, each.room) for each in added.groups[-1:]] == [(TEAM, LAB)]
        assert (await read(stage)).version == ended.groups[-1].version

    async def test_jobs_without_a_group_name_none(self, stage: Stage) -> None:
        session = await opened(stage)
        assignment = await stage.running(session)

        assert (await stage.finish(completed(assignment))).groups == []
        assert (await read(stage)).total == 0

    async def test_it_has_ended_when_it_is_closed_and_its_last_job_has(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await opened(stage, slots=2)
        await submit(stage, 2)
        for assignment in await stage.claim(session, 2):
            await stage.start(assignment)
            await stage.finish(completed(assignment))
        assert (await read(stage)).ended_at_us is None
        clock.advance(1.0)
        await change(stage, GroupChange.CLOSE)

        assert (await read(stage)).ended_at_us == clock.now_us()

    async def test_a_closed_group_takes_no_jobs_but_retries(self, stage: Stage, store: Store) -> None:
        session = await opened(stage)
        await submit(stage, 1)
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(failed(assignment))
        await change(stage, GroupChange.CLOSE)
        assert await stage.refusal(store.submit([await member(stage)])) is GroupClosed
        retry = replace(await member(stage), retry_of=assignment.fence.job_id, once=True)

        assert (await store.submit([retry])).answers == [None]
        group = await read(stage)
        assert (group.total, group.counts[JobState.FAILED], group.ended_at_us) == (1, 0, None)

    async def test_a_job_cannot_join_a_group_that_is_missing_or_in_another_room(
        self, stage: Stage, store: Store
    ) -> None:
        await opened(stage)
        await store.create_group(NewGroup("grp_attic", ATTIC, "ada"))

        for group in ("grp_missing", "grp_attic"):
            job = replace(await stage.new_job(SMOOTH), group=group)
            assert await stage.refusal(store.submit([job])) is GroupNotFound

    async def test_a_repeated_submit_counts_once(self, stage: Stage, store: Store) -> None:
        await opened(stage)
        job = await member(stage)
        await store.submit([job])
        await store.submit([job])

        assert (await read(stage)).total == 1

    async def test_its_jobs_are_listed_and_in_the_order_of_their_ends(
        self, stage: Stage, store: Store
    ) -> None:
        session = await opened(stage, slots=3)
        ids = await submit(stage, 3)
        await stage.submit(SMOOTH)
        assignments = await stage.claim(session, 3)
        for assignment in assignments[::-1]:
            await stage.start(assignment)
            await stage.finish(completed(assignment))

        page = await store.read(FindJobs(group=TEAM))
        assert [job.id for job in page.items] == ids[::-1]
        assert await store.read(FindGroupEnds(TEAM)) == ids[::-1]
        assert await store.read(FindGroupEnds(TEAM, after=1, limit=1)) == [ids[1]]
        found = await store.read(FindJobs(group=TEAM, status=JobState.PENDING))
        assert found.items == []

    async def test_the_groups_of_a_room_are_listed_newest_first(self, stage: Stage, store: Store) -> None:
        for number in range(3):
            await store.create_group(NewGroup(f"grp_{number}", LAB, "ada"))
        await store.create_group(NewGroup("grp_attic", ATTIC, "ada"))

        first = await store.read(FindGroups(LAB, limit=2))
        rest = await store.read(FindGroups(LAB, before=first.next_cursor, limit=2))

        assert [group.id for group in first.items] == ["grp_2", "grp_1"]
        assert ([group.id for group in rest.items], rest.next_cursor) == (["grp_0"], None)

    async def test_cancelling_it_cancels_every_unfinished_job(self, stage: Stage) -> None:
        session = await opened(stage, slots=3)
        ids = await submit(stage, 4)
        running, ended, assigned = await stage.claim(session, 3)
        for assignment in (running, ended):
            await stage.start(assignment)
        await stage.finish(completed(ended))
        acknowledged = await change(stage, GroupChange.CANCEL)
        assert acknowledged.wake_s == 0.0
        assert (await read(stage)).is_cancelled

        swept = await stage.store.sweep()

        assert {each.job_id for each in swept.revoked} == {running.fence.job_id, assigned.fence.job_id}
        assert {each.job_id for each in swept.transitions} == {*ids} - {ended.fence.job_id}
        assert {each.reason for each in swept.transitions} == {"no longer wanted"}
        group = await read(stage)
        assert (group.counts[JobState.CANCELLED], group.change, group.is_open) == (3, None, False)
        assert group.ended_at_us is not None

    async def test_a_large_group_is_cancelled_some_jobs_in_each_sweep(
        self, stage: Stage, store: Store
    ) -> None:
        await opened(stage)
        await submit(stage, CHANGE_BATCH + 1)
        await change(stage, GroupChange.CANCEL)
        first = await store.sweep()
        assert (len(first.transitions), first.wake_s) == (CHANGE_BATCH, 0.0)
        assert (await read(stage)).change is GroupChange.CANCEL
        second = await store.sweep()

        assert len(second.transitions) == 1
        assert (await read(stage)).change is None
        assert (await store.sweep()).wake_s is None

    async def test_a_cancelled_group_takes_no_jobs_and_is_not_paused(
        self, stage: Stage, store: Store
    ) -> None:
        await opened(stage)
        await submit(stage, 1)
        await change(stage, GroupChange.CANCEL)
        assert await stage.refusal(store.submit([await member(stage)])) is GroupClosed
        with pytest.raises(GroupClosed):
            await change(stage, GroupChange.PAUSE)
        with pytest.raises(GroupNotFound):
            await store.change_group("grp_missing", GroupChange.CANCEL, "ada", "")

    async def test_a_paused_group_starts_no_further_job_and_keeps_its_places(self, stage: Stage) -> None:
        session = await opened(stage, slots=5)
        first, second = await submit(stage, 2)
        other = await stage.submit(SMOOTH)
        await change(stage, GroupChange.PAUSE)
        await stage.store.sweep()
        assert (await stage.job(first)).waiting == Waiting(WaitCode.PAUSED, group=TEAM)
        (late,) = await submit(stage, 1)
        await change(stage, GroupChange.RESUME)
        swept = await stage.store.sweep()

        assert swept.requeued == {await stage.extension_id(SMOOTH)}
        assert await stage.claimed_ids(session, 5) == [first, second, other, late]

    async def test_while_it_is_paused_others_go_on(self, stage: Stage) -> None:
        session = await opened(stage, slots=5)
        await submit(stage, 2)
        await change(stage, GroupChange.PAUSE)
        await stage.store.sweep()
        other = await stage.submit(SMOOTH)

        assert await stage.claimed_ids(session, 5) == [other]

    async def test_a_job_that_is_given_back_waits_with_its_paused_group(self, stage: Stage) -> None:
        session = await opened(stage, RETRIED)
        assignment = await stage.running(session, RETRIED, group=TEAM)
        await change(stage, GroupChange.PAUSE)
        await stage.store.sweep()
        await stage.reconnect("w1", boot="another")
        assert (await stage.job(assignment.fence.job_id)).waiting == Waiting(WaitCode.PAUSED, group=TEAM)
        await stage.wait(90.0)
        session = await stage.connect("w1", RETRIED, boot="another")
        assert await stage.claimed_ids(session) == []
        await change(stage, GroupChange.RESUME)
        await stage.store.sweep()

        assert await stage.claimed_ids(session) == [assignment.fence.job_id]

    async def test_a_paused_lane_is_open_for_others(self, stage: Stage, store: Store) -> None:
        session = await opened(stage, LIMITED)
        mine = replace(await member(stage, LIMITED), lane="a")
        theirs = replace(await stage.new_job(LIMITED), lane="a")
        await store.submit([mine, theirs])
        await change(stage, GroupChange.PAUSE)
        await store.sweep()

        assert await stage.claimed_ids(session) == [theirs.id]

    async def test_a_delayed_job_of_a_paused_group_waits_for_both(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await opened(stage)
        delay = Postponement(clock.now_us() + 5_000_000)
        job = replace(await member(stage), postponed=delay)
        await store.submit([job])
        await change(stage, GroupChange.PAUSE)
        await stage.wait(10.0)
        assert await stage.claimed_ids(session) == []
        await change(stage, GroupChange.RESUME)
        await store.sweep()

        assert await stage.claimed_ids(session) == [job.id]

    async def test_what_is_being_carried_out_goes_on_after_a_restart(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        await opened(stage)
        await submit(stage, CHANGE_BATCH + 1)
        await change(stage, GroupChange.CANCEL)
        await store.sweep()
        await store.aclose()

        async with reopen() as again:
            await again.store.sweep()
            group = await read(again)
            assert group.counts[JobState.CANCELLED] == CHANGE_BATCH + 1


async def opened(stage: Stage, spec: ExtensionSpec = SMOOTH, *, slots: int = 1) -> Session:
    """A worker, and an open group."""
    session = await stage.connect("w1", spec, slots=slots)
    await stage.store.create_group(NewGroup(TEAM, LAB, "ada", "Team", ("window",)))
    return session


async def member(stage: Stage, spec: ExtensionSpec = SMOOTH, **options: Any) -> NewJob:
    return replace(await stage.new_job(spec, **options), group=TEAM)


async def submit(stage: Stage, count: int) -> list[str]:
    jobs = [await member(stage) for _ in range(count)]
    assert (await stage.store.submit(jobs)).answers == [None] * count
    return [job.id for job in jobs]


async def change(stage: Stage, wanted: GroupChange) -> Step:
    return await stage.store.change_group(TEAM, wanted, "ada", "no longer wanted")


async def read(stage: Stage) -> Group:
    group = await stage.store.read(FindGroup(TEAM))
    assert group is not None
    return group
