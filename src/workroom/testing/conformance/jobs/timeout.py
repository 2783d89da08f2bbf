"""A job past its timeout ends; its attempt takes up its worker until that confirms."""

from __future__ import annotations

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobState
from workroom.domain.steps import Progress, Release, Revocation, Start, Step
from workroom.errors import StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    LIVENESS,
    NONCE,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    error_type,
    extension,
    failed,
    held,
)

TIMEOUT = 12.0
TIMED = extension("Smooth", policy=Policy(timeout=TIMEOUT))
RETRIED = extension("Smooth", policy=Policy(timeout=TIMEOUT, retries=1, retry_on=RetryOn.ERROR))


class TimeoutConformance(Conformance):
    async def test_a_job_that_runs_too_long_fails(self, stage: Stage, clock: FakeClock) -> None:
        assignment = await stage.running(await stage.connect("w1", TIMED), TIMED)

        assert await stage.wait(TIMEOUT - 0.1) == Step()
        swept = await stage.wait(0.1)
        job = await stage.job(assignment.fence.job_id)
        assert (job.status, error_type(job)) == (JobState.FAILED, "JobTimeout")
        assert job.completed_at_us == clock.now_us()
        assert [(each.status, each.actor) for each in swept.transitions] == [(JobState.FAILED, "server")]

    async def test_every_step_includes_the_time_until_the_next_timeout(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", TIMED, slots=2)
        first = await stage.assigned(session, TIMED)
        step = await store.start("w1", [Start(first.fence, NONCE)])
        assert step.wake_s == TIMEOUT

        assert (await stage.wait(2)).wake_s == pytest.approx(TIMEOUT - 2)
        second = await stage.assigned(session, TIMED)
        await stage.start(second)
        assert (await stage.wait(3)).wake_s == pytest.approx(TIMEOUT - 5)
        await stage.finish(completed(first))
        assert (await store.sweep()).wake_s == pytest.approx(TIMEOUT - 3)
        await stage.finish(completed(second))
        assert (await store.sweep()).wake_s is None

    async def test_a_backoff_includes_the_time_until_its_end(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", RETRIED), RETRIED)
        step = await store.finish("w1", [failed(assignment)])

        assert step.wake_s is not None
        assert 0.5 < step.wake_s < 1.5
        assert (await stage.wait(0.1)).wake_s == pytest.approx(step.wake_s - 0.1, abs=0.001)

    async def test_its_attempt_is_revoked_once_and_occupies_the_worker_until_it_confirms(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", TIMED)
        assignment = await stage.running(session, TIMED)
        swept = await stage.wait(TIMEOUT)

        assert swept.revoked == [Revocation("w1", assignment.fence.job_id, 1, "timeout")]
        assert swept.released == []
        assert await stage.load("w1") == (0, 1)
        assert await store.sweep() == Step()

        step = await store.finish("w1", [cancelled(assignment)])
        assert (step.released, step.transitions) == ([Release("w1", assignment.fence.job_id, 1)], [])
        assert await stage.load("w1") == (0, 0)

    async def test_its_worker_is_taken_up_until_the_lease_runs_out(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", TIMED), TIMED)
        assert (await stage.wait(LIVENESS.lease - 1)).released == []
        before = await stage.job(assignment.fence.job_id)

        assert (await stage.wait(1)).released == [Release("w1", assignment.fence.job_id, 1)]
        assert await stage.job(assignment.fence.job_id) == before

    async def test_each_heartbeat_repeats_the_revocation(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TIMED)
        assignment = await stage.running(session, TIMED)
        await stage.wait(TIMEOUT)

        for _ in range(2):
            answer = await store.renew(session, [held(assignment)], assignment.number)
            assert (list(answer.cancel), list(answer.keep)) == ([assignment.fence], [])

    async def test_code_that_ends_after_its_timeout_changes_nothing(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TIMED)
        for late_end in (completed, failed):
            assignment = await stage.running(session, TIMED)
            await stage.wait(TIMEOUT, lambda late=assignment: store.renew(session, [held(late)], 0))  # type: ignore[misc]
            before = await stage.job(assignment.fence.job_id)
            progress = await store.append("w1", [Progress(assignment.fence, b"{}")])
            step = await store.finish("w1", [late_end(assignment)])

            assert [type(answer) for answer in progress.answers + step.answers] == [StaleAttempt] * 2
            assert await stage.job(assignment.fence.job_id) == before
        assert await stage.load("w1") == (0, 0)

    async def test_a_job_that_ended_in_time_has_not_timed_out(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", TIMED), TIMED)
        await stage.finish(completed(assignment))

        assert await stage.wait(TIMEOUT) == Step()
        assert await stage.status(assignment) is JobState.COMPLETED

    async def test_a_cancelled_job_has_not_timed_out(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", TIMED), TIMED)
        await store.cancel([assignment.fence.job_id], "ada", "no")

        assert await stage.wait(TIMEOUT) == Step()

    async def test_the_time_runs_from_the_start_of_the_code(self, stage: Stage) -> None:
        assignment = await stage.assigned(await stage.connect("w1", TIMED), TIMED)
        await stage.wait(10)
        await stage.start(assignment)

        assert await stage.wait(TIMEOUT - 1) == Step()
        assert (await stage.wait(1)).revoked != []

    async def test_without_a_timeout_a_job_may_run_for_ever(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)

        assert await stage.wait(3600, lambda: store.renew(session, [held(assignment)], 1)) == Step()

    async def test_an_assignment_includes_its_timeout(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", TIMED)
        assignment = await stage.assigned(await stage.reconnect("w1"), TIMED)
        opened = await store.open_session("w1", "boot", (), 0)

        assert assignment.timeout == TIMEOUT
        assert [again.timeout for again in opened.reconciled.resend] == [TIMEOUT]
        assert (await stage.assigned(await stage.connect("w2", SMOOTH_TOO), SMOOTH_TOO)).timeout is None

    async def test_a_timeout_is_an_error_and_not_a_lost_worker(self, stage: Stage) -> None:
        spec = extension("Smooth", policy=Policy(timeout=TIMEOUT, retries=3))
        assignment = await stage.running(await stage.connect("w1", spec), spec)
        await stage.wait(TIMEOUT)

        assert error_type(await stage.job(assignment.fence.job_id)) == "JobTimeout"

    async def test_with_retry_on_error_it_is_tried_again_while_the_old_attempt_is_stopped(
        self, stage: Stage, store: Store
    ) -> None:
        spare = await stage.connect("w2", RETRIED)
        session = await stage.connect("w1", RETRIED)
        late = await stage.running(session, RETRIED)
        swept = await stage.wait(TIMEOUT)
        assert swept.revoked == [Revocation("w1", late.fence.job_id, 1, "timeout")]
        assert await stage.status(late) is JobState.PENDING
        await stage.wait(1.3)
        (again,) = await stage.claim(spare)
        await stage.start(again)
        assert (await stage.load("w1"), await stage.load("w2")) == ((0, 1), (0, 1))

        answer = await store.renew(session, [held(late)], late.number)
        assert list(answer.cancel) == [late.fence]
        step = await store.finish("w1", [completed(late)])
        assert step.released == [Release("w1", late.fence.job_id, 1)]
        assert await stage.status(again) is JobState.RUNNING
        await stage.finish(completed(again), "w2")
        assert await stage.status(again) is JobState.COMPLETED

    async def test_both_attempts_may_be_of_one_worker(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", RETRIED, slots=2)
        late = await stage.running(session, RETRIED)
        await stage.wait(TIMEOUT)
        await stage.wait(1.3)
        (again,) = await stage.claim(session)
        await stage.start(again)

        answer = await store.renew(session, [held(late), held(again)], again.number)
        assert (list(answer.cancel), list(answer.keep)) == ([late.fence], [again.fence])
        await store.finish("w1", [cancelled(late)])
        assert await stage.load("w1") == (0, 1)
        await stage.finish(completed(again))

    async def test_the_last_retry_that_times_out_fails_with_max_retries(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED, slots=2)
        await stage.running(session, RETRIED)
        await stage.wait(TIMEOUT)
        await stage.wait(1.3)
        (again,) = await stage.claim(session)
        await stage.start(again)
        await stage.wait(TIMEOUT)
        job = await stage.job(again.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "MaxRetriesExceeded")
        assert b"JobTimeout" in (job.error or b"")

    async def test_an_extension_stays_until_the_attempt_of_its_last_job_is_gone(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", TIMED), TIMED)
        await stage.register("w1", SMOOTH_TOO)
        assert (await stage.wait(TIMEOUT)).removed == []

        assert (await store.finish("w1", [cancelled(assignment)])).removed == [TIMED.key]


SMOOTH_TOO = extension("SmoothToo")
