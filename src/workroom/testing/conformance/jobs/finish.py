"""Attempts come to their end, and every step of a job is on record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from workroom.domain.job import Fence, JobState
from workroom.domain.queries import JobHistory
from workroom.domain.steps import Assignment, Release, Report
from workroom.errors import IllegalTransition, JobNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    BROKEN,
    LAB,
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    error_type,
    failed,
)


class FinishConformance(Conformance):
    async def test_a_completed_job_has_its_result_and_frees_its_worker(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        clock.advance(7)
        step = await stage.finish(completed(assignment, b'{"frames":12}'))
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, job.version, job.worker) == (JobState.COMPLETED, 4, "w1")
        assert (job.result, job.error) == (b'{"frames":12}', None)
        assert (job.completed_at_us, job.execution_time_ms) == (clock.now_us(), 7000)
        assert [each.status for each in step.transitions] == [JobState.COMPLETED]
        assert step.released == [Release("w1", job.id, 1)]
        assert await stage.load("w1") == (0, 0)

    async def test_a_job_may_complete_without_a_result(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(assignment, None))
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, job.result, job.error) == (JobState.COMPLETED, None, None)

    async def test_a_failed_job_has_its_error(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        step = await stage.finish(failed(assignment))
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, job.result) == (JobState.FAILED, None)
        assert json.loads(job.error or b"null") == asdict(BROKEN)
        assert step.released == [Release("w1", job.id, 1)]

    async def test_a_worker_may_end_its_attempt_as_cancelled(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(cancelled(assignment))

        assert await stage.status(assignment) is JobState.CANCELLED
        assert await stage.load("w1") == (0, 0)

    @pytest.mark.parametrize("ending", [completed, failed, cancelled])
    async def test_an_identical_repeat_is_accepted_and_changes_nothing(
        self, stage: Stage, ending: Callable[[Assignment], Report]
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        report = ending(assignment)
        await stage.finish(report)
        before = await stage.job(assignment.fence.job_id)
        again = await stage.finish(report)

        assert (again.transitions, again.released) == ([], [])
        assert await stage.job(assignment.fence.job_id) == before

    async def test_another_end_after_the_end_is_refused(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(assignment))
        before = await stage.job(assignment.fence.job_id)

        for report in (failed(assignment), cancelled(assignment)):
            assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        assert await stage.job(assignment.fence.job_id) == before

    async def test_the_same_end_with_another_outcome_is_refused(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        done, broken = await stage.running(session), await stage.running(session)
        await stage.finish(completed(done, b"1"))
        await stage.finish(failed(broken))
        other = replace(BROKEN, type="KeyError")

        for report in (completed(done, b"2"), completed(done, None), failed(broken, other)):
            assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        assert (await stage.job(done.fence.job_id)).result == b"1"
        assert error_type(await stage.job(broken.fence.job_id)) == "ValueError"

    @pytest.mark.parametrize("status", [JobState.PENDING, JobState.ASSIGNED, JobState.RUNNING])
    async def test_a_state_that_is_no_end_is_refused(
        self, stage: Stage, store: Store, status: JobState
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        report = Report(assignment.fence, status)

        assert await stage.refusal(store.finish("w1", [report])) is IllegalTransition
        await stage.finish(completed(assignment))

    async def test_a_job_cannot_complete_before_it_was_started(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))

        assert await stage.refusal(store.finish("w1", [completed(assignment)])) is IllegalTransition
        assert await stage.load("w1") == (1, 0)
        await stage.start(assignment)

    async def test_a_job_that_cannot_be_started_may_fail(self, stage: Stage) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await stage.finish(failed(assignment))
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, job.started_at_us) == (JobState.FAILED, None)
        assert await stage.load("w1") == (0, 0)

    async def test_a_wrong_token_or_attempt_finishes_nothing(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        wrong_token = replace(assignment.fence, token="forged")  # noqa: S106 - no real one
        wrong_attempt = replace(assignment.fence, attempt=2)

        for fence in (wrong_token, wrong_attempt):
            report = Report(fence, JobState.COMPLETED)
            assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        assert await stage.status(assignment) is JobState.RUNNING

    async def test_an_attempt_is_finished_by_no_worker_but_its_own(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.connect("w2", SMOOTH)

        for other in ("w2", "nobody"):
            assert await stage.refusal(store.finish(other, [completed(assignment)])) is StaleAttempt
        assert await stage.load("w1") == (0, 1)
        await stage.finish(completed(assignment))

    async def test_an_unknown_job_cannot_be_finished(self, stage: Stage, store: Store) -> None:
        report = Report(Fence("no-such-job", 1, "token"), JobState.COMPLETED)

        assert await stage.refusal(store.finish("w1", [report])) is JobNotFound

    async def test_a_stale_attempt_cannot_finish_and_changes_nothing(
        self, stage: Stage, store: Store
    ) -> None:
        stale = await stage.assigned(await stage.connect("w1", SMOOTH))
        rebooted = await stage.reconnect("w1", boot="second")
        reports = (completed(stale), failed(stale), cancelled(stale))
        for report in reports:
            assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        (current,) = await stage.claim(rebooted)
        await stage.start(current)
        before = await stage.job(stale.fence.job_id)

        for report in reports:
            assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        assert await stage.job(stale.fence.job_id) == before
        await stage.finish(completed(current))

    async def test_a_stopped_worker_cannot_complete_its_old_attempt(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.close_session("w1", "killed")

        assert await stage.refusal(store.finish("w1", [completed(assignment)])) is StaleAttempt
        assert await stage.status(assignment) is JobState.FAILED

    async def test_a_failure_reported_after_the_attempt_was_lost_is_refused(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.wait(LIVENESS.lease)
        before = await stage.job(assignment.fence.job_id)

        assert await stage.refusal(store.finish("w1", [failed(assignment)])) is StaleAttempt
        assert await stage.job(assignment.fence.job_id) == before

    async def test_a_refused_end_does_not_keep_back_the_others_of_its_batch(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        running, waiting = await stage.running(session), await stage.assigned(session)
        step = await stage.store.finish("w1", [completed(waiting), completed(running)])

        assert [type(answer) for answer in step.answers] == [IllegalTransition, type(None)]
        assert await stage.load("w1") == (1, 0)

    async def test_the_history_of_a_job_is_complete_and_in_order(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        lost = await stage.assigned(session, user="bob")
        clock.advance(1)
        (again,) = await stage.claim(await stage.reconnect("w1", boot="second"))
        await stage.start(again)
        clock.advance(1)
        await stage.finish(completed(again))
        history = await store.read(JobHistory(lost.fence.job_id))

        assert [(each.status.value, each.attempt, each.worker) for each in history] == [
            ("pending", 0, None),
            ("assigned", 1, "w1"),
            ("pending", 1, None),
            ("assigned", 2, "w1"),
            ("running", 2, "w1"),
            ("completed", 2, "w1"),
        ]
        assert [each.version for each in history] == [1, 2, 3, 4, 5, 6]
        assert all(earlier.sequence < later.sequence for earlier, later in pairwise(history))
        assert [each.at_us - history[0].at_us for each in history] == [0, 0, *[1_000_000] * 3, 2_000_000]
        assert {(each.job_id, each.room, each.user) for each in history} == {(lost.fence.job_id, LAB, "bob")}
        assert (history[0].actor, history[2].reason is None) == ("bob", False)

    async def test_the_history_contains_the_transitions_of_the_steps(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        transitions = (await store.submit([job])).transitions
        (assignment,) = await stage.claim(session)
        assigned = (await store.read(JobHistory(job.id)))[-1]
        transitions += [assigned, *(await store.cancel([job.id], "eve", "too slow")).transitions]
        await stage.finish(cancelled(assignment))

        assert await store.read(JobHistory(job.id)) == transitions
        assert (transitions[-1].actor, transitions[-1].reason) == ("eve", "too slow")

    async def test_one_sequence_orders_the_transitions_of_all_jobs(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await stage.new_job(SMOOTH) for _ in range(2)]
        transitions = (await store.submit(jobs)).transitions
        transitions += (await store.cancel([job.id for job in reversed(jobs)], "ada", "no")).transitions

        assert all(earlier.sequence < later.sequence for earlier, later in pairwise(transitions))
