"""Attempts that are given back or recalled before they begin."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Concurrency, Policy
from workroom.domain.job import Fence, JobState
from workroom.domain.queries import JobHistory
from workroom.domain.steps import Progress, Report, Seat, Start, Unbegun
from workroom.errors import JobNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import NONCE, SMOOTH, Conformance, Stage, completed, extension

NOBODYS = Fence("no-such-job", 1, "token")
RETRIED = extension("Retried", policy=Policy(retries=1))
TIMED = extension("Timed", policy=Policy(timeout=60))
KEYED = extension("Keyed", policy=Policy(concurrency=Concurrency("{window}", {}, 1)))
RECALL = ("dispatcher", "recalled")
RETURN = ("worker:w1", "not begun")


class ReleaseConformance(Conformance):
    async def test_a_recalled_attempt_leaves_its_worker_and_the_job_waits_again(self, stage: Stage) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        step = await stage.store.release("w1", [Unbegun(assignment.fence)], *RECALL)
        job = await stage.job(assignment.fence.job_id)

        assert step.answers == [None]
        assert [(each.status, each.worker) for each in step.transitions] == [(JobState.PENDING, None)]
        assert [(each.worker, each.job_id) for each in step.released] == [("w1", assignment.fence.job_id)]
        assert step.arrivals == {assignment.extension_id: 1}
        assert (job.status, job.worker, job.assigned_at_us) == (JobState.PENDING, None, None)
        assert await stage.load("w1") == (0, 0)

    async def test_a_recalled_attempt_cannot_start(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.release("w1", [Unbegun(assignment.fence)], *RECALL)

        assert await stage.refusal(store.start("w1", [Start(assignment.fence, NONCE)])) is StaleAttempt

    async def test_a_started_attempt_is_not_recalled(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))

        assert await stage.refusal(store.release("w1", [Unbegun(assignment.fence)], *RECALL)) is StaleAttempt
        assert await stage.load("w1") == (0, 1)
        await stage.finish(completed(assignment))

    async def test_its_executor_gives_back_what_it_started_and_nothing_is_charged(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", RETRIED)
        first = await stage.running(session, RETRIED)
        await stage.store.append("w1", [Progress(first.fence, b"{}")])
        clock.advance(1)
        step = await stage.store.release("w1", [Unbegun(first.fence, NONCE)], *RETURN)
        job = await stage.job(first.fence.job_id)
        history = await stage.store.read(JobHistory(job.id))

        assert step.answers == [None]
        assert (job.status, job.tries, job.started_at_us) == (JobState.PENDING, 0, None)
        assert job.progress is None
        assert (history[-1].actor, history[-1].reason) == RETURN
        (second,) = await stage.claim(session)
        await stage.start(second)
        assert (await stage.job(job.id)).tries == 1

    async def test_another_executor_cannot_give_it_back(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.connect("w2", SMOOTH)
        others = Unbegun(assignment.fence, "nonce-of-another-executor")

        assert await stage.refusal(store.release("w1", [others], *RETURN)) is StaleAttempt
        mine = Unbegun(assignment.fence, NONCE)
        assert await stage.refusal(store.release("w2", [mine], *RETURN)) is StaleAttempt
        forged = Unbegun(replace(assignment.fence, token="forged"), NONCE)  # noqa: S106 - no real one
        assert await stage.refusal(store.release("w1", [forged], *RETURN)) is StaleAttempt
        assert await stage.load("w1") == (0, 1)

    async def test_the_job_keeps_its_place(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        ids = await stage.submit_many(3, SMOOTH)
        first, second = await stage.claim(session, 2)
        await stage.start(second)
        unbegun = [Unbegun(second.fence, NONCE), Unbegun(first.fence, NONCE)]
        assert (await store.release("w1", unbegun, *RETURN)).answers == [None, None]

        assert await stage.claimed_ids(session, 3) == ids

    async def test_it_is_no_loss_however_often_it_happens(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        for _ in range(7):
            (assignment,) = await stage.claim(session)
            assert (await store.release("w1", [Unbegun(assignment.fence)], *RECALL)).answers == [None]

        assert (await stage.job(job_id)).status is JobState.PENDING

    async def test_a_repeat_changes_nothing(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        unbegun = Unbegun((await stage.running(session)).fence, NONCE)
        await store.release("w1", [unbegun], *RETURN)

        assert await stage.refusal(store.release("w1", [unbegun], *RETURN)) is StaleAttempt
        (again,) = await stage.claim(session)
        assert await stage.refusal(store.release("w1", [unbegun], *RETURN)) is StaleAttempt
        await stage.start(again)

    async def test_a_returned_attempt_ends_in_no_other_way(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.release("w1", [Unbegun(assignment.fence, NONCE)], *RETURN)

        assert await stage.refusal(store.finish("w1", [completed(assignment)])) is StaleAttempt

    async def test_giving_back_a_cancelled_job_frees_the_slot(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.cancel([assignment.fence.job_id], "ada", "changed my mind")
        step = await store.release("w1", [Unbegun(assignment.fence, NONCE)], *RETURN)

        assert [type(answer) for answer in step.answers] == [StaleAttempt]
        assert step.transitions == []
        assert len(step.released) == 1
        assert await stage.load("w1") == (0, 0)
        assert await stage.status(assignment) is JobState.CANCELLED

    async def test_a_cancelled_job_is_not_recalled(self, stage: Stage, store: Store) -> None:
        """Its worker confirms the end."""
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.cancel([assignment.fence.job_id], "ada", "changed my mind")

        assert await stage.refusal(store.release("w1", [Unbegun(assignment.fence)], *RECALL)) is StaleAttempt
        assert await stage.load("w1") == (1, 0)

    async def test_a_returned_attempt_does_not_time_out(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TIMED)
        assignment = await stage.running(session, TIMED)
        await store.release("w1", [Unbegun(assignment.fence, NONCE)], *RETURN)
        await stage.wait(90, lambda: store.renew(session, [], 9))

        assert await stage.statuses(assignment.fence.job_id) == [
            JobState.PENDING,
            JobState.ASSIGNED,
            JobState.RUNNING,
            JobState.PENDING,
        ]

    async def test_giving_back_frees_the_place_of_a_key(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", KEYED, slots=2)
        jobs = [await stage.new_job(KEYED, data=b'{"window":1}') for _ in range(2)]
        await store.submit([replace(job, lane="1") for job in jobs])
        (first,) = await stage.claim(session, 2)
        await store.release("w1", [Unbegun(first.fence)], *RECALL)

        assert await stage.claimed_ids(session, 2) == [jobs[0].id]

    async def test_an_unknown_job_is_not_found_and_the_others_count(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        await stage.submit_many(2, SMOOTH)
        seats = [Seat(session, 2)]
        first, last = (await store.claim(seats).durable).assignments
        unbegun = [Unbegun(fence) for fence in (first.fence, NOBODYS, last.fence)]
        step = await store.release("w1", unbegun, *RECALL)

        assert [type(answer) for answer in step.answers] == [type(None), JobNotFound, type(None)]
        assert await stage.load("w1") == (0, 0)

    async def test_a_cancelled_report_of_a_recalled_attempt_is_refused(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.release("w1", [Unbegun(assignment.fence)], *RECALL)
        report = Report(assignment.fence, JobState.CANCELLED)

        assert await stage.refusal(store.finish("w1", [report])) is StaleAttempt
        assert await stage.status(assignment) is JobState.PENDING
