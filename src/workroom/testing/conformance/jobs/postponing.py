"""A job with a time is enqueued when that has come, and takes its place then."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy
from workroom.domain.job import JobState
from workroom.domain.queries import VisibleExtensions
from workroom.domain.rules.queue.fair_share import AGE_US
from workroom.domain.rules.queue.postponing import ENQUEUE_BATCH
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.steps import NewJob, Postponement
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import LAB, LIVENESS, SMOOTH, Conformance, Reopen, Stage, extension

LIMITED = extension("Smooth", policy=Policy(concurrency=Concurrency("{provider}")))
MINUTE = 60.0


class PostponeConformance(Conformance):
    async def test_a_delayed_job_is_handed_out_when_its_time_has_come(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await submit_later(stage, 1.0)
        assert await stage.claimed_ids(session) == []
        clock.advance(0.999)
        await stage.store.sweep()
        assert await stage.claimed_ids(session) == []
        clock.advance(0.001)

        swept = await stage.store.sweep()

        assert swept.requeued == {await stage.extension_id(SMOOTH)}
        assert swept.transitions == []
        assert await stage.claimed_ids(session) == [job_id]

    async def test_a_time_in_the_past_is_now(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await submit_later(stage, -MINUTE)

        await stage.store.sweep()

        assert await stage.claimed_ids(session) == [job_id]

    async def test_one_that_is_enqueued_at_once_counts_with_the_others_of_its_batch(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second = await stage.new_job(SMOOTH), await later(stage, -MINUTE)
        other = await stage.new_job(SMOOTH, user="bob")
        await stage.store.submit([first, second, other])

        assert await stage.claimed_ids(session, 3) == [first.id, other.id, second.id]

    async def test_it_waits_for_its_time_and_has_no_place_in_the_queue(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        at_us = clock.now_us() + int(MINUTE * 1_000_000)
        job = await stage.job(await submit_later(stage, MINUTE))

        assert job.status is JobState.PENDING
        assert job.waiting == Waiting(WaitCode.RUN_AT, until_us=at_us)
        assert job.queue_position is None

    async def test_the_steps_name_the_next_time(self, stage: Stage, store: Store, clock: FakeClock) -> None:
        await stage.connect("w1", SMOOTH)
        submitted = await store.submit([await later(stage, 7.0), await later(stage, 3.0)])
        assert submitted.wake_s == 3.0
        assert submitted.requeued == set()
        clock.advance(1.0)

        assert (await store.sweep()).wake_s == 2.0

    async def test_it_takes_its_place_when_its_time_has_come(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        early = await submit_later(stage, 1.0)
        others = await stage.submit_many(2, SMOOTH)
        clock.advance(1.0)
        await stage.store.sweep()

        assert await stage.claimed_ids(session, 3) == [*others, early]

    async def test_it_counts_as_pending(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await submit_later(stage, MINUTE)

        (found,) = await store.read(VisibleExtensions(LAB))

        assert found.pending_jobs == 1

    async def test_a_cancelled_one_never_starts(self, stage: Stage, store: Store, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await submit_later(stage, 1.0)
        assert (await store.cancel([job_id], "ada", "no longer wanted")).answers == [None]
        clock.advance(2.0)

        assert (await store.sweep()).requeued == set()
        assert await stage.claimed_ids(session) == []
        assert await stage.statuses(job_id) == [JobState.PENDING, JobState.CANCELLED]

    async def test_it_occupies_no_place_in_its_lane(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", LIMITED, slots=2)
        late = replace(await later(stage, 1.0, LIMITED), lane="a")
        soon = replace(await stage.new_job(LIMITED), lane="a")
        assert (await stage.store.submit([late, soon])).answers == [None, None]
        assert await stage.claimed_ids(session, 2) == [soon.id]
        clock.advance(1.0)
        await stage.store.sweep()
        assert await stage.claimed_ids(session, 2) == []
        waiting = (await stage.job(late.id)).waiting

        assert waiting == Waiting(WaitCode.CONCURRENCY, key="a", job=soon.id)

    async def test_an_extension_stays_while_one_of_its_jobs_waits_for_its_time(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await submit_later(stage, MINUTE)
        await store.close_session("w1", "bye")
        await stage.wait(LIVENESS.heartbeat * 3)
        assert await stage.is_offered(SMOOTH)
        await store.cancel([job_id], "ada", "no longer wanted")

        assert not await stage.is_offered(SMOOTH)

    async def test_it_does_not_age_before_its_time(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        late = await submit_later(stage, AGE_US / 1e6 + 20)
        clock.advance(AGE_US / 1e6 + 10)
        await stage.store.sweep()
        clock.advance(10)
        await stage.store.sweep()
        soon = await stage.submit(SMOOTH, user="bob")
        second = await stage.submit(SMOOTH)

        assert await stage.claimed_ids(session, 3) == [late, soon, second]

    async def test_many_are_enqueued_some_in_each_sweep(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        jobs = [await later(stage, 1.0) for _ in range(ENQUEUE_BATCH + 1)]
        await store.submit(jobs)
        clock.advance(1.0)

        first = await store.sweep()
        assert (len(await stage.claimed_ids(session, ENQUEUE_BATCH + 1)), first.wake_s) == (
            ENQUEUE_BATCH,
            0.0,
        )
        assert (await store.sweep()).wake_s is None
        assert len(await stage.claimed_ids(session)) == 1

    async def test_it_waits_through_a_restart_and_a_clock_that_was_set_back(
        self, stage: Stage, store: Store, reopen: Reopen, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await submit_later(stage, MINUTE)
        at_us = clock.now_us() + int(MINUTE * 1_000_000)
        await store.aclose()
        clock.jump(-3600.0)

        async with reopen() as again:
            waiting = (await again.job(job_id)).waiting
            assert waiting == Waiting(WaitCode.RUN_AT, until_us=at_us)


async def later(stage: Stage, seconds: float, spec: ExtensionSpec = SMOOTH) -> NewJob:
    run_us = stage.clock.now_us() + int(seconds * 1_000_000)
    return replace(await stage.new_job(spec), postponed=Postponement(run_us))


async def submit_later(stage: Stage, seconds: float) -> str:
    job = await later(stage, seconds)
    assert (await stage.store.submit([job])).answers == [None]
    return job.id
