"""People cancel: the job ends at once, its attempt holds its worker until that is confirmed."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.steps import Release, Revocation
from workroom.errors import IllegalTransition, JobNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    failed,
)


class CancelConformance(Conformance):
    async def test_a_pending_job_is_cancelled_and_never_handed_out(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        step = await stage.store.cancel([job_id], "eve", "too slow")
        job = await stage.job(job_id)

        assert (step.answers, step.revoked, step.released) == ([None], [], [])
        assert [(each.status, each.actor, each.reason) for each in step.transitions] == [
            (JobState.CANCELLED, "eve", "too slow")
        ]
        assert (job.status, job.version, job.completed_at_us) == (JobState.CANCELLED, 2, clock.now_us())
        assert await stage.claim(session) == []

    async def test_cancelling_an_assigned_job_revokes_the_attempt(self, stage: Stage) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        step = await stage.store.cancel([assignment.fence.job_id], "ada", "no")

        assert await stage.status(assignment) is JobState.CANCELLED
        assert step.revoked == [Revocation("w1", assignment.fence.job_id, 1, "no")]
        assert step.released == []

    async def test_cancelling_a_running_job_revokes_the_attempt(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        step = await stage.store.cancel([assignment.fence.job_id], "ada", "no")

        assert await stage.status(assignment) is JobState.CANCELLED
        assert step.revoked == [Revocation("w1", assignment.fence.job_id, 1, "no")]
        assert step.released == []

    async def test_a_cancelled_attempt_takes_up_its_worker_until_the_worker_confirms(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, waiting = await stage.running(session), await stage.assigned(session)
        await stage.store.cancel([running.fence.job_id, waiting.fence.job_id], "ada", "no")
        assert await stage.load("w1") == (1, 1)

        step = await stage.finish(cancelled(running))
        assert step.released == [Release("w1", running.fence.job_id, 1)]
        assert step.transitions == []
        assert await stage.load("w1") == (1, 0)
        await stage.finish(cancelled(waiting))
        assert await stage.load("w1") == (0, 0)

    async def test_a_cancelled_attempt_takes_up_its_worker_until_the_lease_runs_out(
        self, stage: Stage
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.cancel([assignment.fence.job_id], "ada", "no")
        before = await stage.job(assignment.fence.job_id)
        swept = await stage.wait(LIVENESS.lease)

        assert swept.released == [Release("w1", assignment.fence.job_id, 1)]
        assert await stage.load("w1") == (0, 0)
        assert await stage.job(assignment.fence.job_id) == before

    async def test_code_that_ends_after_the_cancel_frees_its_worker_and_changes_nothing(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        for late_end in (completed, failed):
            assignment = await stage.running(session)
            await store.cancel([assignment.fence.job_id], "ada", "no")
            before = await stage.job(assignment.fence.job_id)
            step = await store.finish("w1", [late_end(assignment)])

            assert [type(answer) for answer in step.answers] == [StaleAttempt]
            assert step.transitions == []
            assert step.released == [Release("w1", assignment.fence.job_id, 1)]
            assert await stage.job(assignment.fence.job_id) == before
        assert await stage.load("w1") == (0, 0)

    async def test_cancelling_twice_is_the_same_as_once(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.cancel([assignment.fence.job_id], "ada", "no")
        again = await store.cancel([assignment.fence.job_id], "bob", "no!")

        assert (again.answers, again.transitions) == ([None], [])
        assert (await stage.job(assignment.fence.job_id)).version == 4

    async def test_a_job_that_has_ended_cannot_be_cancelled(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        for end in (completed, failed):
            assignment = await stage.running(session)
            await stage.finish(end(assignment))
            before = await stage.job(assignment.fence.job_id)

            assert (
                await stage.refusal(store.cancel([assignment.fence.job_id], "ada", "no")) is IllegalTransition
            )
            assert await stage.job(assignment.fence.job_id) == before

    async def test_an_unknown_job_cannot_be_cancelled(self, stage: Stage, store: Store) -> None:
        assert await stage.refusal(store.cancel(["no-such-job"], "ada", "no")) is JobNotFound

    async def test_a_refused_cancel_does_not_keep_back_the_others_of_its_batch(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        first, last = await stage.submit_many(2, SMOOTH)
        step = await stage.store.cancel([first, "no-such-job", last], "ada", "no")

        assert [type(answer) for answer in step.answers] == [type(None), JobNotFound, type(None)]
        assert [each.job_id for each in step.transitions] == [first, last]

    async def test_cancelling_a_requeued_job_sends_nothing_to_its_old_worker(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await stage.reconnect("w1", boot="second")
        step = await store.cancel([assignment.fence.job_id], "ada", "no")

        assert (step.answers, step.revoked) == ([None], [])
