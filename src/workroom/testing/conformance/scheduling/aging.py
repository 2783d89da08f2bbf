"""Waiting raises the priority, by one every five minutes, wherever a job waits: nothing starves."""

from __future__ import annotations

from workroom.domain.rules.queue.fair_share import AGE_BATCH
from workroom.testing.conformance.scheduling.lanes import LIMITED, one_by_one, submit_to
from workroom.testing.conformance.stage import COUNT, SMOOTH, Conformance, Stage, completed

AGE = 300.0


class AgeConformance(Conformance):
    async def test_who_has_waited_goes_before_a_more_urgent_job_that_came_later(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        waiting_job = await stage.submit(SMOOTH, priority=0)
        await _wait(stage, 5)
        urgent = await stage.submit(SMOOTH, priority=5)
        most_urgent = await stage.submit(SMOOTH, priority=6)

        assert await stage.claimed_ids(session, 3) == [most_urgent, waiting_job, urgent]

    async def test_who_has_not_waited_long_enough_is_not_raised(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        waiting_job = await stage.submit(SMOOTH, priority=0)
        stage.clock.advance(AGE - 1)
        await stage.store.sweep()
        urgent = await stage.submit(SMOOTH, priority=1)

        assert await stage.claimed_ids(session, 2) == [urgent, waiting_job]

    async def test_nobody_starves_behind_an_endless_row_of_urgent_jobs(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        waiting_job = await stage.submit(SMOOTH, priority=0)
        for _ in range(12):
            urgent = await stage.submit(SMOOTH, priority=10)
            (assignment,) = await stage.claim(session)
            await stage.start(assignment)
            await stage.finish(completed(assignment))
            if assignment.fence.job_id == waiting_job:
                break
            assert assignment.fence.job_id == urgent
            await _wait(stage, 1)

        assert assignment.fence.job_id == waiting_job

    async def test_nobody_rises_above_the_highest_priority(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        urgent = await stage.submit(SMOOTH, priority=10)
        waiting_job = await stage.submit(SMOOTH, priority=9)
        await _wait(stage, 3)

        assert await stage.claimed_ids(session, 2) == [urgent, waiting_job]

    async def test_a_job_that_its_lane_keeps_back_rises_too(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        running, waiting_job = [await submit_to(stage, "slow") for _ in range(2)]
        (assignment,) = await stage.claim(session)
        assert assignment.fence.job_id == running
        await _wait(stage, 3)
        urgent = await submit_to(stage, "slow", priority=2)
        await stage.start(assignment)
        await stage.finish(completed(assignment))

        assert await one_by_one(stage, session, 2) == [waiting_job, urgent]

    async def test_who_has_risen_takes_the_place_of_who_was_next_in_the_lane(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        waiting_job = await submit_to(stage, "slow", priority=0)
        await _wait(stage, 2)
        stage.clock.advance(AGE - 10)
        await stage.store.sweep()
        urgent = await submit_to(stage, "slow", priority=2)
        later = await submit_to(stage, "slow", priority=3)
        assert (await stage.job(later)).queue_position == 0
        stage.clock.advance(11)
        await stage.store.sweep()

        assert await one_by_one(stage, session, 3) == [later, waiting_job, urgent]

    async def test_who_has_risen_shares_with_other_users(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        ada = await stage.submit_many(3, SMOOTH, user="ada", priority=0)
        await _wait(stage, 1)
        bob = await stage.submit_many(3, SMOOTH, user="bob", priority=1)

        taken = await stage.claimed_ids(session, 6)
        assert taken == [job for turn in zip(ada, bob, strict=True) for job in turn]

    async def test_of_very_many_all_rise_in_the_end(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        jobs = await stage.submit_many(AGE_BATCH + 20, SMOOTH, priority=0)
        await _wait(stage, 1)
        await _sweep_again(stage)
        urgent = await stage.submit(COUNT, priority=1, user="eve")

        assert (await stage.claimed_ids(session, len(jobs) + 1))[-1] == jobs[-1]
        assert (await stage.job(urgent)).attempt == 1

    async def test_the_priority_on_record_stays(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH, priority=3)
        await _wait(stage, 2)

        assert (await stage.job(job_id)).priority == 3


async def _wait(stage: Stage, times: int) -> None:
    """So many times as long as it takes to rise. After a gap in sweeping everyone has a full lease."""
    for _ in range(times):
        stage.clock.advance(AGE)
        await stage.store.sweep()


async def _sweep_again(stage: Stage) -> None:
    stage.clock.advance(10)
    await stage.store.sweep()
