"""The circuit breaker: after five jobs that fail there is a break of a minute."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy, RetryOn
from workroom.domain.job import JobError, JobState
from workroom.domain.rules.failure import REFUSED_INPUT
from workroom.domain.steps import Start
from workroom.domain.worker import Session
from workroom.errors import StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    NONCE,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
)

THRESHOLD = 5
WINDOW = 20
BREAK = 60.0
LONGEST_BACKOFF = 75.0
RETRIED = extension("Smooth", policy=Policy(retries=100, retry_on=RetryOn.ERROR))
REFUSED = JobError(REFUSED_INPUT, "the window is too wide", {}, "")


class BreakerConformance(Conformance):
    async def test_five_jobs_that_fail_stop_the_extension(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await fail(stage, session, THRESHOLD - 1)
        last = await stage.running(session)
        await stage.submit(SMOOTH)
        await stage.finish(failed(last))
        other = await stage.submit(COUNT)

        assert await stage.claimed_ids(session, 5) == [other]

    async def test_failures_count_if_they_are_half_of_the_last_ends(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        for _ in range(WINDOW + 5):
            await stage.finish(completed(await stage.running(session)))
        await fail(stage, session, WINDOW // 2 - 1)
        await stage.submit(SMOOTH)
        (last,) = await stage.claim(session)
        await stage.start(last)
        await stage.submit(SMOOTH)
        await stage.finish(failed(last))

        assert await stage.claim(session) == []

    async def test_tries_of_one_job_count_once(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED)
        poison = await stage.submit(RETRIED)
        for _ in range(3 * THRESHOLD):
            (again,) = await stage.claim(session)
            assert again.fence.job_id == poison
            await stage.start(again)
            await stage.finish(failed(again))
            await stage.wait(LONGEST_BACKOFF, lambda: stage.store.renew(session, (), again.number))  # noqa: B023

        await stage.submit(RETRIED)
        assert len(await stage.claim(session, 2)) == 2

    async def test_twenty_jobs_that_always_fail_do_not_hold_up_a_thousand(
        self, stage: Stage, store: Store
    ) -> None:
        slots, rounds = 20, 0
        session = await stage.connect("w1", RETRIED, slots=slots)
        jobs = await stage.submit_many(1000, RETRIED)
        poison = set(jobs[7::50])
        healthy = set(jobs) - poison
        while healthy:
            rounds += 1
            claimed = await stage.claim(session, slots)
            assert len(claimed) >= min(slots, len(healthy))
            await store.start("w1", [Start(each.fence, NONCE) for each in claimed])
            is_poison = [each.fence.job_id in poison for each in claimed]
            reports = [
                failed(each) if fails else completed(each)
                for each, fails in zip(claimed, is_poison, strict=True)
            ]
            assert (await store.finish("w1", reports)).answers == [None] * len(claimed)
            healthy -= {each.fence.job_id for each in claimed}
            stage.clock.advance(1)
            await store.renew(session, (), claimed[-1].number)
            await store.sweep()

        assert rounds <= 2 * len(jobs) / slots

    async def test_a_job_that_has_not_failed_before_tries(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED, slots=9)
        await open_breaker(stage, session, RETRIED)
        fresh = await stage.submit(RETRIED)
        await after_the_break(stage)
        (trial,) = await stage.claim(session, 9)
        assert trial.fence.job_id == fresh
        await stage.start(trial)
        await stage.finish(completed(trial))

        assert len(await stage.claim(session, 9)) == THRESHOLD

    async def test_a_job_that_failed_before_tries_if_there_is_no_other(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED, slots=9)
        await open_breaker(stage, session, RETRIED)
        await after_the_break(stage)
        (trial,) = await stage.claim(session, 9)
        await stage.start(trial)
        await stage.finish(failed(trial))
        fresh = await stage.submit(RETRIED)
        assert await stage.claim(session, 9) == []
        await after_the_break(stage)

        assert await stage.claimed_ids(session, 9) == [fresh]

    async def test_a_trial_may_come_from_behind_a_job_that_failed_before_in_its_lane(
        self, stage: Stage, store: Store
    ) -> None:
        policy = replace(RETRIED.policy, concurrency=Concurrency("{window}", {"one": 1}))
        spec = extension("Smooth", policy=policy)
        session = await stage.connect("w1", spec, slots=9)
        for _ in range(THRESHOLD):
            await store.submit([replace(await stage.new_job(spec), lane="one")])
            (assignment,) = await stage.claim(session)
            await stage.start(assignment)
            await stage.finish(failed(assignment))
        fresh = replace(await stage.new_job(spec), lane="one")
        await store.submit([fresh])
        await after_the_break(stage)
        (trial,) = await stage.claim(session, 9)
        assert trial.fence.job_id == fresh.id
        await stage.start(trial)
        await stage.finish(completed(trial))

        assert len(await stage.claim(session, 9)) == 1

    async def test_refused_input_does_not_count(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await fail(stage, session, THRESHOLD - 1)
        for _ in range(2 * THRESHOLD):
            await stage.finish(failed(await stage.running(session), REFUSED))

        await fail(stage, session, 1)
        await stage.submit(SMOOTH)
        assert await stage.claim(session) == []

    async def test_lost_workers_and_cancelled_jobs_do_not_count(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        for number in range(THRESHOLD):
            await stage.running(session)
            session = await stage.reconnect("w1", boot=f"boot-{number}")
            assignment = await stage.running(session)
            await store.cancel([assignment.fence.job_id], "ada", "no")
            await stage.finish(cancelled(assignment))

        await stage.assigned(session)

    async def test_failures_that_are_retried_and_timeouts_count(self, stage: Stage) -> None:
        policy = Policy(retries=100, retry_on=RetryOn.ERROR, timeout=10)
        spec = extension("Smooth", policy=policy)
        session = await stage.connect("w1", spec, slots=9)
        await stage.submit_many(THRESHOLD, spec)
        running = await stage.claim(session, THRESHOLD)
        for assignment in running:
            await stage.start(assignment)
        for assignment in running[:2]:
            await stage.finish(failed(assignment))
        await stage.wait(10)
        await stage.wait(1.3)

        assert await stage.claim(session, 9) == []

    async def test_what_was_handed_out_before_may_not_start(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        await stage.submit_many(THRESHOLD + 1, SMOOTH)
        *failing, late = await stage.claim(session, THRESHOLD + 1)
        for assignment in failing:
            await stage.start(assignment)
            await stage.finish(failed(assignment))
        step = await store.start("w1", [Start(late.fence, NONCE)])

        assert [type(answer) for answer in step.answers] == [StaleAttempt]
        assert [(each.job_id, each.attempt) for each in step.released] == [(late.fence.job_id, 1)]
        job = await stage.job(late.fence.job_id)
        assert (job.status, job.tries) == (JobState.PENDING, 0)
        assert await stage.load("w1") == (0, 0)

    async def test_what_was_running_may_end(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        running = await stage.running(session)
        await open_breaker(stage, session)
        await stage.finish(completed(running))

        assert await stage.status(running) is JobState.COMPLETED

    async def test_nobody_may_try_before_the_break_is_over(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        await open_breaker(stage, session)
        await stage.submit(SMOOTH)
        clock.advance(BREAK - 0.001)
        assert await stage.claim(session) == []

        clock.advance(0.001)
        assert len(await stage.claim(session)) == 1

    async def test_a_sweep_reports_the_end_of_the_break(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await open_breaker(stage, session)
        await stage.submit(SMOOTH)
        assert (await store.sweep()).requeued == set()
        await after_the_break(stage)

        assert (await store.sweep()).requeued == {await stage.extension_id(SMOOTH)}
        await stage.claim(session)
        assert (await store.sweep()).requeued == set()


async def fail(stage: Stage, session: Session, count: int, spec: ExtensionSpec = SMOOTH) -> None:
    for _ in range(count):
        await stage.finish(failed(await stage.running(session, spec)))


async def fail_waiting(stage: Stage, session: Session, count: int) -> None:
    for _ in range(count):
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(failed(assignment))


async def open_breaker(stage: Stage, session: Session, spec: ExtensionSpec = SMOOTH) -> None:
    await fail(stage, session, THRESHOLD, spec)


async def after_the_break(stage: Stage) -> None:
    """After a gap in sweeping everyone has a full lease."""
    stage.clock.advance(BREAK)
    await stage.store.sweep()
