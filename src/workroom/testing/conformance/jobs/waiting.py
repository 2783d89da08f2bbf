"""Every pending job has a reason why it waits, and the number of jobs ahead of it."""

from __future__ import annotations

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy, RetryOn
from workroom.domain.job import JobState
from workroom.domain.queries import FindJobs
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.worker import Session
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.scheduling.lanes import submit_to
from workroom.testing.conformance.stage import (
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
)

LIMITED = extension("Smooth", policy=Policy(concurrency=Concurrency("{provider}")))
EVERYTHING = extension(
    "Smooth",
    policy=Policy(retries=100, retry_on=RetryOn.ERROR, concurrency=Concurrency("{provider}")),
)
BREAK_US = 60_000_000


class WaitConformance(Conformance):
    async def test_nobody_is_there(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        assert await _waiting(stage, job_id) == Waiting(WaitCode.NO_WORKER)
        await stage.reconnect("w1")
        await store.close_session("w1", "bye")

        assert await _waiting(stage, job_id) == Waiting(WaitCode.NO_WORKER)

    async def test_a_worker_past_its_lease_is_nobody(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        await stage.wait(LIVENESS.lease)

        assert await _waiting(stage, job_id) == Waiting(WaitCode.NO_WORKER)

    async def test_a_draining_worker_is_nobody(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        await store.drain("w1", draining=True)
        assert await _waiting(stage, job_id) == Waiting(WaitCode.NO_WORKER)
        await stage.connect("w2", SMOOTH)

        assert await _waiting(stage, job_id) == Waiting(WaitCode.WORKERS_BUSY)

    async def test_all_workers_are_busy(self, stage: Stage) -> None:
        await stage.running(await stage.connect("w1", SMOOTH))
        job_id = await stage.submit(SMOOTH)

        assert await _waiting(stage, job_id) == Waiting(WaitCode.WORKERS_BUSY)

    async def test_its_key_is_taken(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED, slots=5)
        first, second = [await submit_to(stage, "slow", LIMITED) for _ in range(2)]
        other = await submit_to(stage, "fast", LIMITED)
        (assignment, _) = await stage.claim(session, 5)
        assert assignment.fence.job_id == first

        taken = Waiting(WaitCode.CONCURRENCY, key="slow", job=first)
        assert await _waiting(stage, second) == taken
        await store.cancel([first], "ada", "no")
        assert await _waiting(stage, second) == taken
        await stage.finish(cancelled(assignment))
        assert await _waiting(stage, second) == Waiting(WaitCode.WORKERS_BUSY)
        assert (await stage.job(other)).waiting is None

    async def test_who_is_next_in_a_lane_waits_only_for_a_worker(self, stage: Stage) -> None:
        await stage.connect("w1", LIMITED)
        first, second = [await submit_to(stage, "slow", LIMITED) for _ in range(2)]

        assert await _waiting(stage, first) == Waiting(WaitCode.WORKERS_BUSY)
        assert (await _waiting(stage, second)).code is WaitCode.CONCURRENCY

    async def test_it_is_in_backoff(self, stage: Stage) -> None:
        session = await stage.connect("w1", EVERYTHING)
        assignment = await stage.running(session, EVERYTHING)
        await stage.finish(failed(assignment))
        waiting = await _waiting(stage, assignment.fence.job_id)

        assert waiting.code is WaitCode.BACKOFF
        assert waiting.until_us is not None
        await stage.wait(1.3)
        assert await _waiting(stage, assignment.fence.job_id) == Waiting(WaitCode.WORKERS_BUSY)

    async def test_the_circuit_is_open(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        await _break(stage, session, SMOOTH)
        job_id = await stage.submit(SMOOTH)

        open_until = Waiting(WaitCode.CIRCUIT_OPEN, until_us=clock.now_us() + BREAK_US)
        assert await _waiting(stage, job_id) == open_until

    async def test_while_one_tries_the_others_wait_for_the_circuit(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await _break(stage, session, SMOOTH)
        _, second = await stage.submit_many(2, SMOOTH)
        clock.advance(60)
        (trial,) = await stage.claim(session)
        assert (await _waiting(stage, second)).code is WaitCode.CIRCUIT_OPEN
        await stage.start(trial)
        await stage.finish(completed(trial))

        assert await _waiting(stage, second) == Waiting(WaitCode.WORKERS_BUSY)

    async def test_its_extension_is_paused(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        extension_id = await stage.extension_id(SMOOTH)
        await store.pause(extension_id, paused=True)
        assert await _waiting(stage, job_id) == Waiting(WaitCode.PAUSED)
        await store.pause(extension_id, paused=False)

        assert await _waiting(stage, job_id) == Waiting(WaitCode.WORKERS_BUSY)

    async def test_of_several_reasons_the_one_that_must_change_first_is_given(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        """Paused, then backoff, circuit, concurrency, and only then workers."""
        session = await stage.connect("w1", EVERYTHING, slots=9)
        backing_off = await stage.running(session, EVERYTHING)
        await submit_to(stage, "slow", EVERYTHING)
        await stage.claim(session)
        parked = await submit_to(stage, "slow", EVERYTHING)
        await store.drain("w1", draining=True)
        assert (await _waiting(stage, parked)).code is WaitCode.CONCURRENCY

        await store.drain("w1", draining=False)
        await _break(stage, session, EVERYTHING, 4)
        await stage.finish(failed(backing_off))
        assert (await _waiting(stage, parked)).code is WaitCode.CIRCUIT_OPEN
        assert (await _waiting(stage, backing_off.fence.job_id)).code is WaitCode.BACKOFF

        await store.pause(backing_off.extension_id, paused=True)
        for job_id in (parked, backing_off.fence.job_id):
            assert await _waiting(stage, job_id) == Waiting(WaitCode.PAUSED)

    async def test_who_does_not_wait_has_no_reason_to(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        assigned, running = await stage.assigned(session), await stage.running(session)
        done = await stage.running(session)
        await stage.finish(completed(done))
        dropped = await stage.submit(SMOOTH)
        await store.cancel([dropped], "ada", "no")

        for job_id in (*(each.fence.job_id for each in (assigned, running, done)), dropped):
            job = await stage.job(job_id)
            assert (job.waiting, job.queue_position) == (None, None)

    async def test_a_list_gives_the_same_reason_as_each_job(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED)
        for lane in ("slow", "slow", "fast", None):
            await submit_to(stage, lane, LIMITED)
        await stage.claim(session)
        listed = (await store.read(FindJobs(status=JobState.PENDING))).items

        assert len(listed) == 3
        assert listed == [await stage.job(job.id) for job in listed]

    async def test_jobs_behind_a_taken_key_are_not_in_the_way_of_others(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        slow = [await submit_to(stage, "slow", LIMITED) for _ in range(4)]
        await stage.claim(session)
        fast = await submit_to(stage, "fast", LIMITED)

        assert (await stage.job(fast)).queue_position == 0
        assert [(await stage.job(job_id)).queue_position for job_id in slow] == [None, 0, 1, 2]

    async def test_a_more_urgent_job_moves_the_others_of_its_lane_back(self, stage: Stage) -> None:
        await stage.connect("w1", LIMITED)
        slow = [await submit_to(stage, "slow", LIMITED) for _ in range(2)]
        urgent = await submit_to(stage, "slow", LIMITED, priority=5)

        assert (await stage.job(urgent)).queue_position == 0
        assert [(await stage.job(job_id)).queue_position for job_id in slow] == [1, 2]

    async def test_a_job_in_backoff_is_not_ahead_of_anybody(self, stage: Stage) -> None:
        session = await stage.connect("w1", EVERYTHING)
        assignment = await stage.running(session, EVERYTHING)
        second = await stage.submit(EVERYTHING)
        await stage.finish(failed(assignment))

        assert (await stage.job(second)).queue_position == 0
        await stage.wait(1.3)
        assert (await stage.job(second)).queue_position == 1


async def _waiting(stage: Stage, job_id: str) -> Waiting:
    job = await stage.job(job_id)
    assert job.waiting is not None
    return job.waiting


async def _break(stage: Stage, session: Session, spec: ExtensionSpec, failures: int = 5) -> None:
    for _ in range(failures):
        await stage.finish(failed(await stage.running(session, spec)))
