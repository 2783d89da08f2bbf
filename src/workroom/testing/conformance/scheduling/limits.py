"""Each key runs at most as many jobs at once as its limit, counted over all attempts that occupy a worker."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.extension import Concurrency, Policy
from workroom.domain.job import JobState
from workroom.domain.queries import VisibleExtensions
from workroom.domain.steps import Seat
from workroom.domain.worker import Phase
from workroom.ports import Store
from workroom.testing.conformance.scheduling.lanes import LIMITED, RETRIED, one_by_one, submit_to
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    LIVENESS,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
    held,
)


class LimitConformance(Conformance):
    async def test_one_claim_takes_no_more_of_a_key_than_its_limit(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, slots=20)
        lanes = {await submit_to(stage, lane): lane for _ in range(4) for lane in ("slow", "fast", "other")}

        claimed = await stage.claimed_ids(session, 20)
        assert Counter(lanes[job_id] for job_id in claimed) == {"slow": 1, "fast": 3, "other": 2}
        assert await stage.claim(session, 20) == []

    async def test_a_batch_is_limited_like_single_jobs(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED, slots=20)
        jobs = [replace(await stage.new_job(LIMITED), lane="fast") for _ in range(9)]
        await store.submit(jobs)

        assert await stage.claimed_ids(session, 20) == [job.id for job in jobs[:3]]

    async def test_one_claim_for_many_seats_is_limited_too(self, stage: Stage, store: Store) -> None:
        sessions = [await stage.connect(f"w{number}", LIMITED, slots=2) for number in range(5)]
        for _ in range(10):
            await submit_to(stage, "fast")
        claimed = await store.claim([Seat(session, 2) for session in sessions]).durable

        assert len(claimed.assignments) == 3

    async def test_concurrent_claims_of_many_sessions_are_limited_together(
        self, stage: Stage, store: Store
    ) -> None:
        sessions = [await stage.connect(f"w{number}", LIMITED) for number in range(20)]
        for lane in ("slow", "fast", "other"):
            for _ in range(8):
                await submit_to(stage, lane)
        receipts = [store.claim([Seat(session, 1)]) for session in sessions]
        answers = await asyncio.gather(*(receipt.durable for receipt in receipts))

        assert sum(len(claimed.assignments) for claimed in answers) == 1 + 3 + 2

    async def test_a_saturated_key_blocks_nobody_else(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, COUNT)
        for _ in range(50):
            await submit_to(stage, "slow", priority=10)
        await stage.claim(session)
        others = [await submit_to(stage, "fast"), await submit_to(stage, None), await stage.submit(COUNT)]

        assert await stage.claimed_ids(session, 3) == others

    async def test_the_same_key_of_another_extension_is_another_lane(self, stage: Stage) -> None:
        also = extension("Also", policy=LIMITED.policy)
        session = await stage.connect("w1", LIMITED, also)
        jobs = [await submit_to(stage, "slow"), await submit_to(stage, "slow", also)]

        assert await stage.claimed_ids(session, 2) == jobs

    async def test_a_lane_goes_in_the_order_of_its_jobs(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        jobs = [await submit_to(stage, "slow") for _ in range(4)]

        assert await one_by_one(stage, session, 4) == jobs

    async def test_a_more_urgent_job_overtakes_in_its_lane(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        first, second = [await submit_to(stage, "slow") for _ in range(2)]
        urgent = await submit_to(stage, "slow", priority=5)
        most_urgent = await submit_to(stage, "slow", priority=9)

        assert await one_by_one(stage, session, 4) == [most_urgent, urgent, first, second]

    async def test_users_take_turns_in_a_lane(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED)
        ada = [await submit_to(stage, "slow", user="ada") for _ in range(3)]
        bob = [await submit_to(stage, "slow", user="bob") for _ in range(3)]

        taken = await one_by_one(stage, session, 6)
        assert taken == [job for turn in zip(ada, bob, strict=True) for job in turn]

    @pytest.mark.parametrize("end", [completed, failed, cancelled])
    async def test_an_end_lets_the_next_of_the_lane_go(self, stage: Stage, end: Any) -> None:
        session = await stage.connect("w1", LIMITED)
        _, second, _ = [await submit_to(stage, "slow") for _ in range(3)]
        (first,) = await stage.claim(session)
        await stage.start(first)
        assert await stage.claim(session) == []
        step = await stage.finish(end(first))

        assert step.requeued == {first.extension_id}
        assert await stage.claimed_ids(session, 3) == [second]

    async def test_cancelling_who_is_next_lets_the_one_behind_go(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED)
        first, second = [await submit_to(stage, "slow") for _ in range(2)]
        step = await store.cancel([first], "ada", "no")

        assert step.requeued == {await stage.extension_id(LIMITED)}
        assert await stage.claimed_ids(session, 2) == [second]

    async def test_cancelling_who_waits_in_a_lane_changes_nothing_for_the_others(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", LIMITED)
        first, second, third = [await submit_to(stage, "slow") for _ in range(3)]
        await store.cancel([second], "ada", "no")

        assert await one_by_one(stage, session, 2) == [first, third]

    @pytest.mark.parametrize("is_started", [False, True])
    async def test_a_cancelled_attempt_holds_its_key_until_its_worker_confirms(
        self, stage: Stage, store: Store, is_started: bool
    ) -> None:
        session = await stage.connect("w1", LIMITED)
        _, second = [await submit_to(stage, "slow") for _ in range(2)]
        (first,) = await stage.claim(session)
        if is_started:
            await stage.start(first)
        step = await store.cancel([first.fence.job_id], "ada", "no")
        assert step.requeued == set()
        await store.renew(session, [held(first)], first.number)
        assert await stage.claim(session) == []

        await stage.finish(cancelled(first))
        assert await stage.claimed_ids(session) == [second]

    async def test_a_cancelled_attempt_holds_its_key_until_its_lease_runs_out(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", LIMITED)
        spare = await stage.connect("w2", LIMITED)
        _, second = [await submit_to(stage, "slow") for _ in range(2)]
        (first,) = await stage.claim(await stage.reconnect("w1"))
        await store.cancel([first.fence.job_id], "ada", "no")
        await stage.wait(LIVENESS.lease - 1, lambda: store.renew(spare, (), 0))
        assert await stage.claim(spare) == []

        swept = await stage.wait(1, lambda: store.renew(spare, (), 0))
        assert swept.requeued == {first.extension_id}
        assert await stage.claimed_ids(spare) == [second]

    async def test_a_timed_out_attempt_holds_its_key_until_its_worker_confirms(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", RETRIED, slots=5)
        first, second = [await submit_to(stage, "slow", RETRIED) for _ in range(2)]
        (late,) = await stage.claim(session)
        await stage.start(late)
        await stage.wait(4)
        await stage.wait(1.3)
        assert (await stage.job(first)).status is JobState.PENDING
        assert await stage.claim(session, 5) == []

        await store.finish("w1", [cancelled(late)])
        assert await one_by_one(stage, session, 2) == [first, second]

    @pytest.mark.parametrize("is_started", [False, True])
    async def test_a_lost_worker_s_key_goes_to_the_next(self, stage: Stage, is_started: bool) -> None:
        await stage.connect("w1", LIMITED)
        spare = await stage.connect("w2", LIMITED)
        first, second = [await submit_to(stage, "slow") for _ in range(2)]
        (lost,) = await stage.claim(await stage.reconnect("w1"))
        if is_started:
            await stage.start(lost)
        await stage.reconnect("w1", boot="second")

        assert await stage.claimed_ids(spare, 2) == [second if is_started else first]

    async def test_an_assignment_that_goes_back_gives_up_its_key_and_keeps_its_place(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", LIMITED)
        first, _ = [await submit_to(stage, "slow") for _ in range(2)]
        (late,) = await stage.claim(session)
        await stage.wait(
            LIVENESS.start + LIVENESS.heartbeat, lambda: store.renew(session, [held(late, Phase.QUEUED)], 1)
        )

        assert await stage.claimed_ids(session, 2) == [first]

    async def test_a_job_in_backoff_holds_no_key_and_keeps_its_place_in_the_lane(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED)
        first, second, third = [await submit_to(stage, "slow", RETRIED) for _ in range(3)]
        (broken,) = await stage.claim(session)
        await stage.start(broken)
        await stage.finish(failed(broken))
        (meanwhile,) = await stage.claim(session, 3)
        assert meanwhile.fence.job_id == second
        await stage.wait(1.3)
        assert await stage.claim(session, 3) == []
        await stage.start(meanwhile)
        await stage.finish(completed(meanwhile))

        assert await one_by_one(stage, session, 2) == [first, third]

    async def test_who_returns_from_backoff_goes_before_who_came_later(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED)
        first, second = [await submit_to(stage, "slow", RETRIED) for _ in range(2)]
        (broken,) = await stage.claim(session)
        await stage.start(broken)
        await stage.finish(failed(broken))
        await stage.wait(1.3)

        assert await one_by_one(stage, session, 2) == [first, second]

    async def test_nothing_with_a_key_is_fetched_ahead(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED)
        await submit_to(stage, "fast")
        free = await submit_to(stage, None)
        seat = Seat(session, 5, frozenset({await stage.extension_id(LIMITED)}))
        ahead = (await store.claim([seat]).durable).assignments

        assert [assignment.fence.job_id for assignment in ahead] == [free]

    async def test_an_extension_stays_while_jobs_of_it_wait_in_a_lane(
        self, stage: Stage, store: Store
    ) -> None:
        blocked = extension("Smooth", policy=Policy(concurrency=Concurrency("{provider}", {"shut": 0})))
        await stage.connect("w1", blocked)
        job_id = await submit_to(stage, "shut", blocked)

        assert (await store.close_session("w1", "bye")).removed == []
        assert await stage.is_offered(blocked)
        assert (await store.cancel([job_id], "ada", "no")).removed == [blocked.key]

    async def test_pending_jobs_are_counted_wherever_they_wait(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", RETRIED)
        for _ in range(3):
            await submit_to(stage, "slow", RETRIED)
        await submit_to(stage, None, RETRIED)
        (broken,) = await stage.claim(session)
        await stage.start(broken)
        await stage.finish(failed(broken))
        (listed,) = await store.read(VisibleExtensions(LAB))

        assert listed.pending_jobs == 4
