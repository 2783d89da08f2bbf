"""What has run out is let go: leases and start deadlines."""

from __future__ import annotations

import pytest

from workroom.domain.job import JobState
from workroom.domain.steps import Release, Revocation, Start, Step
from workroom.domain.worker import Phase
from workroom.errors import StaleAttempt, WorkerNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LIVENESS,
    NONCE,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    error_type,
    held,
)

LOSSES = 5


class SweepConformance(Conformance):
    async def test_a_sweep_with_nothing_to_let_go_changes_nothing(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.assigned(session)
        await stage.running(session)

        assert await store.sweep() == Step()

    async def test_a_silent_worker_is_lost_when_its_lease_runs_out(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)

        assert await stage.wait(LIVENESS.lease - 1) == Step()
        assert (await stage.wait(1)).offline == ["w1"]
        assert not (await stage.worker("w1")).online
        assert await stage.wait(LIVENESS.lease) == Step()

    async def test_a_lost_worker_loses_what_it_ran(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        swept = await stage.wait(LIVENESS.lease)
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "WorkerLost")
        assert swept.released == [Release("w1", job.id, 1)]
        assert swept.removed == [SMOOTH.key]

    async def test_a_lost_worker_gives_back_what_it_had_not_started(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.wait(LIVENESS.lease - 1)
        assignment = await stage.assigned(session)
        swept = await stage.wait(1)

        assert await stage.status(assignment) is JobState.PENDING
        assert swept.released == [Release("w1", assignment.fence.job_id, 1)]
        assert (swept.requeued, swept.removed) == ({assignment.extension_id}, [])

    async def test_a_lost_worker_must_register_again(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.wait(LIVENESS.lease)

        with pytest.raises(WorkerNotFound):
            await store.renew(session, (), 0)
        with pytest.raises(WorkerNotFound):
            await store.open_session("w1", "boot", (), 0)
        assert (await stage.register("w1", SMOOTH)).is_new is False
        assert (await stage.reconnect("w1")).number > session.number

    async def test_what_a_lost_worker_still_holds_when_it_returns_is_dropped(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.wait(LIVENESS.lease)
        await stage.register("w1", SMOOTH)
        opened = await store.open_session("w1", "boot", [held(assignment)], assignment.number)

        assert (list(opened.reconciled.drop), list(opened.reconciled.keep)) == ([assignment.fence], [])

    async def test_a_worker_that_registers_and_never_connects_is_lost_too(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)

        assert (await stage.wait(LIVENESS.lease)).removed == [SMOOTH.key]

    async def test_only_silent_workers_are_lost(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        session = await stage.connect("w2", SMOOTH)
        swept = await stage.wait(LIVENESS.lease, lambda: store.renew(session, (), 0))

        assert (swept.offline, swept.removed) == (["w1"], [])

    async def test_an_assignment_that_is_not_started_in_time_goes_back(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.assigned(session)
        holds = [held(assignment, Phase.QUEUED)]
        late = LIVENESS.start + LIVENESS.heartbeat
        swept = await stage.wait(late, lambda: store.renew(session, holds, assignment.number))

        assert await stage.status(assignment) is JobState.PENDING
        assert swept.released == [Release("w1", assignment.fence.job_id, 1)]
        assert swept.revoked == [Revocation("w1", assignment.fence.job_id, 1, "start deadline")]
        assert swept.requeued == {assignment.extension_id}
        assert swept.offline == []
        assert await stage.refusal(store.start("w1", [Start(assignment.fence, NONCE)])) is StaleAttempt
        assert list((await store.renew(session, holds, assignment.number)).drop) == [assignment.fence]

    async def test_an_assignment_has_until_the_deadline_to_start(self, stage: Stage) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        assert await stage.wait(LIVENESS.start - 1) == Step()

        await stage.start(assignment)
        assert await stage.wait(LIVENESS.start - 1) == Step()

    async def test_the_start_deadline_runs_only_while_the_worker_has_a_free_slot(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        running, waiting = await stage.running(session), await stage.assigned(session)
        holds = [held(running), held(waiting, Phase.QUEUED)]
        late = 3 * LIVENESS.start
        assert await stage.wait(late, lambda: store.renew(session, holds, waiting.number)) == Step()

        await stage.finish(completed(running))
        swept = await stage.wait(late, lambda: store.renew(session, holds[1:], waiting.number))
        assert [each.job_id for each in swept.released] == [waiting.fence.job_id]

    async def test_setting_the_wall_clock_takes_nothing_from_anyone(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        await stage.running(session)
        await stage.assigned(session)
        assert await store.sweep() == Step()

        for seconds in (3600, -7200):
            clock.jump(seconds)
            assert await store.sweep() == Step()

    async def test_after_a_gap_in_sweeping_assignments_have_the_whole_time_to_start(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        assert await store.sweep() == Step()
        clock.advance(LIVENESS.lease + 1)

        assert await store.sweep() == Step()
        assert await stage.wait(LIVENESS.start - 1) == Step()
        assert await stage.status(assignment) is JobState.ASSIGNED

    async def test_after_a_gap_in_sweeping_everyone_gets_a_full_lease(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        silent = await stage.running(await stage.connect("w1", SMOOTH))
        disconnected = await stage.connect("w2", COUNT)
        await store.disconnect(disconnected)
        clock.advance(LIVENESS.lease + 1)

        assert await store.sweep() == Step()
        assert await stage.wait(LIVENESS.lease - 1) == Step()
        assert await stage.status(silent) is JobState.RUNNING
        assert set((await stage.wait(1)).offline) == {"w1", "w2"}

    async def test_a_job_whose_workers_are_lost_five_times_fails(self, stage: Stage) -> None:
        job_id = await _lose(stage, LOSSES - 1)
        assert (await stage.job(job_id)).status is JobState.PENDING

        await _lose(stage, 1, job_id)
        job = await stage.job(job_id)
        assert (job.status, error_type(job), job.attempt) == (JobState.FAILED, "WorkerLost", LOSSES)
        assert not await stage.is_offered(SMOOTH)

    async def test_a_job_whose_workers_are_lost_four_times_may_still_complete(self, stage: Stage) -> None:
        job_id = await _lose(stage, LOSSES - 1)
        (assignment,) = await stage.claim(await stage.connect("w1", SMOOTH))
        await stage.start(assignment)
        await stage.finish(completed(assignment))

        assert await stage.statuses(job_id) == [
            *[JobState.PENDING, JobState.ASSIGNED] * LOSSES,
            JobState.RUNNING,
            JobState.COMPLETED,
        ]


async def _lose(stage: Stage, times: int, job_id: str | None = None) -> str:
    """Hand a job out so many times to workers that are lost before they start it."""
    for _ in range(times):
        session = await stage.connect("w1", SMOOTH)
        job_id = job_id or await stage.submit(SMOOTH)
        await stage.wait(LIVENESS.lease - 1)
        assert await stage.claimed_ids(session) == [job_id]
        await stage.wait(1)
    assert job_id is not None
    return job_id
