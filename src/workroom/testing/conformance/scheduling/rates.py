"""No period has more starts than the rate of an extension allows, whichever worker claims."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy, RetryOn, RunnerKind
from workroom.domain.queries import VisibleExtensions
from workroom.domain.rules.queue.rates import TOLERANCE_US, interval_us
from workroom.domain.rules.queue.waiting import WaitCode
from workroom.domain.steps import Seat, Start, Unbegun
from workroom.domain.worker import Phase, Session
from workroom.ports import Store
from workroom.testing.conformance.scheduling.lanes import submit_to
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    NONCE,
    Conformance,
    Stage,
    completed,
    extension,
    failed,
    held,
)

RATE = "6/min"
PERIOD = 60.0
INTERVAL = interval_us(RATE) / 1_000_000  # a little more than 10 s
SOON = INTERVAL - TOLERANCE_US / 1_000_000  # when the next may start

TOGETHER = extension("Smooth", policy=Policy(rate=RATE))
PER_KEY = extension("Smooth", policy=Policy(rate=RATE, rate_key="{provider}"))
UNEQUAL = extension("Smooth", policy=Policy(rate_key="{provider}", rates={"slow": RATE}))
LIMITED = extension("Smooth", policy=Policy(rate=RATE, concurrency=Concurrency("{provider}", {"slow": 1}, 9)))
QUICK = extension("Smooth", policy=Policy(rate="100/s"))
RETRIED = extension("Smooth", policy=Policy(rate=RATE, retries=3, retry_on=RetryOn.ERROR))


def server_side(policy: Policy) -> ExtensionSpec:
    return extension("Smooth", room=None, runner=RunnerKind.LOCAL, owner="server", policy=policy)


async def serve(stage: Stage, spec: ExtensionSpec) -> Session:
    await stage.register("w1", spec, runner=RunnerKind.LOCAL, user="server", slots=9)
    return await stage.reconnect("w1")


async def submit_all(stage: Stage, spec: ExtensionSpec, lanes: Sequence[str]) -> list[str]:
    jobs = [replace(await stage.new_job(spec), lane=lane) for lane in lanes]
    assert (await stage.store.submit(jobs)).answers == [None] * len(jobs)
    return [job.id for job in jobs]


async def claims_over(stage: Stage, session: Session, seconds: float, step: float = 2.5) -> list[float]:
    """When jobs were handed out, while somebody claims all the time."""
    began = stage.clock.monotonic()
    times: list[float] = []
    while stage.clock.monotonic() - began < seconds:
        times += [stage.clock.monotonic() - began for _ in await run(stage, session)]
        stage.clock.advance(step)
        await stage.store.renew(session, (), 0)
        await stage.store.sweep()
    return times


async def run(stage: Stage, session: Session, jobs: int = 50) -> list[str]:
    """Run all jobs that may start now, to their end."""
    assignments = await stage.claim(session, jobs)
    if assignments:
        await stage.store.start("w1", [Start(each.fence, NONCE) for each in assignments])
        await stage.store.finish("w1", [completed(each) for each in assignments])
    return [assignment.fence.job_id for assignment in assignments]


def most_in(times: Sequence[float], period: float) -> int:
    return max(sum(start <= each < start + period for each in times) for start in times)


class RateConformance(Conformance):
    async def test_no_period_has_more_starts_than_the_rate(self, stage: Stage) -> None:
        session = await stage.connect("w1", TOGETHER, slots=99)
        await submit_all(stage, TOGETHER, [""] * 40)
        times = await claims_over(stage, session, 3 * PERIOD)

        assert most_in(times, PERIOD) == 6
        assert len(times) >= 3 * 6 - 1

    async def test_a_quick_rate_starts_several_at_once_and_no_period_has_more(self, stage: Stage) -> None:
        session = await stage.connect("w1", QUICK, slots=999)
        await submit_all(stage, QUICK, [""] * 220)
        times = await claims_over(stage, session, 2.0, step=0.05)

        assert most_in(times, 1.0) <= 100
        assert len(times) >= 2 * 90

    async def test_one_claim_for_many_seats_takes_one_start(self, stage: Stage, store: Store) -> None:
        sessions = [await stage.connect(f"w{number}", TOGETHER) for number in range(4)]
        await submit_all(stage, TOGETHER, [""] * 4)
        claimed = await store.claim([Seat(session, 1) for session in sessions]).durable

        assert len(claimed.assignments) == 1

    async def test_concurrent_claims_share_the_rate(self, stage: Stage, store: Store) -> None:
        sessions = [await stage.connect(f"w{number}", TOGETHER) for number in range(10)]
        await submit_all(stage, TOGETHER, [""] * 10)
        receipts = [store.claim([Seat(session, 1)]) for session in sessions]
        answers = await asyncio.gather(*(receipt.durable for receipt in receipts))

        assert sum(len(claimed.assignments) for claimed in answers) == 1

    async def test_a_claim_carries_when_the_next_may_start(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        await submit_all(stage, TOGETHER, ["", ""])
        step = (await store.claim([Seat(session, 1)]).durable).step

        assert step.wake_s == pytest.approx(SOON)

    async def test_a_claim_behind_which_nothing_waits_wakes_nobody(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        await submit_all(stage, TOGETHER, [""])

        assert (await store.claim([Seat(session, 1)]).durable).step.wake_s is None

    async def test_a_sweep_makes_the_next_one_ready_when_it_may_start(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        _, second, _ = await submit_all(stage, TOGETHER, [""] * 3)
        await run(stage, session)
        early = await stage.wait(SOON - 1)
        assert early.requeued == set()
        assert early.wake_s is not None
        assert early.wake_s <= SOON
        assert await stage.claim(session, 9) == []

        swept = await stage.wait(1)
        assert swept.arrivals == {await stage.extension_id(TOGETHER): 1}
        assert await stage.claimed_ids(session, 9) == [second]

    async def test_a_job_that_arrives_later_starts_at_once(self, stage: Stage) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        await submit_all(stage, TOGETHER, [""])
        await run(stage, session)
        await stage.wait(SOON)
        late = await submit_to(stage, "", TOGETHER)

        assert await stage.claimed_ids(session, 9) == [late]

    async def test_each_key_has_its_own_rate(self, stage: Stage) -> None:
        session = await stage.connect("w1", PER_KEY, slots=9)
        first = await submit_all(stage, PER_KEY, ["a", "b", "c"])
        await submit_all(stage, PER_KEY, ["a", "b", "c"])

        assert await stage.claimed_ids(session, 9) == first
        assert await stage.claim(session, 9) == []

    async def test_a_key_can_have_another_rate(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", UNEQUAL, slots=99)
        slow = await submit_all(stage, UNEQUAL, ["slow"] * 14)
        quick = await submit_all(stage, UNEQUAL, ["quick"] * 20)
        assert (await stage.job(slow[1])).waiting is not None
        times: list[float] = []
        began, left = stage.clock.monotonic(), {*slow, *quick}
        while stage.clock.monotonic() - began < 2 * PERIOD:
            done = await run(stage, session)
            left -= {*done}
            times += [stage.clock.monotonic() - began for each in done if each in slow]
            stage.clock.advance(2.5)
            await store.renew(session, (), 0)
            await store.sweep()

        assert most_in(times, PERIOD) == 6
        assert left <= {*slow}
        assert len(times) >= 2 * 6 - 1

    async def test_jobs_of_other_extensions_are_not_held_up(self, stage: Stage) -> None:
        session = await stage.connect("w1", TOGETHER, COUNT, slots=9)
        for _ in range(20):
            await submit_to(stage, "", TOGETHER, priority=10)
        await stage.claim(session)
        others = [await stage.submit(COUNT) for _ in range(3)]

        assert await stage.claimed_ids(session, 9) == others

    async def test_a_full_lane_holds_no_other_lane_of_the_rate_up(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, slots=9)
        first, _ = await submit_all(stage, LIMITED, ["slow", "slow"])
        other = await submit_to(stage, "fast", LIMITED)
        (slow,) = await stage.claim(session, 9)
        assert slow.fence.job_id == first
        await stage.start(slow)
        await stage.wait(SOON)

        assert await stage.claimed_ids(session, 9) == [other]

    async def test_lanes_share_the_rate_of_their_extension(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, slots=99)
        await submit_all(stage, LIMITED, ["a", "b", "c", "d"] * 5)

        assert most_in(await claims_over(stage, session, 2 * PERIOD), PERIOD) == 6

    async def test_the_best_job_starts_next(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, slots=9)
        await submit_all(stage, LIMITED, ["a", "a", "b"])
        await run(stage, session, 1)
        urgent = await submit_to(stage, "c", LIMITED, priority=9)
        await stage.wait(SOON)

        assert await stage.claimed_ids(session, 9) == [urgent]

    @pytest.mark.parametrize("nonce", [None, NONCE])
    async def test_what_is_given_back_unbegun_returns_its_start(
        self, stage: Stage, store: Store, nonce: str | None
    ) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        first, _ = await submit_all(stage, TOGETHER, ["", ""])
        (assignment,) = await stage.claim(session)
        if nonce is not None:
            await stage.start(assignment)
        step = await store.release("w1", [Unbegun(assignment.fence, nonce)], "dispatcher", "recalled")

        assert step.requeued == {assignment.extension_id}
        assert await stage.claimed_ids(session, 9) == [first]
        assert await stage.claim(session, 9) == []

    async def test_cancelling_what_has_not_started_returns_its_start(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        first, second = await submit_all(stage, TOGETHER, ["", ""])
        await stage.claim(session)
        await store.cancel([first], "ada", "no")

        assert await stage.claimed_ids(session, 9) == [second]

    async def test_what_began_counts_whatever_becomes_of_it(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        first, _ = await submit_all(stage, TOGETHER, ["", ""])
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await store.cancel([first], "ada", "no")

        assert await stage.claim(session, 9) == []

    async def test_a_start_that_others_followed_is_not_returned(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        await submit_all(stage, TOGETHER, [""] * 4)
        (first,) = await stage.claim(session)
        await stage.wait(SOON, lambda: store.renew(session, [held(first, Phase.QUEUED)], 1))
        assert len(await stage.claim(session, 9)) == 1
        await store.release("w1", [Unbegun(first.fence)], "dispatcher", "recalled")

        assert await stage.claim(session, 9) == []

    async def test_a_retry_counts_like_a_first_attempt(self, stage: Stage) -> None:
        session = await stage.connect("w1", RETRIED, slots=9)
        await submit_all(stage, RETRIED, [""])
        (broken,) = await stage.claim(session)
        await stage.start(broken)
        await stage.finish(failed(broken))
        await stage.wait(2)
        assert await stage.claim(session, 9) == []
        await stage.wait(SOON - 2)

        assert len(await stage.claim(session, 9)) == 1

    async def test_a_waiting_job_names_the_rate_it_waits_for_and_until_when(self, stage: Stage) -> None:
        session = await stage.connect("w1", PER_KEY, slots=9)
        first, second, third = await submit_all(stage, PER_KEY, ["a"] * 3)
        now_us = stage.clock.now_us()
        await stage.claim(session)
        waits = [(await stage.job(each)).waiting for each in (second, third)]

        assert [(each.code, each.key) for each in waits if each] == [(WaitCode.RATE, "a")] * 2
        starts_us = now_us + interval_us(RATE) - TOLERANCE_US
        assert [each.until_us for each in waits if each] == [starts_us, starts_us + interval_us(RATE)]
        assert [(await stage.job(each)).queue_position for each in (second, third)] == [0, 1]
        assert (await stage.job(first)).waiting is None

    async def test_a_job_of_a_full_lane_waits_for_the_lane(self, stage: Stage) -> None:
        session = await stage.connect("w1", LIMITED, slots=9)
        _, second = await submit_all(stage, LIMITED, ["slow", "slow"])
        other = await submit_to(stage, "fast", LIMITED)
        await stage.claim(session)

        waits = [(await stage.job(each)).waiting for each in (second, other)]
        assert [(each.code, each.key) for each in waits if each] == [
            (WaitCode.CONCURRENCY, "slow"),
            (WaitCode.RATE, None),
        ]

    async def test_jobs_that_wait_for_a_rate_are_counted(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED, slots=9)
        await submit_all(stage, LIMITED, ["a", "a", "b", "c"])
        await stage.claim(session)
        (listed,) = await store.read(VisibleExtensions(LAB))

        assert listed.pending_jobs == 3

    async def test_cancelling_what_waits_lets_the_one_behind_go(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        _, second, third = await submit_all(stage, TOGETHER, [""] * 3)
        await run(stage, session)
        await store.cancel([second], "ada", "no")
        await stage.wait(SOON)

        assert await stage.claimed_ids(session, 9) == [third]

    @pytest.mark.parametrize("jump", [-86_400, -1.5, 3600])
    async def test_a_clock_that_is_set_costs_at_most_one_interval(self, stage: Stage, jump: float) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        _, second = await submit_all(stage, TOGETHER, ["", ""])
        await run(stage, session)
        stage.clock.jump(jump)
        await stage.wait(SOON + INTERVAL)

        assert await stage.claimed_ids(session, 9) == [second]

    async def test_a_rate_that_is_taken_away_holds_nobody_back(self, stage: Stage, store: Store) -> None:
        await store.put_extensions([server_side(LIMITED.policy)])
        session = await serve(stage, server_side(LIMITED.policy))
        first, *others = await submit_all(stage, server_side(LIMITED.policy), ["a", "b", "c", "d"])
        assert await stage.claimed_ids(session, 9) == [first]
        await store.put_extensions([server_side(replace(LIMITED.policy, rate=None))])

        assert await stage.claimed_ids(session, 9) == others

    async def test_a_rate_that_is_added_holds_for_what_waits_in_a_lane(
        self, stage: Stage, store: Store
    ) -> None:
        before = server_side(replace(LIMITED.policy, rate=None))
        await store.put_extensions([before])
        session = await serve(stage, before)
        await submit_all(stage, before, ["a", "b", "c"])
        await store.put_extensions([server_side(LIMITED.policy)])

        assert len(await stage.claim(session, 9)) == 1

    async def test_the_end_of_a_job_lets_nobody_start_sooner(self, stage: Stage) -> None:
        session = await stage.connect("w1", TOGETHER, slots=9)
        await submit_all(stage, TOGETHER, ["", ""])
        (first,) = await stage.claim(session)
        await stage.start(first)
        await stage.finish(completed(first))

        assert await stage.claim(session, 9) == []
