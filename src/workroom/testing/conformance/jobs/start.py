"""The commit point: only an accepted attempt may run code."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Progress, Start
from workroom.errors import JobNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import NONCE, SMOOTH, Conformance, Stage, completed

NOBODYS = Fence("no-such-job", 1, "token")


class StartConformance(Conformance):
    async def test_an_accepted_start_makes_the_job_run(self, stage: Stage, clock: FakeClock) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        clock.advance(3)
        step = await stage.store.start("w1", [Start(assignment.fence, NONCE)])
        job = await stage.job(assignment.fence.job_id)

        assert step.answers == [None]
        assert [(each.status, each.worker) for each in step.transitions] == [(JobState.RUNNING, "w1")]
        assert (job.status, job.version, job.started_at_us) == (JobState.RUNNING, 3, clock.now_us())
        assert job.wait_time_ms == 3000
        assert await stage.load("w1") == (0, 1)

    async def test_the_same_executor_may_start_twice_and_nothing_happens_twice(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        again = await stage.store.start("w1", [Start(assignment.fence, NONCE)])

        assert (again.answers, again.transitions) == ([None], [])
        assert (await stage.job(assignment.fence.job_id)).version == 3

    async def test_a_second_executor_is_refused(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        other = Start(assignment.fence, "nonce-of-another-executor")

        assert await stage.refusal(store.start("w1", [other])) is StaleAttempt

    async def test_a_wrong_token_starts_nothing(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        forged = Start(replace(assignment.fence, token="forged"), NONCE)  # noqa: S106 - no real one

        assert await stage.refusal(store.start("w1", [forged])) is StaleAttempt
        assert await stage.status(assignment) is JobState.ASSIGNED

    async def test_a_wrong_attempt_starts_nothing(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))

        for attempt in (0, 2):
            wrong = Start(replace(assignment.fence, attempt=attempt), NONCE)
            assert await stage.refusal(store.start("w1", [wrong])) is StaleAttempt

    async def test_an_attempt_is_started_by_no_worker_but_its_own(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await stage.connect("w2", SMOOTH)

        for other in ("w2", "nobody"):
            assert await stage.refusal(store.start(other, [Start(assignment.fence, NONCE)])) is StaleAttempt
        assert await stage.load("w1") == (1, 0)
        await stage.start(assignment)

    async def test_an_unknown_job_cannot_start(self, stage: Stage, store: Store) -> None:
        assert await stage.refusal(store.start("w1", [Start(NOBODYS, NONCE)])) is JobNotFound

    async def test_a_cancelled_job_cannot_start(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.cancel([assignment.fence.job_id], "ada", "changed my mind")

        assert await stage.refusal(store.start("w1", [Start(assignment.fence, NONCE)])) is StaleAttempt
        assert await stage.status(assignment) is JobState.CANCELLED

    async def test_a_finished_job_cannot_start_again(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(assignment))

        assert await stage.refusal(store.start("w1", [Start(assignment.fence, NONCE)])) is StaleAttempt

    async def test_an_attempt_that_was_handed_on_cannot_start(self, stage: Stage, store: Store) -> None:
        stale = await stage.assigned(await stage.connect("w1", SMOOTH))
        rebooted = await stage.reconnect("w1", boot="second")
        assert await stage.refusal(store.start("w1", [Start(stale.fence, NONCE)])) is StaleAttempt
        (current,) = await stage.claim(rebooted)

        assert await stage.refusal(store.start("w1", [Start(stale.fence, NONCE)])) is StaleAttempt
        await stage.start(current)

    async def test_a_refused_start_does_not_keep_back_the_others_of_its_batch(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(2, SMOOTH)
        first, last = await stage.claim(session, 2)
        step = await stage.store.start(
            "w1", [Start(each, NONCE) for each in (first.fence, NOBODYS, last.fence)]
        )

        assert [type(answer) for answer in step.answers] == [type(None), JobNotFound, type(None)]
        assert await stage.load("w1") == (0, 2)

    async def test_the_latest_progress_of_a_running_job_is_kept(self, stage: Stage, store: Store) -> None:
        fence = (await stage.running(await stage.connect("w1", SMOOTH))).fence
        step = await store.append(
            "w1", [Progress(fence, b'{"fraction":0.1}'), Progress(fence, b'{"fraction":0.4}')]
        )
        await stage.catch_up()
        job = await stage.job(fence.job_id)

        assert (step.answers, step.transitions) == ([None, None], [])
        assert (job.progress, job.version) == (b'{"fraction":0.4}', 3)

    async def test_progress_outlives_the_job(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.append("w1", [Progress(assignment.fence, b'{"fraction":0.9}')])
        await stage.finish(completed(assignment))

        assert (await stage.job(assignment.fence.job_id)).progress == b'{"fraction":0.9}'

    async def test_only_the_attempt_that_runs_may_report_progress(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        waiting, running = await stage.assigned(session), await stage.running(session)
        ended = await stage.running(session)
        await stage.finish(completed(ended))
        forged = replace(running.fence, token="forged")  # noqa: S106 - no real one
        fences = [waiting.fence, ended.fence, forged, NOBODYS, running.fence]
        step = await store.append("w1", [Progress(fence, b"{}") for fence in fences])
        await stage.catch_up()

        refused = [StaleAttempt, StaleAttempt, StaleAttempt, JobNotFound, type(None)]
        assert [type(answer) for answer in step.answers] == refused
        assert (await stage.job(waiting.fence.job_id)).progress is None
        assert (await stage.job(ended.fence.job_id)).progress is None
        assert (await stage.job(running.fence.job_id)).progress == b"{}"
