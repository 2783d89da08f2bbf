"""Failed jobs are retried after a backoff, at their old position, as often as their policy allows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobError, JobState
from workroom.domain.queries import JobHistory
from workroom.domain.rules.queue.waiting import WaitCode
from workroom.domain.steps import Start, Step
from workroom.domain.worker import Session
from workroom.errors import StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LIVENESS,
    NONCE,
    Conformance,
    Reopen,
    Stage,
    completed,
    error_type,
    extension,
    failed,
)

RETRIES = 2
RETRIED = extension("Smooth", policy=Policy(retries=RETRIES))
RETRIED_ON_ERROR = extension("Smooth", policy=Policy(retries=RETRIES, retry_on=RetryOn.ERROR))
FIRST_BACKOFF = 1.3  # a second and its jitter, and a little


class RetryConformance(Conformance):
    async def test_a_job_lost_with_its_worker_comes_back_after_a_backoff(self, stage: Stage) -> None:
        job_id = (await stage.running(await stage.connect("w1", RETRIED), RETRIED)).fence.job_id
        session = await stage.reconnect("w1", boot="second")

        assert await stage.claim(session) == []
        await stage.wait(0.79)
        assert await stage.claim(session) == []
        swept = await stage.wait(FIRST_BACKOFF - 0.79)
        assert swept.requeued == {await stage.extension_id(RETRIED)}
        (again,) = await stage.claim(session)
        assert (again.fence.job_id, again.fence.attempt) == (job_id, 2)

    async def test_a_job_is_lost_as_often_as_it_has_retries_and_then_fails(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED)
        job_id = await stage.submit(RETRIED)
        for tries in range(1, RETRIES + 2):
            session = await _run_and_lose(stage, session, boot=f"boot-{tries}")
            assert (await stage.job(job_id)).tries == tries
        job = await stage.job(job_id)

        assert (job.status, job.attempt, error_type(job)) == (JobState.FAILED, 3, "MaxRetriesExceeded")
        assert _error(job.error)["details"]["last_error"]["type"] == "WorkerLost"
        tried = [JobState.PENDING, JobState.ASSIGNED, JobState.RUNNING]
        assert await stage.statuses(job_id) == [*tried * 3, JobState.FAILED]

    async def test_every_way_to_lose_a_worker_is_tried_again(self, stage: Stage, store: Store) -> None:
        silent = await stage.running(await stage.connect("w1", RETRIED), RETRIED)
        await stage.wait(LIVENESS.lease)
        assert await stage.status(silent) is JobState.PENDING
        await store.cancel([silent.fence.job_id], "ada", "no")

        polite = await stage.running(await stage.connect("w2", RETRIED), RETRIED)
        await store.close_session("w2", "goodbye")
        assert await stage.status(polite) is JobState.PENDING
        await store.cancel([polite.fence.job_id], "ada", "no")

        session = await stage.connect("w3", RETRIED)
        forgotten = await stage.running(session, RETRIED)
        await store.renew(session, (), forgotten.number)
        assert await stage.status(forgotten) is JobState.PENDING

    async def test_the_backoff_doubles(self, stage: Stage, clock: FakeClock) -> None:
        spec = extension("Smooth", policy=Policy(retries=10))
        session = await stage.connect("w1", spec)
        job_id = await stage.submit(spec)
        for seconds in (1, 2, 4, 8, 16, 32, 60, 60):
            (assignment,) = await stage.claim(session)
            await stage.start(assignment)
            session = await stage.reconnect("w1", boot=f"boot-{assignment.fence.attempt}")
            waiting = (await stage.job(job_id)).waiting
            assert waiting is not None
            assert waiting.until_us is not None
            assert 0.8 * seconds <= (waiting.until_us - clock.now_us()) / 1e6 <= 1.2 * seconds
            await _let_go_by(stage, 1.21 * seconds)

    async def test_only_a_try_that_was_started_is_charged(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED)
        job_id = await stage.submit(RETRIED)
        for tries in range(1, RETRIES + 2):
            await stage.claim(session)
            session = await stage.reconnect("w1", boot=f"never-started-{tries}")
            job = await stage.job(job_id)
            assert (job.status, job.tries) == (JobState.PENDING, tries - 1)
            assert job.waiting is not None
            assert job.waiting.code is not WaitCode.BACKOFF
            session = await _run_and_lose(stage, session, boot=f"started-{tries}")

        assert error_type(await stage.job(job_id)) == "MaxRetriesExceeded"

    async def test_a_job_in_backoff_blocks_nobody_and_keeps_its_place(self, stage: Stage) -> None:
        await stage.connect("w1", RETRIED, COUNT)
        first, second, third = await stage.submit_many(3, RETRIED)
        other = await stage.submit(COUNT)
        await _run_and_lose(stage, await stage.reconnect("w1"), boot="second", backoff=0)
        session = await stage.reconnect("w1", boot="second")

        assert await stage.claimed_ids(session) == [second]
        await stage.wait(FIRST_BACKOFF)
        assert (await stage.job(first)).queue_position == 0
        assert await stage.claimed_ids(session, 4) == [first, third, other]

    async def test_an_error_is_final_unless_the_policy_retries_errors(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", RETRIED), RETRIED)
        await stage.finish(failed(assignment))
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "ValueError")

    async def test_with_retry_on_error_a_job_fails_as_often_as_it_has_retries(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", RETRIED_ON_ERROR)
        job_id = await stage.submit(RETRIED_ON_ERROR)
        for tries in range(1, RETRIES + 2):
            (assignment,) = await stage.claim(session)
            await stage.start(assignment)
            step = await stage.finish(failed(assignment))
            assert [release.attempt for release in step.released] == [tries]
            assert await stage.claim(session) == []
            await _let_go_by(stage, 5)
        job = await stage.job(job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "MaxRetriesExceeded")
        error = _error(job.error)
        assert error["details"]["last_error"] == {"type": "ValueError", "message": "it broke"}
        assert error["stack_trace"] == "Traceback"
        back = [each for each in await store.read(JobHistory(job_id)) if each.status is JobState.PENDING][1:]
        assert all(each.reason is not None and "ValueError" in each.reason for each in back)

    async def test_with_retry_on_error_a_lost_worker_is_forgiven_too(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", RETRIED_ON_ERROR), RETRIED_ON_ERROR)
        await stage.reconnect("w1", boot="second")

        assert await stage.status(assignment) is JobState.PENDING

    async def test_without_retries_the_error_stays_what_it_was(self, stage: Stage) -> None:
        spec = extension("Smooth", policy=Policy(retry_on=RetryOn.ERROR))
        assignment = await stage.running(await stage.connect("w1", spec), spec)
        await stage.finish(failed(assignment))

        assert error_type(await stage.job(assignment.fence.job_id)) == "ValueError"

    async def test_a_clock_set_back_before_a_restart_costs_a_backoff_at_most_itself(
        self, stage: Stage, reopen: Reopen, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", RETRIED_ON_ERROR)
        await stage.finish(failed(await stage.running(session, RETRIED_ON_ERROR)))
        await stage.store.aclose()
        clock.jump(-3600)
        async with reopen() as again:
            session = await again.reconnect("w1", boot="boot-w1")
            assert await again.claim(session) == []
            await again.wait(FIRST_BACKOFF)
            assert len(await again.claim(session)) == 1

    async def test_a_second_try_can_succeed(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", RETRIED_ON_ERROR)
        await stage.finish(failed(await stage.running(session, RETRIED_ON_ERROR)))
        await stage.wait(FIRST_BACKOFF)
        (again,) = await stage.claim(session)
        await stage.start(again)
        clock.advance(2)
        await stage.finish(completed(again))
        job = await stage.job(again.fence.job_id)

        assert (job.status, job.error, job.tries) == (JobState.COMPLETED, None, 2)
        assert (job.result, job.execution_time_ms) == (b'{"frames":12}', 2000.0)

    @pytest.mark.parametrize("is_due", [False, True])
    async def test_the_attempt_before_is_fenced(self, stage: Stage, store: Store, is_due: bool) -> None:
        session = await stage.connect("w1", RETRIED)
        old = await stage.running(session, RETRIED)
        session = await stage.reconnect("w1", boot="second")
        if is_due:
            await stage.wait(FIRST_BACKOFF)
            await stage.claim(session)
        before = await stage.job(old.fence.job_id)

        assert await stage.refusal(store.start("w1", [Start(old.fence, NONCE)])) is StaleAttempt
        assert await stage.refusal(store.finish("w1", [completed(old)])) is StaleAttempt
        assert await stage.job(old.fence.job_id) == before

    async def test_a_report_that_led_to_a_retry_may_be_sent_again(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", RETRIED_ON_ERROR)
        old = await stage.running(session, RETRIED_ON_ERROR)
        await stage.finish(failed(old))
        other = failed(old, JobError("KeyError", "another", {}, ""))

        async def is_known() -> bool:
            before = await stage.job(old.fence.job_id)
            for report, worker in ((completed(old), "w1"), (other, "w1"), (failed(old), "w2")):
                assert await stage.refusal(store.finish(worker, [report])) is StaleAttempt
            return await stage.finish(failed(old)) == Step(answers=[None]) and (
                await stage.job(old.fence.job_id) == before
            )

        assert await is_known()
        await stage.wait(FIRST_BACKOFF)
        (again,) = await stage.claim(session)
        assert await is_known()
        await stage.start(again)
        assert await is_known()
        await stage.finish(completed(again))
        assert await is_known()

    async def test_a_job_in_backoff_can_be_cancelled(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", RETRIED), RETRIED)
        session = await stage.reconnect("w1", boot="second")
        step = await store.cancel([assignment.fence.job_id], "ada", "no")

        assert (step.answers, step.revoked) == ([None], [])
        assert (await stage.wait(FIRST_BACKOFF)).requeued == set()
        assert await stage.claim(session) == []
        assert await stage.status(assignment) is JobState.CANCELLED

    async def test_an_extension_stays_while_a_job_of_it_is_in_backoff(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", RETRIED), RETRIED)

        assert (await stage.wait(LIVENESS.lease)).removed == []
        assert (await stage.wait(FIRST_BACKOFF)).removed == []
        assert await stage.is_offered(RETRIED)
        assert (await store.cancel([assignment.fence.job_id], "ada", "no")).removed == [RETRIED.key]

    async def test_an_extension_leaves_with_the_last_job_that_gave_up(
        self, stage: Stage, store: Store
    ) -> None:
        spec = extension("Smooth", policy=Policy(retries=1))
        await stage.running(await stage.connect("w1", spec), spec)
        assert (await store.close_session("w1", "bye")).removed == []
        await stage.wait(FIRST_BACKOFF)
        (again,) = await stage.claim(await stage.connect("w1", spec, boot="second"))
        await stage.start(again)

        assert (await store.close_session("w1", "bye")).removed == [spec.key]

    async def test_another_worker_takes_what_came_back(self, stage: Stage) -> None:
        spare = await stage.connect("w2", RETRIED)
        lost = await stage.running(await stage.connect("w1", RETRIED), RETRIED)
        await stage.reconnect("w1", boot="second")
        await stage.wait(FIRST_BACKOFF)
        (again,) = await stage.claim(spare)
        await stage.start(again)

        assert again.fence.job_id == lost.fence.job_id
        assert (await stage.job(again.fence.job_id)).worker == "w2"


async def _run_and_lose(stage: Stage, session: Session, *, boot: str, backoff: float = 5) -> Session:
    """Begin the next job, and lose the worker; then let the backoff go by."""
    (assignment,) = await stage.claim(session)
    await stage.start(assignment)
    rebooted = await stage.reconnect(session.worker, boot=boot)
    await _let_go_by(stage, backoff)
    return rebooted


async def _let_go_by(stage: Stage, seconds: float) -> None:
    """After a gap in sweeping everyone has a full lease."""
    stage.clock.advance(max(seconds, LIVENESS.lease + 1) if seconds else 0)
    await stage.store.sweep()


def _error(document: bytes | None) -> Any:
    assert document is not None
    return json.loads(document)
