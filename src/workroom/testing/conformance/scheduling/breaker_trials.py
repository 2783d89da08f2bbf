"""After a break of the circuit breaker, one job that has not failed may try."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobState
from workroom.domain.steps import Assignment, Report, Seat
from workroom.domain.worker import Session
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.scheduling.breaker import (
    BREAK,
    THRESHOLD,
    after_the_break,
    fail,
    fail_waiting,
    open_breaker,
)
from workroom.testing.conformance.stage import (
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
    held,
)


class TrialConformance(Conformance):
    async def test_exactly_one_may_try(self, stage: Stage, store: Store) -> None:
        sessions = [await stage.connect(f"w{number}", SMOOTH, slots=9) for number in range(1, 5)]
        await open_breaker(stage, sessions[0])
        first, *_ = await stage.submit_many(9, SMOOTH)
        await after_the_break(stage)
        one = store.claim([Seat(session, 3) for session in sessions[:2]])
        two = [store.claim([Seat(session, 3)]) for session in sessions[2:]]
        answers = await asyncio.gather(one.durable, *(receipt.durable for receipt in two))

        (trial,) = [assignment for claimed in answers for assignment in claimed.assignments]
        assert trial.fence.job_id == first
        await stage.start(trial)
        assert await stage.claim(sessions[3], 9) == []

    async def test_a_success_lets_all_go_on(self, stage: Stage) -> None:
        session, trial = await _trial(stage)
        await stage.start(trial)
        step = await stage.finish(completed(trial))

        assert step.requeued == {trial.extension_id}
        assert len(await stage.claim(session, 5)) == 3

    async def test_after_a_success_five_failures_are_needed_again(self, stage: Stage, store: Store) -> None:
        session, trial = await _trial(stage)
        await stage.start(trial)
        await stage.finish(completed(trial))
        await fail_waiting(stage, session, 3)
        await fail(stage, session, 1)
        await stage.finish(failed(await stage.running(session)))
        await stage.submit(SMOOTH)

        assert await stage.claim(session) == []

    async def test_a_failure_opens_it_for_another_break(self, stage: Stage, clock: FakeClock) -> None:
        session, trial = await _trial(stage)
        await stage.start(trial)
        clock.advance(20)
        await stage.finish(failed(trial))

        clock.advance(BREAK - 0.001)
        assert await stage.claim(session) == []
        clock.advance(0.001)
        assert len(await stage.claim(session, 5)) == 1

    async def test_a_timeout_of_the_trial_is_a_failure(self, stage: Stage) -> None:
        spec = extension("Smooth", policy=Policy(timeout=4))
        session = await stage.connect("w1", spec, slots=9)
        await open_breaker(stage, session)
        await stage.submit_many(2, spec)
        await after_the_break(stage)
        (trial,) = await stage.claim(session)
        await stage.start(trial)
        await stage.wait(4)
        assert await stage.status(trial) is JobState.FAILED
        assert await stage.claim(session) == []
        await after_the_break(stage)

        assert len(await stage.claim(session, 5)) == 1

    @pytest.mark.parametrize("is_started", [False, True])
    async def test_a_trial_lost_with_its_worker_lets_another_try(
        self, stage: Stage, is_started: bool
    ) -> None:
        _, trial = await _trial(stage)
        if is_started:
            await stage.start(trial)
        session = await stage.reconnect("w1", boot="second")

        assert len(await stage.claim(session, 5)) == 1

    async def test_a_trial_whose_worker_is_silent_lets_another_try(self, stage: Stage) -> None:
        _, trial = await _trial(stage)
        await stage.start(trial)
        await stage.wait(LIVENESS.lease)

        assert len(await stage.claim(await stage.connect("w2", SMOOTH), 5)) == 1

    async def test_a_trial_that_is_not_started_in_time_lets_another_try(
        self, stage: Stage, store: Store
    ) -> None:
        session, trial = await _trial(stage)
        await stage.wait(LIVENESS.start + 5, lambda: store.renew(session, (), 0))
        assert await stage.status(trial) is JobState.PENDING

        assert len(await stage.claim(session, 5)) == 1

    @pytest.mark.parametrize("is_started", [False, True])
    async def test_a_cancelled_trial_lets_another_try_once_its_worker_confirms(
        self, stage: Stage, store: Store, is_started: bool
    ) -> None:
        session, trial = await _trial(stage)
        if is_started:
            await stage.start(trial)
        await store.cancel([trial.fence.job_id], "ada", "no")
        await store.renew(session, [held(trial)], trial.number)
        assert await stage.claim(session, 5) == []
        await store.finish("w1", [cancelled(trial)])

        assert len(await stage.claim(session, 5)) == 1
        assert await stage.claim(session, 5) == []

    @pytest.mark.parametrize("end", [completed, failed])
    async def test_how_a_cancelled_trial_ended_is_no_verdict(
        self, stage: Stage, store: Store, end: Callable[[Assignment], Report]
    ) -> None:
        session, trial = await _trial(stage)
        await stage.start(trial)
        await store.cancel([trial.fence.job_id], "ada", "no")
        await store.finish("w1", [end(trial)])

        assert len(await stage.claim(session, 5)) == 1

    async def test_a_cancelled_trial_lets_another_try_once_its_lease_runs_out(
        self, stage: Stage, store: Store
    ) -> None:
        _, trial = await _trial(stage)
        await stage.start(trial)
        await store.cancel([trial.fence.job_id], "ada", "no")
        other = await stage.connect("w2", SMOOTH)
        await stage.wait(LIVENESS.lease - 1, lambda: store.renew(other, (), 0))
        assert await stage.claim(other, 5) == []
        await stage.wait(1, lambda: store.renew(other, (), 0))

        assert len(await stage.claim(other, 5)) == 1

    async def test_an_earlier_attempt_at_the_same_job_that_lets_go_does_not_end_the_trial(
        self, stage: Stage, store: Store
    ) -> None:
        spec = extension("Smooth", policy=Policy(retries=9, retry_on=RetryOn.ERROR, timeout=4))
        session = await stage.connect("w1", spec, slots=9)
        deaf = await stage.running(session, spec)
        await fail(stage, session, THRESHOLD - 1, spec)
        await stage.wait(4, lambda: store.renew(session, [held(deaf)], deaf.number))
        await after_the_break(stage)
        (trial,) = await stage.claim(session, 9)
        assert trial.fence.job_id == deaf.fence.job_id
        await stage.start(trial)
        await store.finish("w1", [completed(deaf)])

        assert await stage.claim(session, 9) == []
        await stage.finish(completed(trial))
        assert len(await stage.claim(session, 9)) == THRESHOLD - 1

    async def test_a_success_of_who_began_before_does_not_end_the_break(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        first, second = [await stage.running(session) for _ in range(2)]
        await open_breaker(stage, session)
        await stage.submit_many(2, SMOOTH)
        await stage.finish(completed(first))
        assert await stage.claim(session) == []
        clock.advance(BREAK)
        (trial,) = await stage.claim(session, 9)
        await stage.finish(completed(second))

        assert await stage.claim(session) == []
        await stage.start(trial)
        await stage.finish(completed(trial))
        assert len(await stage.claim(session)) == 1

    async def test_a_trial_that_its_worker_cancels_lets_another_try(self, stage: Stage) -> None:
        session, trial = await _trial(stage)
        await stage.start(trial)
        await stage.finish(cancelled(trial))

        assert len(await stage.claim(session, 5)) == 1

    async def test_the_trial_goes_back_at_its_old_place(self, stage: Stage) -> None:
        _, trial = await _trial(stage)
        session = await stage.reconnect("w1", boot="second")
        (again,) = await stage.claim(session)

        assert (again.fence.job_id, again.fence.attempt) == (trial.fence.job_id, 2)
        await stage.start(again)

    async def test_a_trial_is_never_fetched_ahead(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await open_breaker(stage, session)
        await stage.submit_many(3, SMOOTH)
        await after_the_break(stage)
        seat = Seat(session, 3, frozenset({await stage.extension_id(SMOOTH)}))

        assert (await store.claim([seat]).durable).assignments == []
        assert len(await stage.claim(session, 3)) == 1

    async def test_a_failure_of_who_began_before_does_not_lengthen_the_break(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        late = await stage.running(session)
        await open_breaker(stage, session)
        clock.advance(30)
        await stage.finish(failed(late))
        await stage.submit(SMOOTH)
        clock.advance(30)

        assert len(await stage.claim(session)) == 1


async def _trial(stage: Stage) -> tuple[Session, Assignment]:
    """One of four jobs was handed out to try."""
    session = await stage.connect("w1", SMOOTH, slots=9)
    await open_breaker(stage, session)
    await stage.submit_many(4, SMOOTH)
    await after_the_break(stage)
    (trial,) = await stage.claim(session, 5)
    return session, trial
